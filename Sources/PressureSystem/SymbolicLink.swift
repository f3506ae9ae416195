internal import Glibc

/// Symbolic links, without realpath(3): it resolves the folders of a path, too, and mocked devices damage memory there.
package enum SymbolicLink {
  /// How many links are followed.
  private static let maximumCount = 8

  /// The name of the file that a path leads to through links, for example of `/dev/input/by-path/…-event`.
  ///
  /// - Parameters:
  ///   - path: an absolute path, which need not be a link.
  ///   - isFinal: whether a link of this name is not followed.
  /// - Returns: the last part of the path behind the links; nil if there are more than eight of them.
  package static func name(
    of path: String, until isFinal: (String) -> Bool = { _ in false }
  ) -> String? {
    var path = path
    for _ in 0...maximumCount {
      guard let name = path.split(separator: "/").last.map(String.init) else { return nil }
      guard !isFinal(name), let target = target(of: path) else { return name }
      let folder = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
      path = target.hasPrefix("/") ? target : "\(folder)/\(target)"
    }
    return nil
  }

  /// What a link contains; nil if it is none.
  private static func target(of path: String) -> String? {
    withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
      guard let start = buffer.bindMemory(to: CChar.self).baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  }
}
