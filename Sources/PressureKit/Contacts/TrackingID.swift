/// Who a contact is, from its beginning to its end; the number is used again later.
///
/// -1, the kernel's word for an empty slot, is none.
/// The corresponding kernel constant is `ABS_MT_TRACKING_ID`.
public struct TrackingID: Hashable, Sendable {
  public let value: Int32

  package init(value: Int32) {
    self.value = value
  }

  public init?(_ value: Int32) {
    guard value >= 0 else { return nil }
    self.value = value
  }
}
