internal import ArgumentParser
internal import Glibc
internal import PressureLoop
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal
internal import PressureDesktop

struct WebCommand: ParsableCommand {
  /// How long a page of a kiosk may take to load again, in microseconds.
  private static let reloadTime: Int64 = 3_000_000

  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Show touches, the scale, presses and actions on a page in the browser.",
    discussion: """
      Serves the page on 127.0.0.1, prints its address and opens it in the browser of the desktop. The address contains a token: \
      only browsers of this user that were opened with it may read and weigh. It ends with Ctrl-C, or a minute after the last \
      page was closed. If no daemon runs, it reads the devices itself. With --kiosk, $BROWSER may contain a browser and its options.

      Example: pressured web --replay touchpad.evemu --loop
      """)

  @Flag(help: "Show one view without controls, for an exhibit; open a closed page again.")
  var kiosk = false

  @Option("Serve the page in this folder.", value: "folder", completion: .directory)
  var page: String?

  @OptionGroup var sourceOptions: SourceOptions

  func validate() throws {
    if let page, access(page + "/index.html", R_OK) != 0 {
      throw ValidationError("\(page) has no index.html that can be read")
    }
  }

  func run() throws(ExitError) {
    let daemon = try sourceOptions.privateDaemon(endsWithRecording: false)
    let path = daemon?.path ?? sourceOptions.socketOptions.path
    let failure = try SystemError.orExit(.internalError, try serve(path, daemon))
    if let failure { throw failure }
  }

  /// Serves until the end; returns the error of a private daemon that has ended.
  private func serve(_ path: String?, _ daemon: PrivateDaemon?) throws(SystemError) -> ExitError? {
    let events = try EventLoop()
    var signals = try events.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in events.stop() }
    var failure: ExitError?
    let endWithDaemon = {
      // Its pages could not connect again: no other daemon will listen on its socket.
      guard let daemon, daemon.hasExited else { return }
      failure = daemon.end(after: ExitError("the private daemon has exited", .noDaemon))
      events.stop()
    }
    signals += try events.onSignals([SIGCHLD]) { _ in endWithDaemon() }
    var openPage = {}
    let server = try WebServer(
      loop: events, folder: page,
      idleTime: kiosk ? WebCommand.reloadTime : WebServer.longestPause,
      daemonPaths: { SocketPath.forClients(named: path) },
      onIdle: { if kiosk { openPage() } else { events.stop() } })
    let address = server.address + (kiosk ? "#kiosk" : "")
    var browser: pid_t?
    var isEnding = false
    openPage = { [unowned server] in
      if let running = browser, waitpid(running, nil, WNOHANG) == 0 {
        // A browser without the page may show its failure, or not respond, then neither to a signal that it can handle.
        kill(-running, isEnding ? SIGKILL : SIGTERM)
        isEnding = true
        return server.awaitPage(for: WebCommand.reloadTime)
      }
      (browser, isEnding) = (open(address), false)
      if kiosk { server.awaitPage(for: WebServer.longestPause) }
    }
    StandardOutput.print(address)
    openPage()
    endWithDaemon()
    _ = try withExtendedLifetime((server, signals)) { () throws(SystemError) in try events.run() }
    // It would cover the screen with a page that has no server.
    if kiosk, let browser, waitpid(browser, nil, WNOHANG) == 0 { kill(-browser, SIGTERM) }
    return failure
  }

  /// Opens an address in a browser, if there is a desktop; returns the process that was started.
  private func open(_ address: String) -> pid_t? {
    guard ["WAYLAND_DISPLAY", "DISPLAY"].contains(where: { Environment.value($0) != nil }) else {
      return nil
    }
    // Others may write several browsers, or %s for the address, into the variable; xdg-open reads both.
    let words = Environment.value("BROWSER")?.split(separator: " ").map(String.init) ?? []
    let isList = words.first?.includes(":") == true || words.contains { $0.includes("%s") }
    for program in [isList || !kiosk ? [] : words, ["xdg-open"]] where !program.isEmpty {
      do throws(SystemError) {
        return try Spawn(words: program + [address]).start()
      } catch {
        Log.info(error.sentence)
      }
    }
    Log.info("open the address in a browser")
    return nil
  }
}
