package import PressureProtocol

/// One contact of a frame, as far as a pen needs it.
package struct PenTouch: Hashable {
  /// The tracking ID.
  package var contact: Int64

  /// The position; in millimeters if the device states its size.
  package var point: PenPoint

  /// The force as a multiple of an average touch.
  package var force: Double

  /// The force that counts as the maximum of the device.
  package var maximumForce: Double

  /// The length of the contact area in millimeters; nil if unknown.
  package var length: Double?

  package init(
    contact: Int64, point: PenPoint, force: Double, maximumForce: Double, length: Double? = nil
  ) {
    (self.contact, self.point, self.length) = (contact, point, length)
    (self.force, self.maximumForce) = (force, maximumForce)
  }
}

extension PenTouch {
  /// The farthest place that is one on a pad, in millimeters: differences of larger numbers need not be numbers.
  private static let places = -1e6...1e6

  /// Uses a contact of a `weight` line.
  ///
  /// - Parameters:
  ///   - contact: the contact; nil is returned if it has no position on any pad.
  ///   - size: the size of the pad, real or nominal, by which positions without millimeters are multiplied.
  package init?(_ contact: ReceivedPressure, on size: PenPoint) {
    guard let x = contact.xMillimeters ?? contact.x.map({ $0 * size.x }),
      let y = contact.yMillimeters ?? contact.y.map({ $0 * size.y }),
      PenTouch.places.contains(x), PenTouch.places.contains(y)
    else { return nil }
    self.init(
      contact: contact.contact, point: PenPoint(x: x, y: y), force: contact.force ?? 0,
      maximumForce: contact.maximumPossibleForce, length: contact.majorMillimeters)
  }
}

/// What the pen does after a frame.
package struct PenFrame: Hashable {
  /// On the axes of the pen.
  package var x: Int32
  package var y: Int32

  /// The value of the pressure axis; 0 unless the tip touches.
  package var pressure: Int32

  /// Whether the pen is near the surface, so that a cursor shows where it would draw.
  package var isNear: Bool

  /// Whether the tip touches.
  package var isTouching: Bool

  /// Whether the button at the pen's side is pressed.
  package var isButtonDown: Bool

  /// The pressure that a program gets, 0…1.
  package var programPressure: Double {
    let span = Double(PenForce.maximum - PenForce.lightest)
    return max(Double(pressure - PenForce.lightest), 0) / span
  }
}
