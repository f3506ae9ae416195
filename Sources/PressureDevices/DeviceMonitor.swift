internal import CLinux
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
