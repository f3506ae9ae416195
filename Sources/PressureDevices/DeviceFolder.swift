package import PressureKit
internal import PressureSettings
internal import PressureSystem

/// The folder in which the kernel's input devices appear.
package enum DeviceFolder {
  package static let path = "/dev/input"

  /// The nodes of all devices, in the order of their numbers.
  package static func nodes() -> [String] {
    FileNames.names(in: path).filter(isEventNode)
      .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.map { "\(path)/\($0)" }
  }

  /// Whether a name is that of an evdev node; `mouse0` and `js0` show the same devices otherwise.
  static func isEventNode(_ name: String) -> Bool {
    name.hasPrefix("event") && name.utf8.count > 5
      && name.utf8.dropFirst(5).allSatisfy { (0x30...0x39).contains($0) }
  }
}

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

extension EvdevDevice {
  /// Opens the first device that feels pressure and is not left alone by the configuration.
  ///
  /// - Parameter configuration: what is configured for devices.
  /// - Returns: the device, or nil where none can be read.
  package static func firstThatFeels(_ configuration: Configuration) -> EvdevDevice? {
    DeviceFolder.nodes().lazy.compactMap { feeling($0, configuration) }.first
  }

  /// Whether a node is a device that `firstThatFeels` may give.
  package static func feelsPressure(_ node: String, _ configuration: Configuration) -> Bool {
    feeling(node, configuration) != nil
  }

  /// Whether a node may not be read by this user, though it may be one to be touched.
  package static func isDenied(_ node: String) -> Bool {
    do throws(DeviceError) {
      _ = try EvdevDevice(opening: node)
      return false
    } catch {
      return error.isLackOfRights && DeviceFolder.mayBeTouched(node)
    }
  }

  private static func feeling(_ node: String, _ configuration: Configuration) -> EvdevDevice? {
    guard let device = try? EvdevDevice(node: node),
      let surface = try? configuration.surface(of: device.description), surface.feelsPressure
    else { return nil }
    return device
  }
}

extension Surface {
  /// Whether it says anything of how hard it is pressed, be it force or the size of contacts.
  package var feelsPressure: Bool {
    switch capability {
    case .force, .size: true
    case .none, .broken: false
    }
  }
}
