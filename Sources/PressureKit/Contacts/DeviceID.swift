/// The name of a device on the wire, the same after replug and reboot.
public struct DeviceID: Hashable, Sendable {
  /// `BUS-VEND-PROD` in lower-case hexadecimal, then what tells it from others of its make.
  public let text: String

  public init(_ description: DeviceDescription) {
    let numbers = [description.bus, description.vendor, description.product]
    let stem = numbers.map(DeviceID.fourDigits).joined(separator: "-")
    let unique = DeviceID.kept(description.uniqueID)
    let suffix = unique.isEmpty ? DeviceID.kept(description.physicalPath) : unique
    text = suffix.isEmpty ? stem : stem + "-" + suffix
  }

  private init(text: String) {
    self.text = text
  }

  /// The name for another device that would have the same one.
  public func numbered(_ number: Int) -> DeviceID { DeviceID(text: "\(text)#\(number)") }

  private static func fourDigits(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Only what is safe in a file name's neighborhood, in JSON and in a shell's words.
  private static func kept(_ text: String) -> String {
    String(text.filter { ($0.isASCII && ($0.isLetter || $0.isNumber)) || "._:/".contains($0) })
  }
}
