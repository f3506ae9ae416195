internal import CLinux
internal import Glibc
package import PressureLoop
internal import PressureSystem

/// Detects devices that appear, and nodes whose permissions change.
///
/// It uses inotify because udev's netlink messages do not reach a service with a private network. The kernel creates a
/// node before udev sets its group and permissions, so a change of attributes is a reason to try again. While the
/// directory itself does not exist, its parent is watched.
package final class DeviceMonitor {
  private let loop: EventLoop
  private let onNode: (String) -> Void
  private var folder: EventSource?
  private var parent: EventSource?

  /// Calls `onNode` with the path of each node that may have become readable.
  package init(loop: EventLoop, onNode: @escaping (String) -> Void) {
    self.loop = loop
    self.onNode = onNode
    if !watchFolder() { watchParent() }
  }

  private func watchFolder() -> Bool {
    let mask = UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO | IN_DELETE_SELF | IN_ONLYDIR)
    folder = try? loop.watchFolder(DeviceFolder.path, mask: mask) { [weak self] name, mask in
      self?.folderChanged(name, mask)
    }
    return folder != nil
  }

  private func folderChanged(_ name: String, _ mask: UInt32) {
    if mask & UInt32(IN_DELETE_SELF | IN_IGNORED) != 0 {
      folder = nil
      watchParent()
    } else if mask & UInt32(IN_Q_OVERFLOW) != 0 {
      // Events are lost, so any node may have appeared.
      rescan()
    } else if DeviceFolder.isEventNode(name) {
      onNode("\(DeviceFolder.path)/\(name)")
    }
  }

  private func watchParent() {
    guard parent == nil else { return }
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
    do throws(SystemError) {
      parent = try loop.watchFolder("/dev", mask: mask) { [weak self] name, mask in
        guard name == "input" || mask & UInt32(IN_Q_OVERFLOW) != 0 else { return }
        self?.folderAppeared()
      }
    } catch {
      Log.warning("\(error.sentence); devices that appear later will not be detected")
    }
    // It may have been created before the parent was watched.
    if watchFolder() { folderAppeared() }
  }

  private func folderAppeared() {
    guard folder != nil || watchFolder() else { return }
    parent = nil
    rescan()
  }

  private func rescan() {
    for node in DeviceFolder.nodes() { onNode(node) }
  }
}

/// Detects that a path is created, even if some of its parent directories do not exist yet.
///
/// It serves a device that is named by a symbolic link such as `/dev/input/by-path/…`: udev creates the link after the
/// node, in directories that it creates and removes with their contents. The deepest existing directory is watched:
///
///     /dev/input ──by-path appears──▶ /dev/input/by-path ──the link appears──▶ onAppearance
///         ▲                                   │
///         └───────directory is removed────────┘
package final class PathMonitor {
  private let loop: EventLoop
  private let path: String
  private let onAppearance: () -> Void
  private var source: EventSource?
  private var folder = ""

  /// The name that must appear in the watched directory.
  private var name = ""

  /// Calls `onAppearance` each time that the path or one of its parent directories has appeared.
  package init(loop: EventLoop, path: String, onAppearance: @escaping () -> Void) {
    self.loop = loop
    self.path = path
    self.onAppearance = onAppearance
    watchDeepestFolder()
  }

  private func watchDeepestFolder() {
    // A directory may be created before its parent is watched, so it is searched again afterwards.
    while let (folder, name) = deepestFolder(), folder != self.folder {
      (self.folder, self.name) = (folder, name)
      let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
      do throws(SystemError) {
        source = try loop.watchFolder(folder, mask: mask) { [unowned self] name, mask in
          changed(name, mask)
        }
      } catch {
        source = nil
        Log.warning("\(error.sentence); \(path) will not be detected when it appears")
      }
    }
  }

  private func changed(_ name: String, _ mask: UInt32) {
    let isFolderGone = mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0
    guard isFolderGone || name == self.name || mask & UInt32(IN_Q_OVERFLOW) != 0 else { return }
    if isFolderGone { folder = "" }
    watchDeepestFolder()
    onAppearance()
  }

  /// The deepest existing parent directory and the next name of the path, or nil if there is none.
  private func deepestFolder() -> (folder: String, name: String)? {
    let parts = path.split(separator: "/")
    let root = path.hasPrefix("/") ? "/" : "./"
    for count in parts.indices.reversed() {
      let folder = root + parts[..<count].joined(separator: "/")
      if access("\(folder)/.", F_OK) == 0 { return (folder, String(parts[count])) }
    }
    return nil
  }
}
