public import PressureKit

extension JSONLinesWriter {
  /// Adds whether a device is grabbed, as the answer to `grab` has it.
  ///
  /// After `on=false` it may be for as long as something touches it.
  public mutating func appendGrab(_ isGrabbed: Bool, of device: DeviceID) {
    append("{\"device\":")
    append(quoted: device.text)
    append(",\"grabbed\":")
    append(isGrabbed)
    append("}")
  }
}
