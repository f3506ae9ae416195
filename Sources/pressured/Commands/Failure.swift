internal import ArgumentParser
internal import Glibc
internal import PressureKit

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

  init(_ fault: ConfigurationFaults) {
    sentences = fault.sentences
    status = fault.status
  }

  init(_ fault: ConnectionFault) {
    let status: Status =
      switch fault {
      case .absent: fault.isLackOfRights ? .noRights : .noDaemon
      case .ended: .noDaemon
      case .notInTime: .notInTime
      case .tooLong: .badData
      case .system: .ourMistake
      }
    self.init(fault.sentence, status)
  }

  init(_ fault: RecordingFault) {
    sentences = [fault.sentence]
    status = fault.status
  }

  /// Why a file is not made that was asked for.
  init(_ fault: SystemFault, making path: String) {
    let isThere = fault.number == EEXIST
    self.init(
      isThere ? "\(path) is there already; --force writes over it" : fault.sentence, .cannotCreate)
  }

  /// Says the sentences, and gives the error that makes the program end with the status.
  func told() -> ExitCode {
    for sentence in sentences { Log.error(sentence) }
    return ExitCode(status)
  }
}

extension Failure {
  /// A refusal of the daemon's.
  init(_ fault: ReceivedReply.Fault?) {
    let status: Status =
      switch fault?.code {
      case "no_device": .noInput
      case "busy", "timeout": .notInTime
      case "not_permitted": .noRights
      case "failed": .badData
      default: .ourMistake
      }
    // Where only time has run out nobody has refused.
    let prefix = fault?.code == "timeout" ? "" : "the daemon refuses: "
    self.init(fault.map { prefix + $0.message } ?? "the daemon refuses", status)
  }
}

extension ParsableCommand {
  /// Runs a verb's body, and turns what went wrong into sentences and a status.
  func ending(_ body: () throws(Failure) -> Void) throws {
    do throws(Failure) {
      try body()
    } catch {
      throw error.told()
    }
  }
}
