internal import CTerminal
internal import Glibc
internal import PressureLoop
internal import PressureSystem

/// The terminal as a full-screen display, redrawn at most sixty times a second and only where it changes.
///
///                  suspend                  resume
///     drawing ──────────────▶ restored ──────────────▶ drawing, with a complete redraw
///        │
///        └── stop, `exit`, a crash ──▶ restored
///
/// The terminal device is opened again in nonblocking mode, because O_NONBLOCK on the shared standard output would
/// affect the other processes that write to it.
package final class Terminal {
  /// The minimum interval between two frames, in microseconds: 60 frames per second.
  static let interval: Int64 = 16_667

  /// How long the rest of an escape sequence may take after ESC, in microseconds.
  private static let escapeTimeout: Int64 = 50_000

  private static let readSize = 4096

  let glyphs: Glyphs
  let depth: ColorDepth
  private(set) var size = TerminalSize(columns: 0, rows: 0)

  private let loop: EventLoop
  private let file: Descriptor
  private let paint: (Terminal) -> Canvas?
  private let keyPressed: (Key) -> Void
  private let end: () -> Void
  private var screen: Screen
  private var keys = KeyReader()
  private var unsent: [UInt8] = []
  private var isFrameDue = false
  private var nextFrame: Int64 = 0
  private var source: EventSource?
  private var signals: [EventSource] = []
  private var frameTimer: EventSource?
  private var escapeTimer: EventSource?

  /// Switches the terminal to full-screen mode until the object is deallocated or the program ends.
  ///
  /// Without `canStop` Ctrl-Z is an end, for a process that holds something meanwhile. An end, also by a key, a signal
  /// or because the terminal is closed, stops the loop unless there is a closure for it.
  init(
    loop: EventLoop, canStop: Bool = true, end: (() -> Void)? = nil,
    paint: @escaping (Terminal) -> Canvas?, keyPressed: @escaping (Key) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.paint = paint
    self.keyPressed = keyPressed
    self.end = end ?? { loop.stop() }
    let environment = Environment.values(ColorDepth.variables)
    depth = ColorDepth(environment: environment)
    screen = Screen(depth: depth)
    // Activates the locale of the environment.
    setlocale(LC_CTYPE, "")
    let codeset = String(cString: nl_langinfo(Int32(CODESET)))
    glyphs = Glyphs(codeset: codeset, terminal: environment["TERM"] ?? "dumb")
    file = Descriptor(try Terminal.open())
    try watch(canStop: canStop)
    try keep()
    enter()
  }

  deinit { pressured_terminal_leave() }

  /// Whether standard output is a terminal with cursor control.
  package static var isInteractive: Bool {
    isatty(STDOUT_FILENO) == 1 && !["", "dumb"].contains(Environment.value("TERM") ?? "")
  }

  private static func open() throws(SystemError) -> Int32 {
    // Not by its name: in some containers the file system of the terminal is not mounted.
    let file = Glibc.open("/proc/self/fd/1", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    if file >= 0 { return file }
    return try SystemError.checkErrno(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "open the terminal")
  }

  // MARK: - Drawing

  func setNeedsDisplay() {
    isFrameDue = true
    schedule()
  }

  private func schedule() {
    // While the terminal has unsent output, frames are skipped; only the newest follows it.
    guard isFrameDue, unsent.isEmpty else { return }
    frameTimer?.set(to: max(nextFrame, loop.now))
  }

  private func draw() {
    isFrameDue = false
    nextFrame = loop.now + Terminal.interval
    if let canvas = paint(self) { send(screen.show(canvas)) }
  }

  private func send(_ text: String) {
    unsent.append(contentsOf: text.utf8)
    flush()
  }

  private func flush() {
    if DescriptorWriter.flush(&unsent, to: file.number) != 0 {
      unsent = []
      end()
    }
    source?.watch(for: unsent.isEmpty ? .reading : [.reading, .writing])
  }

  // MARK: - Entering and leaving full-screen mode

  /// Selects the alternate screen, hides the cursor and disables line wrapping.
  private static let enterSequence = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"

  /// Undoes `enterSequence`, also in the middle of a frame.
  private static let exitSequence = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  private func keep() throws(SystemError) {
    let bytes = Array(Terminal.exitSequence.utf8CString.dropLast())
    try SystemError.checkErrno(
      pressured_terminal_keep(file.number, bytes, bytes.count), "configure the terminal")
  }

  /// Disables echo and line editing; keys that send signals still do.
  private func enter() {
    var settings = termios()
    tcgetattr(file.number, &settings)
    settings.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON)
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    tcsetattr(file.number, TCSANOW, &settings)
    screen.invalidate()
    size = TerminalSize(of: file.number)
    send(Terminal.enterSequence)
    setNeedsDisplay()
  }

  /// Restores the terminal, stops the process, and continues after SIGCONT.
  private func suspend() {
    unsent = []
    pressured_terminal_leave()
    var suspension = sigset_t()
    sigemptyset(&suspension)
    sigaddset(&suspension, SIGTSTP)
    raise(SIGTSTP)
    // The event loop blocks SIGTSTP; unblocking it stops the process here.
    sigprocmask(SIG_UNBLOCK, &suspension, nil)
    sigprocmask(SIG_BLOCK, &suspension, nil)
    do throws(SystemError) {
      try keep()
      enter()
    } catch {
      end()
    }
  }

  // MARK: - Events

  private func watch(canStop: Bool) throws(SystemError) {
    frameTimer = try loop.timer { [weak self] in self?.draw() }
    escapeTimer = try loop.timer { [weak self] in
      if let self, let key = self.keys.finish() { self.handle(key) }
    }
    source = try loop.watch(file.number, for: .reading) { [weak self] in self?.transfer($0) }
    try on(SIGWINCH) {
      $0.size = TerminalSize(of: $0.file.number)
      $0.setNeedsDisplay()
    }
    try on(SIGTSTP) { canStop ? $0.suspend() : $0.end() }
    // After SIGSTOP the terminal may be in any state.
    try on(SIGCONT) { $0.enter() }
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { try on(number) { $0.end() } }
  }

  private func on(_ number: Int32, _ action: @escaping (Terminal) -> Void) throws(SystemError) {
    signals += try loop.onSignals([number]) { [weak self] _ in if let self { action(self) } }
  }

  private func transfer(_ readiness: Readiness) {
    if readiness.contains(.writing) {
      flush()
      schedule()
    }
    if readiness.contains(.reading) { readKeys() } else if readiness.isGone { end() }
  }

  private func readKeys() {
    var pressed: [Key] = []
    var count = 0
    withUnsafeTemporaryAllocation(byteCount: Terminal.readSize, alignment: 1) { buffer in
      count = read(file.number, buffer.baseAddress, buffer.count)
      pressed = keys.read(buffer.prefix(max(count, 0)))
    }
    guard count > 0 || (count < 0 && [EAGAIN, EINTR].contains(errno)) else {
      source = nil
      return end()
    }
    escapeTimer?.set(to: keys.isWaiting ? loop.now + Terminal.escapeTimeout : nil)
    pressed.forEach(handle)
  }

  private func handle(_ key: Key) {
    switch key {
    case .character("q"), .control("c"), .control("d"): end()
    case .control("l"):
      screen.invalidate()
      setNeedsDisplay()
    default: keyPressed(key)
    }
  }
}
