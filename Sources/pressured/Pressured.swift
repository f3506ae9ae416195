internal import ArgumentParser
internal import Glibc
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// What begins the program.
@main
enum Main {
  static func main() {
    ProgramStart.openStandardDescriptors()
    ProgramStart.checkArguments()
    Pressured.main()
  }
}

/// Force touch for Linux.
struct Pressured: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pressured",
    abstract: "Says how hard touchpads and touchscreens are pressed, on a Unix socket.",
    version: Version.current,
    subcommands: [
      RunCommand.self, DevicesCommand.self, WatchCommand.self, WeighCommand.self,
      RecordCommand.self, ReplayCommand.self, PlotCommand.self, CalibrateCommand.self,
      DoctorCommand.self,
      CheckCommand.self, PerformCommand.self, BindCommand.self,
    ])

  static func main() {
    if let failure = unknownVerb(in: CommandLine.arguments.dropFirst()) {
      Log.error(failure)
      Glibc.exit(ExitError.Status.usage.rawValue)
    }
    main(nil)
  }

  /// What to say where the first word is no verb, or help is asked for one that is none: the library would show
  /// the help of all, or name an argument.
  private static func unknownVerb(in words: ArraySlice<String>) -> String? {
    let verbs = configuration.subcommands.compactMap { $0.configuration.commandName }
    let word = words.first == "help" ? words.dropFirst().first : words.first
    guard let word, !word.hasPrefix("-"), !(verbs + ["help"]).contains(word) else { return nil }
    let advice =
      word.nearest(among: verbs).map { "did you mean \($0.quoted)?" }
      ?? "there are \(verbs.joined(separator: ", "))"
    return "there is no verb \(word.quoted); \(advice)"
  }
}
