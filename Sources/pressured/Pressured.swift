internal import ArgumentParser
internal import Glibc
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

  /// What replaces options of earlier versions, and the verbs that had them.
  private static let removedOptions: [(option: String, successor: String, verbs: [String])] = [
    ("--config", "--socket, or $PRESSURED_SOCKET", ["bind", "perform", "calibrate"]),
    (
      "--config", "the configuration in its usual place",
      ["devices", "weigh", "record", "practice", "pen"]
    ),
    ("--config", "--socket, or the configuration in its usual place", ["doctor", "watch", "web"]),
    ("--device", "the node alone", ["record", "practice"]),
    ("--state", "$STATE_DIRECTORY", ["plot", "doctor"]), ("--weigh", "--calibration", ["plot"]),
    ("--strict", "the warnings on standard error", ["plot", "replay"]),
    ("--force", "another file, or remove it first", ["weigh", "record", "practice", "plot"]),
    ("--frames", "--seconds, or Ctrl-C", ["record"]), ("--forbid-keys", "--forbid", ["bind"]),
    ("--forbid-pulses", "--forbid", ["bind"]), ("--pressure", "devices alone", ["devices"]),
    ("--thorough", "--check WEIGHT afterwards", ["calibrate"]),
    ("--calibration", "run --replay with --state", ["replay"]),
    ("--left-handed", "--rotate 180", ["pen"]), ("--absolute", "--area all", ["pen"]),
  ]

  private static func removedOption(in words: ArraySlice<String>) -> String? {
    guard let verb = words.first else { return nil }
    for word in words.prefix(while: { $0 != "--" }) {
      let option = word.prefix { $0 != "=" }
      let removed = removedOptions.first { $0.option == option && $0.verbs.contains(verb) }
      if let removed { return "\(verb) has no \(option) any more; use \(removed.successor)" }
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
