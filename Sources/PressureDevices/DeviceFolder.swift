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
