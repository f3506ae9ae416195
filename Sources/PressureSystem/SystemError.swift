internal import Glibc

/// A call that the kernel or the C library has refused.
package struct SystemError: Error, Hashable {
  /// What was attempted, as in "open /dev/input/event3".
  package var attempt: String

  /// The number of the error, positive.
  package var number: Int32

  /// One sentence for people.
  package var sentence: String { "cannot \(attempt): \(String(cString: strerror(number)))" }

  package init(attempt: String, number: Int32) {
    (self.attempt, self.number) = (attempt, number)
  }

  /// Why a file cannot be made: where it is the folder that is missing, that is said.
  ///
  /// - Parameters:
  ///   - path: the file's.
  ///   - number: the number of the error.
  package init(making path: String, number: Int32) {
    self.init(attempt: "make \(path)", number: number)
    let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
    guard number == ENOENT, !folder.isEmpty, access(String(folder), F_OK) != 0 else { return }
    attempt = "make \(path), as there is no folder \(folder)"
  }

  /// Takes a result of C and throws where it is negative; libsystemd negates the number itself.
  @discardableResult
  package static func check(_ result: Int32, _ attempt: @autoclosure () -> String)
    throws(SystemError)
    -> Int32
  {
    guard result < 0 else { return result }
    throw SystemError(attempt: attempt(), number: -result)
  }

  /// The same for calls that leave the number in `errno`.
  @discardableResult
  package static func checkErrno(_ result: Int32, _ attempt: @autoclosure () -> String)
    throws(SystemError) -> Int32
  {
    // What is called from here on, also to make the sentence, may change it.
    let number = errno
    guard result < 0 else { return result }
    throw SystemError(attempt: attempt(), number: number)
  }
}
