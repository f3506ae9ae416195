internal import CLinux
internal import Glibc
package import PressureLoop
internal import PressureSystem

/// Detects that entries of a folder appear or change, even if the folder or its parents do not exist yet.
///
/// It uses inotify because udev's netlink messages do not reach a service with a private network. The kernel creates a
/// node before udev sets its group and permissions, so a change of attributes is a reason to try again. A device may be named by
/// a symbolic link such as `/dev/input/by-path/…`, which udev creates after the node, in directories that it creates and
/// removes with their contents. The deepest existing directory is watched:
///
///     /dev/input ──by-path appears──▶ /dev/input/by-path ──the link appears──▶ onChange
///         ▲                                   │
///         └───────directory is removed────────┘
package final class PathMonitor {
  private static let mask = UInt32(
    IN_CREATE | IN_ATTRIB | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  private let loop: EventLoop
  private let root: String

  private let parts: [String]
  private let isWanted: (String) -> Bool
  private let onChange: (String?) -> Void
  private var source: EventSource?

  /// The watched directory, and the name that must appear in it; nil if it is the folder itself.
  private var watched = ""
  private var next: String?

  private init(
    _ loop: EventLoop, root: String, _ parts: [String], isWanted: @escaping (String) -> Bool,
    onChange: @escaping (String?) -> Void
  ) {
    (self.loop, self.root, self.parts) = (loop, root, parts)
    (self.isWanted, self.onChange) = (isWanted, onChange)
    watchDeepestFolder()
  }

  /// Calls `onNode` with the path of each node that may have become readable.
  package convenience init(loop: EventLoop, onNode: @escaping (String) -> Void) {
    let parts = DeviceFolder.path.split(separator: "/").map(String.init)
    self.init(loop, root: "/", parts, isWanted: DeviceFolder.isEventNode) { name in
      // Without a name any node may have appeared.
      let nodes = name.map { ["\(DeviceFolder.path)/\($0)"] } ?? DeviceFolder.nodes()
      for node in nodes { onNode(node) }
    }
  }

  /// Calls `onAppearance` each time that the path or one of its parent directories has appeared.
  package convenience init(loop: EventLoop, path: String, onAppearance: @escaping () -> Void) {
    let parts = path.split(separator: "/").map(String.init)
    let root = path.hasPrefix("/") ? "/" : "./"
    self.init(loop, root: root, parts.dropLast(), isWanted: { $0 == parts.last }) { _ in
      onAppearance()
    }
  }

  private func watchDeepestFolder() {
    // A directory may be created before its parent is watched, so it is searched again afterwards.
    while let (folder, next) = deepestFolder(), folder != watched {
      (watched, self.next) = (folder, next)
      do throws(SystemError) {
        source = try loop.watchFolder(folder, mask: PathMonitor.mask) {
          [unowned self] name, mask in
          changed(name, mask)
        }
      } catch {
        source = nil
        Log.warning("\(error.sentence); devices that appear later will not be detected")
      }
    }
  }

  private func changed(_ name: String, _ mask: UInt32) {
    let isFolderGone = mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0
    // Events may also be lost.
    let isUnclear = isFolderGone || mask & UInt32(IN_Q_OVERFLOW) != 0
    let entry = next == nil && !isUnclear ? name : nil
    guard isUnclear || entry.map(isWanted) ?? (name == next) else { return }
    if isFolderGone { watched = "" }
    watchDeepestFolder()
    onChange(entry)
  }

  /// The deepest directory that exists, and the name of the next one on the path; nil if there is none.
  private func deepestFolder() -> (folder: String, next: String?)? {
    for count in (0...parts.count).reversed() {
      let folder = root + parts[..<count].joined(separator: "/")
      guard access("\(folder)/.", F_OK) == 0 else { continue }
      return (folder, count < parts.count ? parts[count] : nil)
    }
    return nil
  }
}
