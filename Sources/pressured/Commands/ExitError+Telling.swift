internal import ArgumentParser
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem

extension ExitError {
  /// All that is wrong with a configuration.
  init(_ fault: ConfigurationErrors) {
    self.init(sentences: fault.sentences, status: fault.status)
  }

  /// Why a recording is not read.
  init(_ fault: RecordingError) {
    self.init(sentences: [fault.sentence], status: fault.status)
  }

  /// Says the sentences, and gives the error that makes the program end with the status.
  func told() -> ExitCode {
    for sentence in sentences { Log.error(sentence) }
    return ExitCode(status)
  }
}

extension ParsableCommand {
  /// Runs a verb's body, and turns what went wrong into sentences and a status.
  func ending(_ body: () throws(ExitError) -> Void) throws {
    do throws(ExitError) {
      try body()
    } catch {
      throw error.told()
    }
  }
}
