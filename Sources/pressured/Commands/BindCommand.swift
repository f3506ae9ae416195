internal import ArgumentParser
internal import Glibc
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

  @Flag(help: "Revoke --allow-keys; requires root.")
  var forbidKeys = false

  @Flag(help: "Log for each press which bindings it fires, and why the others do not match.")
  var explain = false

  @OptionGroup var socketOptions: SocketOptions

  func run() throws {
    try reportingErrors { () throws(ExitError) in
      if allowKeys || forbidKeys { return try UinputAccess.set(isAllowed: allowKeys) }
      let file = try file()
      if let word = self.`init` {
        return try BindSetup(file: file, socket: socketOptions).run(try BindSetup.choice(word))
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
      try bind(bindings, of: file)
    }
  }

  private func file() throws(ExitError) -> String {
    let variables = Environment.values(ConfigurationLocation.variables)
    guard let file = BindingsFile.path(named: bindings, environment: variables) else {
      throw ExitError(
        "no path for the bindings: $HOME is not set; name the file with --bindings", .usage)
    }
    return file
  }

  private func bind(_ bindings: Bindings, of file: String) throws(ExitError) {
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

extension UinputAccess {
  /// The rule of udev, its file, and what its presence means.
  private static let rule =
    #"KERNEL=="uinput", SUBSYSTEM=="misc", TAG+="uaccess", OPTIONS+="static_node=uinput""#
  private static let file = "/etc/udev/rules.d/70-pressured-uinput.rules"

  /// Gives the user at the machine access to /dev/uinput, or takes it away again; requires root.
  static func set(isAllowed: Bool) throws(ExitError) {
    guard geteuid() == 0 else {
      throw ExitError(
        "only root can do that; run: sudo pressured bind \(isAllowed ? "--allow-keys" : "--forbid-keys")",
        .permissionDenied)
    }
    if isAllowed {
      try SystemError.orExit(.cannotCreate, try AtomicFile.write(Array("\(rule)\n".utf8), to: file))
      _ = UnitFinding.run(["modprobe", "uinput"])
    } else if unlink(file) != 0, errno != ENOENT {
      throw ExitError(SystemError(attempt: "remove \(file)", number: errno).sentence, .cannotCreate)
    }
    let isInForce =
      UnitFinding.run(["udevadm", "control", "--reload"]) != nil
      && UnitFinding.run(["udevadm", "trigger", "--settle", "--action=change", "/dev/uinput"])
        != nil
    let when = isInForce ? "" : " after the next start of the machine"
    print(
      isAllowed
        ? "Programs of the user at the machine may press keys\(when): any of them may type and click as this user."
        : "Programs may no longer press keys\(when).")
  }
}
