internal import Glibc

/// The end of a verb that did not work: a sentence for people, and a status for programs.
struct Failure: Error {
  /// The statuses of all verbs, as `sysexits.h` numbers them.
  enum Status: Int32 {
    /// The command line is wrong.
    case usage = 64
    /// What was to be read is damaged, or its device is refused.
    case badData = 65
    /// What was to be read is not there.
    case noInput = 66
    /// There is no daemon to ask.
    case noDaemon = 69
    /// We have made a mistake.
    case ourMistake = 70
    /// What was to be made cannot be.
    case cannotCreate = 73
    /// It was not done in time.
    case notInTime = 75
    /// The rights are missing.
    case noRights = 77
    /// The configuration is wrong.
    case badConfiguration = 78
  }

  var sentences: [String]
  var status: Int32

  init(_ sentence: String, _ status: Status) {
    sentences = [sentence]
    self.status = status.rawValue
  }

  /// An end that somebody wanted, of which there is no more to say.
  static var none: Failure {
    var end = Failure("", .usage)
    (end.sentences, end.status) = ([], 0)
    return end
  }

  /// Why a file is not made that was asked for.
  init(_ fault: SystemFault, making path: String) {
    let isThere = fault.number == EEXIST
    self.init(
      isThere ? "\(path) is there already; --force writes over it" : fault.sentence, .cannotCreate)
  }
}
