internal import ArgumentParser
internal import PressureBindings
internal import PressureKit
internal import PressureLoop
internal import PressureSettings
internal import PressureSystem

/// `pressured bind`: does what the user's file says for presses and actions.
struct BindCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bind",
    abstract: "Run commands and press keys when something is pressed hard.",
    discussion: """
      Reads bindings.yaml in the folder pressured of $XDG_CONFIG_HOME or ~/.config, and again on SIGHUP.

      Example: pressured bind --bindings docs/examples/bindings.yaml
      """)

  @Option(
    help: ArgumentHelp("Read the bindings from this file.", valueName: "file"),
    completion: .settings)
  var bindings: String?

  @Flag(help: "Say of each press which bindings it fires, and why it does not fire the others.")
  var explain = false

  @OptionGroup var socketOptions: SocketOptions
  @OptionGroup var configurationOptions: ConfigurationOptions

  func run() throws {
    try ending { () throws(ExitError) in
      let file = try file()
      let bindings: Bindings
      do throws(ConfigurationErrors) {
        bindings = try BindingsFile.read(path: file)
      } catch .missing {
        throw ExitError(
          "\(file): there is no such file; docs/force-click.md has one to begin with", .noInput)
      } catch {
        throw ExitError(error)
      }
      try bind(bindings, of: file)
    }
  }

  private func file() throws(ExitError) -> String {
    let variables = Environment.values(ConfigurationLocation.variables)
    guard let file = BindingsFile.path(named: bindings, environment: variables) else {
      throw ExitError(
        "there is no $HOME to look for bindings in; say where with --bindings", .usage)
    }
    return file
  }

  private func bind(_ bindings: Bindings, of file: String) throws(ExitError) {
    do throws(SystemError) {
      let loop = try EventLoop()
      let binder = try Binder(
        loop: loop, socket: socketOptions.path(configurationOptions), bindings: bindings,
        file: file, explains: explain
      )
      _ = try withExtendedLifetime(binder) { () throws(SystemError) in try loop.run() }
    } catch {
      throw ExitError(error.sentence, .internalError)
    }
  }
}
