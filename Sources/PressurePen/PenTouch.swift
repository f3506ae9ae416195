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
