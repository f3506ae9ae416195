internal import Glibc
internal import PressureProtocol

/// Who may read a node, and whether we may.
struct NodeRights: Encodable {
  let isReadable: Bool

  /// The lowest nine bits of its mode, as `ls` shows them; nil where it cannot be looked at.
  let mode: String?

  let group: String?

  /// Whether members of its group may read it.
  let isForGroup: Bool

  private enum CodingKeys: String, CodingKey {
    case mode, group
    case isReadable = "readable"
    case isForGroup = "for_group"
  }

  /// Looks at a node.
  ///
  /// - Parameters:
  ///   - node: its path.
  ///   - isReadable: whether it could be opened.
  init(of node: String, isReadable: Bool) {
    var status = stat()
    let isThere = stat(node, &status) == 0
    self.isReadable = isReadable
    mode = isThere ? NodeRights.text(of: status.st_mode) : nil
    group = isThere ? Machine.name(ofGroup: status.st_gid) : nil
    isForGroup = isThere && status.st_mode & S_IRGRP != 0
  }

  private static func text(of mode: mode_t) -> String {
    let letters = Array("rwxrwxrwx")
    return String((0..<9).map { mode & (1 << mode_t(8 - $0)) == 0 ? "-" : letters[$0] })
  }
}
