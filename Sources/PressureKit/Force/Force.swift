/// How hard a contact presses, in UIKit's unit: 1.0 is an average touch.
public struct Force: Hashable, Sendable {
  /// The part of the effective maximum, 0…1.
  public var ratio: Double

  /// The force at the effective maximum; 0 where the device does not feel force.
  public var maximumPossible: Double

  public init(ratio: Double, maximumPossible: Double) {
    self.ratio = ratio
    self.maximumPossible = maximumPossible
  }

  /// The force itself, 0…`maximumPossible`.
  public var value: Double { ratio * maximumPossible }

  /// What an iPhone 6s reports when pressed to the full, in steps of 1/60.
  public static let referenceMaximum = 20.0 / 3.0

  /// Grams in one unit of force on that phone: 385 g over 20/3.
  public static let referenceGrams = 57.75
}
