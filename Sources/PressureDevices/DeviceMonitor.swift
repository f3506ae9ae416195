internal import CLinux
internal import Glibc
package import PressureLoop
internal import PressureSystem

/// Notices devices that appear, and such that get their permissions later.
///
/// By inotify, as udev's messages do not reach a service without network. A node is made before
/// udev gives it its group and rights, so a change of attributes is a reason to try again. Where the
/// folder itself is not there yet, its parent is watched until it is.
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
      // Some names are lost, and any may be.
      lookAround()
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
      Log.warning("\(error.sentence); devices that appear later will not be noticed")
    }
    // It may have come between the two looks.
    if watchFolder() { folderAppeared() }
  }

  private func folderAppeared() {
    guard folder != nil || watchFolder() else { return }
    parent = nil
    lookAround()
  }

  private func lookAround() {
    for node in DeviceFolder.nodes() { onNode(node) }
  }
}

/// Notices when something comes to be at a path, whichever of the folders on the way are missing still.
///
/// For a device that was named by a link such as `/dev/input/by-path/…`, which udev makes after the node, in
/// folders that come and go with what is in them. The deepest folder that is there is watched:
///
///     /dev/input ──by-path appears──▶ /dev/input/by-path ──the link appears──▶ onAppearance
///         ▲                                   │
///         └───────────the folder goes─────────┘
package final class PathMonitor {
  private let loop: EventLoop
  private let path: String
  private let onAppearance: () -> Void
  private var source: EventSource?
  private var folder = ""

  /// What must appear in the folder that is watched.
  private var name = ""

  /// Calls `onAppearance` each time that the path, or a folder on the way to it, has appeared.
  package init(loop: EventLoop, path: String, onAppearance: @escaping () -> Void) {
    self.loop = loop
    self.path = path
    self.onAppearance = onAppearance
    follow()
  }

  private func follow() {
    // A folder may come while its parent is not watched yet, so it is looked for again afterwards.
    while let (folder, name) = deepestFolder(), folder != self.folder {
      (self.folder, self.name) = (folder, name)
      let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
      do throws(SystemError) {
        source = try loop.watchFolder(folder, mask: mask) { [unowned self] name, mask in
          changed(name, mask)
        }
      } catch {
        source = nil
        Log.warning("\(error.sentence); \(path) will not be noticed when it appears")
      }
    }
  }

  private func changed(_ name: String, _ mask: UInt32) {
    let isFolderGone = mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0
    guard isFolderGone || name == self.name || mask & UInt32(IN_Q_OVERFLOW) != 0 else { return }
    if isFolderGone { folder = "" }
    follow()
    onAppearance()
  }

  /// The last folder on the way that is there, and what comes after it; nil where there is none.
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
