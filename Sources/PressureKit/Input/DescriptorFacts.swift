/// What the HID report descriptor of a touch device states about its pressure, its clicks and its haptic feedback.
///
/// A statement of the device about itself: it may be false, and the device need not honor it.
package struct DescriptorFacts: Hashable, Sendable {
  package var pressure: Pressure?

  /// The settings of its own clicks that it declares.
  package var settings: [Verdict.Setting] = []

  /// The range, in grams, of the force at which it clicks by itself; nil if unknown or not a setting.
  package var clickGrams: ClosedRange<Double>?
  package var triggersItself = false
  package var isTriggeredByHost = false

  package init() {}

  package var clicksByItself: Bool { !settings.isEmpty || triggersItself }

  package struct Pressure: Hashable, Sendable {
    package var minimum: Int64
    package var maximum: Int64

    /// The name of the usage whose range it has because its own was not set, such as `Y`; nil if it has its own range.
    package var rangeOrigin: String?

    package var unit: Unit

    package init(
      minimum: Int64, maximum: Int64, rangeOrigin: String? = nil, unit: Unit = .none
    ) {
      self.minimum = minimum
      self.maximum = maximum
      self.rangeOrigin = rangeOrigin
      self.unit = unit
    }

    /// Units per gram, if it states a unit of mass or force and a range of its own.
    package var unitsPerGram: Double? {
      guard rangeOrigin == nil else { return nil }
      return switch unit {
      case .mass(let unitsPerGram), .force(let unitsPerGram): unitsPerGram
      case .none, .other, .inherited, .implausible, .displaced: nil
      }
    }
  }

  package enum Unit: Hashable, Sendable {
    case none
    /// Grams.
    case mass(unitsPerGram: Double)
    /// A force; 980.665 dynes weigh a gram.
    case force(unitsPerGram: Double)
    /// A unit of something else, such as a length.
    case other
    /// The unit, its exponent or the physical range of this usage, as its own was not set.
    case inherited(from: String)
    /// A unit of mass or force with a full scale that no touch device has, in grams.
    case implausible(fullScaleGrams: Double)
    /// A unit of mass or force with a range in which the value 0 is not 0 g, but these grams.
    case displaced(zeroGrams: Double)
  }
}
