internal import ArgumentParser
internal import PressureDesktop
internal import PressureLoop
internal import PressureSettings
internal import PressureSystem

struct BindCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bind", abstract: "Run commands and press keys on presses and quick actions.",
    discussion: """
      Reads pressured/bindings.yaml in $XDG_CONFIG_HOME or ~/.config, and reads it again on SIGHUP.

      How hard a force click is follows from your clicks, and from the daemon's configuration: \
      press: { feel: light }, medium or firm. pressured practice finds the feel for your hand.

      Example: pressured bind --bindings bindings.yaml --explain
      """)

  @Option("Read the bindings from this file.", value: "file", completion: .settings)
  var bindings: String?

  @Option(
    defaultAsFlag: "",
    help: ArgumentHelp(
      "Set up a hard press, after a question or as: \(HardPress.list).", valueName: "effect"))
  var `init`: String?

  @Flag(help: "Let programs of the user at the machine press keys; requires root.")
  var allowKeys = false

  @Flag(
    help: "Have the daemon play a pulse at a hard press, on pads that play effects; requires root.")
  var allowPulses = false

  @Flag(help: "Revoke --allow-keys and --allow-pulses; requires root.")
  var forbid = false

  @Flag(help: "Log for each press which bindings it fires, and why the others do not match.")
  var explain = false

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    guard !forbid || !(allowKeys || allowPulses) else {
      throw ValidationError("--forbid revokes both; it excludes --allow-keys and --allow-pulses")
    }
  }

  func run() throws(ExitError) {
    let chosen = [
      (Grant.keys, forbid || allowKeys, "--allow-keys"),
      (.pulses, forbid ? Grant.pulses.isInstalled : allowPulses, "--allow-pulses"),
    ].filter { $0.1 }
    let words = forbid ? ["--forbid"] : chosen.map(\.2)
    for (grant, _, _) in chosen {
      try grant.set(!forbid, by: "bind " + words.joined(separator: " "))
    }
    guard chosen.isEmpty else { return }
    let variables = Environment.values(ConfigurationLocation.variables)
    guard let file = BindingsFile.path(named: bindings, environment: variables) else {
      throw ExitError(
        "no path for the bindings: $HOME is not set; name the file with --bindings", .usage)
    }
    if let word = self.`init` {
      return try BindSetup(file: file, socket: socketOptions).run(
        try BindSetup.choice(word), asks: word.isEmpty)
    }
    let bindings: Bindings
    do throws(ConfigurationErrors) {
      bindings = try BindingsFile.read(path: file)
    } catch .missing {
      throw ExitError(
        "\(file): there is no such file; to begin with, run: pressured bind --init", .noInput)
    } catch {
      throw error.exitError
    }
    do throws(SystemError) {
      let loop = try EventLoop()
      let binder = try Binder(
        loop: loop, socket: socketOptions.path, bindings: bindings, file: file, explains: explain)
      _ = try withExtendedLifetime(binder) { () throws(SystemError) in try loop.run() }
    } catch {
      throw ExitError(error.sentence, .internalError)
    }
  }
}
