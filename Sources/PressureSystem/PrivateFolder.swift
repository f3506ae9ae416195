internal import Glibc

/// A folder under a name that was not there before, for its maker alone.
package enum PrivateFolder {
  /// Makes one; who has made it removes it.
  ///
  /// - Parameter parent: the folder in which it is made.
  /// - Returns: its path.
  /// - Throws: why it cannot be made.
  package static func make(in parent: String) throws(SystemError) -> String {
    var template = Array("\(parent)/pressured-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemError(attempt: "make a folder in \(parent)", number: errno)
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
