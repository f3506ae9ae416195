package import PressureDevices
internal import PressureKit

/// A setting as a pad's report descriptor declares it, between people's units and the values of its field.
package struct PadControl: Hashable, Sendable {
  package let setting: PadSetting

  package let field: ReportField

  /// The grams or percent at the logical minimum and maximum; nil for a force that the pad declares in steps without grams.
  private let scale: Scale?

  private struct Scale: Hashable, Sendable {
    var atMinimum: Double
    var atMaximum: Double
  }

  /// Reads a declared field, or throws why it cannot be set, to follow "the click force cannot be set: ".
  init(_ setting: PadSetting, _ field: ReportField) throws(PadError) {
    guard !field.isArray, field.count == 1 else {
      throw setting.refusal("the pad declares several values for it")
    }
    guard (1...32).contains(field.bitSize) else {
      throw setting.refusal("the pad declares a value of \(field.bitSize) bits")
    }
    let (least, greatest) = (field.values.lowerBound, field.values.upperBound)
    guard least != greatest else { throw setting.refusal("the pad declares only one value for it") }
    let most = Int64(1) << Int64(field.bitSize - (least < 0 ? 1 : 0))
    guard greatest < most, least >= -most else {
      throw setting.refusal(
        "the range \(field.logicalMinimum) to \(field.logicalMaximum) that the pad declares does not fit in its \(field.bitSize) bits"
      )
    }
    self.setting = setting
    self.field = field
    switch setting {
    case .clickForce:
      scale = field.clickGrams.map { Scale(atMinimum: $0.atMinimum, atMaximum: $0.atMaximum) }
    case .haptics:
      // Where the physical range is the other way round, the least value is the strongest.
      let isOwn = field.inherited.physicalMaximum == nil
      let isReversed = isOwn && field.physicalMinimum > field.physicalMaximum
      scale = isReversed ? Scale(atMinimum: 100, atMaximum: 0) : Scale(atMinimum: 0, atMaximum: 100)
    }
  }

  package var values: ClosedRange<Int64> { field.values }

  package var stepCount: Int { Int(values.upperBound - values.lowerBound) + 1 }

  private var span: Double { Double(field.logicalMaximum) - Double(field.logicalMinimum) }

  /// Grams or percent for a value; nil if the pad does not declare grams.
  package func amount(of value: Int64) -> Double? {
    guard let scale else { return nil }
    let part = (Double(value) - Double(field.logicalMinimum)) / span
    return scale.atMinimum + part * (scale.atMaximum - scale.atMinimum)
  }

  /// The range in grams or percent; nil if the pad does not declare grams.
  package var amounts: ClosedRange<Double>? {
    scale.map { min($0.atMinimum, $0.atMaximum)...max($0.atMinimum, $0.atMaximum) }
  }

  /// All amounts in order, if there are few.
  package var steps: [Double]? {
    guard stepCount <= PadControl.mostListedSteps else { return nil }
    let all = values.compactMap { amount(of: $0) }
    return all.count == stepCount ? all.sorted() : nil
  }

  private static let mostListedSteps = 16

  /// The value for the least force, the middle one or the greatest.
  func value(of level: PadTarget.Level) -> Int64 {
    // Without grams the greatest value is the greatest force, as the usage is a threshold.
    let isReversed = scale.map { $0.atMinimum > $0.atMaximum } ?? false
    return switch level {
    case .light: isReversed ? field.logicalMaximum : field.logicalMinimum
    case .medium: field.logicalMinimum + (field.logicalMaximum - field.logicalMinimum) / 2
    case .firm: isReversed ? field.logicalMinimum : field.logicalMaximum
    }
  }

  /// The level of a value, if it has one.
  package func level(of value: Int64) -> PadTarget.Level? {
    guard setting == .clickForce else { return nil }
    return PadTarget.Level.allCases.first { self.value(of: $0) == value }
  }

  /// The value that is nearest to what a person wants; throws `out_of_range` with the range.
  package func value(for target: PadTarget) throws(PadError) -> Int64 {
    switch target {
    case .level(let level): return value(of: level)
    case .number(let number):
      guard let amounts else {
        throw PadError(
          .outOfRange,
          "this pad declares \(stepCount) steps of force without grams: use light, medium or firm")
      }
      guard amounts.contains(number), let scale else {
        throw PadError(
          .outOfRange, "\(setting.rawValue)=\(number.oneDecimal) is out of range: \(rangeSentence)")
      }
      let part = (number - scale.atMinimum) / (scale.atMaximum - scale.atMinimum)
      return field.logicalMinimum + Int64((part * span).rounded())
    }
  }

  /// What can be set, such as "110, 150 or 190 g".
  package var rangeSentence: String {
    let unit = setting == .clickForce ? "g" : "%"
    guard let amounts else { return "light, medium or firm, without grams" }
    if setting == .clickForce, let steps {
      let texts = steps.map(\.oneDecimal)
      return "\(texts.dropLast().joined(separator: ", ")) or \(texts.last ?? "") g"
    }
    return "\(amounts.lowerBound.oneDecimal) to \(amounts.upperBound.oneDecimal) \(unit)"
  }

  /// A value in words, such as "150 g (medium)".
  package func sentence(of value: Int64) -> String {
    let level = level(of: value)?.rawValue
    guard let amount = amount(of: value) else {
      let step = "step \(value - values.lowerBound + 1) of \(stepCount)"
      return level.map { "\($0) (\(step))" } ?? step
    }
    guard setting == .clickForce else { return "\(amount.oneDecimal) %" }
    return "\(amount.oneDecimal) g" + (level.map { " (\($0))" } ?? "")
  }
}

extension Double {
  /// The number with at most one decimal: 150, 62.5.
  fileprivate var oneDecimal: String { ((self * 10).rounded() / 10).shortDescription }
}
