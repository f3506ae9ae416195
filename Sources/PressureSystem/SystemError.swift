internal import Glibc

package struct SystemError: Error, Hashable {
  /// The attempted operation, for example "open /dev/input/event3".
  package var attempt: String

  package var number: Int32

  package var sentence: String { "cannot \(attempt): \(String(cString: strerror(number)))" }

  package init(attempt: String, number: Int32) {
    (self.attempt, self.number) = (attempt, number)
  }

  /// The error of creating a file; names the folder if that is what is missing.
  package init(making path: String, number: Int32) {
    self.init(attempt: "create \(path)", number: number)
    let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
    guard number == ENOENT, !folder.isEmpty, access(String(folder), F_OK) != 0 else { return }
    attempt = "create \(path), as the folder \(folder) does not exist"
  }

  /// Throws if a result is negative; libsystemd returns negated error numbers.
  @discardableResult
  package static func check(
    _ result: Int32, _ attempt: @autoclosure () -> String
  ) throws(SystemError) -> Int32 {
    guard result < 0 else { return result }
    throw SystemError(attempt: attempt(), number: -result)
  }

  /// As `check`, for calls that set `errno`.
  @discardableResult
  package static func checkErrno(_ result: Int32, _ attempt: @autoclosure () -> String)
    throws(SystemError) -> Int32
  {
    // Read it first: evaluating the message may change it.
    let number = errno
    guard result < 0 else { return result }
    throw SystemError(attempt: attempt(), number: number)
  }

  /// The value of an expression, whose error ends the verb with this status.
  ///
  /// If it creates an output file, an error because that exists names what to do.
  package static func orExit<Value: ~Copyable>(
    _ status: ExitError.Status = .cannotCreate, making path: String? = nil,
    _ value: @autoclosure () throws(SystemError) -> Value
  ) throws(ExitError) -> Value {
    do throws(SystemError) {
      return try value()
    } catch {
      let exists = path.map { "\($0) exists already; remove it first" }
      throw ExitError((error.number == EEXIST ? exists : nil) ?? error.sentence, status)
    }
  }
}

/// The error that ends a command: messages for the user, and an exit status.
package struct ExitError: Error, Hashable {
  /// The exit statuses of all commands, as in `sysexits.h`.
  package enum Status: Int32 {
    /// The command line is invalid.
    case usage = 64
    /// The input is damaged, or its device is refused.
    case badData = 65
    case noInput = 66
    case noDaemon = 69
    case internalError = 70
    case cannotCreate = 73
    case timedOut = 75
    case permissionDenied = 77
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

  /// A requested exit: status 0, no message.
  package static var none: ExitError { ExitError(sentences: [], status: 0) }
}

/// An error that ends a verb.
package protocol ExitReason: Error {
  var exitError: ExitError { get }
}

extension ExitReason {
  /// The value of an expression, whose error ends the verb.
  package static func orExit<Value: ~Copyable>(
    _ value: @autoclosure () throws(Self) -> Value
  ) throws(ExitError) -> Value {
    do throws(Self) { return try value() } catch { throw error.exitError }
  }
}
