/// One value that a device has sent, or that a recording holds.
///
/// The corresponding kernel structure is `input_event`.
public struct InputEvent: Hashable, Sendable {
  public var time: Timestamp
  public var code: EventCode
  public var value: Int32

  public init(time: Timestamp, code: EventCode, value: Int32) {
    self.time = time
    self.code = code
    self.value = value
  }
}
