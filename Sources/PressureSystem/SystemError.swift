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

/// The end of a verb that did not work: a sentence for people, and a status for programs.
package struct ExitError: Error {
  /// The statuses of all verbs, as `sysexits.h` numbers them.
  package enum Status: Int32 {
    /// The command line is wrong.
    case usage = 64
    /// What was to be read is damaged, or its device is refused.
    case badData = 65
    /// What was to be read is not there.
    case noInput = 66
    /// There is no daemon to ask.
    case noDaemon = 69
    /// We have made a mistake.
    case internalError = 70
    /// What was to be made cannot be.
    case cannotCreate = 73
    /// It was not done in time.
    case timedOut = 75
    /// The rights are missing.
    case permissionDenied = 77
    /// The configuration is wrong.
    case badConfiguration = 78
  }

  package var sentences: [String]
  package var status: Int32

  package init(sentences: [String], status: Int32) {
    self.sentences = sentences
    self.status = status
  }

  package init(_ sentence: String, _ status: Status) {
    sentences = [sentence]
    self.status = status.rawValue
  }

  /// An end that somebody wanted, of which there is no more to say.
  package static var none: ExitError {
    var end = ExitError("", .usage)
    (end.sentences, end.status) = ([], 0)
    return end
  }

  /// Why a file is not made that was asked for.
  package init(_ fault: SystemError, making path: String) {
    let isThere = fault.number == EEXIST
    self.init(
      isThere ? "\(path) is there already; --force writes over it" : fault.sentence, .cannotCreate)
  }
}
