internal import PressureKit
internal import PressureSettings

extension DeviceFolder {
  /// Where the kernel says what its input devices are to whoever asks.
  private static let classPath = "/sys/class/input"

  /// Whether a node that may not be opened is one to be touched, by what anybody may know of it.
  ///
  /// - Parameter node: its path.
  /// - Returns: true, too, where nothing is known.
  package static func mayBeTouched(_ node: String) -> Bool {
    let name = node.split(separator: "/").last ?? ""
    guard let keys = bits("key", of: name), let axes = bits("abs", of: name) else { return true }
    let isTouched = keys.contains(.touch) || axes.contains(.slot)
    return isTouched && !keys.contains(.toolPen)
  }

  private static func bits(_ kind: String, of name: Substring) -> CapabilityBits? {
    let path = "\(classPath)/\(name)/device/capabilities/\(kind)"
    guard let text = try? AtomicFile.read(path, limit: 1 << 12) else { return nil }
    return CapabilityBits(String(decoding: text, as: UTF8.self))
  }
}

/// The codes of one type that a device has, as the kernel writes them: words of hexadecimal digits, the
/// lowest codes in the last one.
struct CapabilityBits {
  /// Bits of a word; the kernel's words are as long as its pointers.
  private static let wordSize = UInt.bitWidth

  private let words: [UInt]

  /// Reads them; nil where it is something else.
  init?(_ text: String) {
    let parts = text.split(whereSeparator: \.isWhitespace)
    words = parts.reversed().compactMap { UInt($0, radix: 16) }
    guard !words.isEmpty, words.count == parts.count else { return nil }
  }

  func contains(_ code: EventCode) -> Bool {
    let (word, bit) = Int(code.code).quotientAndRemainder(dividingBy: CapabilityBits.wordSize)
    return word < words.count && words[word] >> bit & 1 == 1
  }
}
