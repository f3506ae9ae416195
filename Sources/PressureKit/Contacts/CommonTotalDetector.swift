/// Detects contacts that each carry the total of the surface instead of a pressure of their own.
///
/// The values of such contacts are always equal while they change. Fingers whose values are equal by chance differ soon:
/// a single difference refutes it for as long as the device is open.
///
/// The Surface Laptop Studio (045e:09af) is such a device.
struct CommonTotalDetector {
  /// The number of different values that several contacts must have in common.
  private static let requiredChanges = 8

  private var changes = 0
  private var last: Int32?

  /// Whether a value differed, so that no further contacts need to be checked.
  private(set) var isRefuted = false

  /// Updates with the contacts of a frame, of which there are several.
  ///
  /// - Returns: whether the contacts carry a common total.
  mutating func update(with contacts: [Contact]) -> Bool {
    guard !isRefuted, let first = contacts[0].raw else { return false }
    // A contact that just began, hovers or rests may not be measured, or have an older value.
    guard contacts.allSatisfy({ $0.phase == .moved && !$0.isHovering }) else { return false }
    guard contacts.allSatisfy({ $0.raw == first }) else {
      isRefuted = true
      return false
    }
    if first != last { changes += 1 }
    last = first
    return changes > CommonTotalDetector.requiredChanges
  }
}
