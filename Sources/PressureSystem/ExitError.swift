internal import Glibc

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
