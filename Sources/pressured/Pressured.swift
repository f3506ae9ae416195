internal import ArgumentParser
internal import Glibc
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem

@main
struct Pressured: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pressured",
    abstract:
      "Measure how hard touchpads and touchscreens are pressed, and publish it on a Unix socket.",
    version: Version.current,
    subcommands: [
      RunCommand.self, DevicesCommand.self, WatchCommand.self, WeighCommand.self,
      RecordCommand.self, ReplayCommand.self, PlotCommand.self, CalibrateCommand.self,
      PracticeCommand.self, DoctorCommand.self, CheckCommand.self, ConfigCommand.self,
      PerformCommand.self, BindCommand.self, ClickCommand.self, PadCommand.self, PenCommand.self,
      WebCommand.self,
    ])

  static func main() {
    ProgramStart.openStandardDescriptors()
    ProgramStart.ignoreBrokenPipes()
    ProgramStart.checkArguments()
    // Not where the error is known, which would not be released.
    let status = runCommand()
    if status != 0 { Glibc.exit(status) }
  }

  private static func runCommand() -> Int32 {
    let words = CommandLine.arguments.dropFirst()
    if let failure = unknownVerb(in: words) ?? removedOption(in: words) {
      Log.error(failure)
      return ExitError.Status.usage.rawValue
    }
    do {
      var command = try parseAsRoot(joiningNegativeNumbers(words))
      try command.run()
      return 0
    } catch let error as ExitError {
      for sentence in error.sentences { Log.error(sentence) }
      return error.status
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      let message = brief(fullMessage(for: error))
      DescriptorWriter.writeAll(message + "\n", to: STDERR_FILENO)
      return ExitError.Status.usage.rawValue
    }
  }

  /// Joins an option and the negative number after it, which the argument parser would take for an option.
  static func joiningNegativeNumbers(_ words: some Sequence<String>) -> [String] {
    words.reduce(into: []) { joined, word in
      let isNumber = word.hasPrefix("-") && Double(word) != nil
      if isNumber, let last = joined.last, last.hasPrefix("--"), last != "--",
        !last.utf8.contains(UInt8(ascii: "=")), !joined.contains("--")
      {
        joined[joined.count - 1] += "=" + word
      } else {
        joined.append(word)
      }
    }
  }

  private static let removedOptions: [String: [String: String]] = {
    let socket = ["--config": "--socket, or $PRESSURED_SOCKET"]
    let settings = ["--config": "the configuration in its usual place"]
    let daemon = ["--config": "--socket, or the configuration in its usual place"]
    let node = ["--device": "the node alone"]
    let state = ["--state": "$STATE_DIRECTORY", "--weigh": "--calibration"]
    let warnings = ["--strict": "the warnings on standard error"]
    let force = ["--force": "another file, or remove it first"]
    let frames = ["--frames": "--seconds, or Ctrl-C"]
    let forbid = ["--forbid-keys": "--forbid", "--forbid-pulses": "--forbid"]
    return [
      "bind": socket.merging(forbid) { $1 }, "perform": socket,
      "calibrate": socket.merging(["--thorough": "--check WEIGHT afterwards"]) { $1 },
      "devices": settings.merging(["--pressure": "devices alone"]) { $1 },
      "weigh": settings.merging(force) { $1 },
      "record": settings.merging(node) { $1 }.merging(force) { $1 }.merging(frames) { $1 },
      "practice": node.merging(force) { $1 }.merging(settings) { $1 },
      "doctor": daemon.merging(["--state": "$STATE_DIRECTORY"]) { $1 },
      "plot": state.merging(warnings) { $1 }.merging(force) { $1 },
      "watch": daemon, "web": daemon,
      "replay": warnings.merging(["--calibration": "run --replay with --state"]) { $1 },
      "pen": settings.merging(["--left-handed": "--rotate 180", "--absolute": "--area all"]) { $1 },
    ]
  }()

  private static func removedOption(in words: ArraySlice<String>) -> String? {
    guard let verb = words.first, let options = removedOptions[verb] else { return nil }
    for word in words.prefix(while: { $0 != "--" }) {
      let option = String(word.prefix { $0 != "=" })
      if let successor = options[option] {
        return "\(verb) has no \(option) any more; use \(successor)"
      }
    }
    return nil
  }

  /// A message of the argument parser without the list of all options, which `--help` prints.
  private static func brief(_ message: String) -> String {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    guard let begin = lines.firstIndex(where: { $0.hasPrefix("Usage:") }),
      let end = lines[begin...].firstIndex(where: { $0.hasPrefix("  See ") })
    else { return message }
    return (lines[..<begin] + lines[end...]).joined(separator: "\n")
  }

  /// The message for an unknown verb, also after `help`; nil if the verb is known.
  ///
  /// The argument parser would print the whole help, or complain about an argument.
  private static func unknownVerb(in words: ArraySlice<String>) -> String? {
    let configurations = configuration.subcommands.map { $0.configuration }
    let verbs = configurations.filter(\.shouldDisplay).compactMap(\.commandName)
    let word = words.first == "help" ? words.dropFirst().first : words.first
    guard let word, !word.hasPrefix("-"), word != "help",
      !configurations.contains(where: { $0.commandName == word })
    else { return nil }
    return "unknown verb \(word.quoted); \(word.advice(among: verbs))"
  }
}

extension String {
  /// What to use instead of this unknown name: the nearest of those that exist, or all of them.
  func advice(among known: [String]) -> String {
    if let nearest = nearest(among: known) { return "did you mean \(nearest.quoted)?" }
    let names = known.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return names.isEmpty ? "none are defined" : "there are \(names.joined(separator: ", "))"
  }
}

extension ConfigurationErrors: ExitReason {
  var exitError: ExitError { ExitError(sentences: sentences, status: status) }
}
