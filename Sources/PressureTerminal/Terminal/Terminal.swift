internal import CLinux
internal import CTerminal
internal import Glibc
package import PressureLoop
package import PressureSystem

/// The terminal, drawn on at most sixty times a second and only where something is to be said.
///
///                  suspend                  come back
///     drawn on ──────────────▶ as it was ──────────────▶ drawn on, and all is drawn anew
///        │
///        └── stop, `exit`, a crash ──▶ as it was
///
/// It is opened anew, so that what waits here for a slow line does not hang whoever shares our standard output.
package final class Terminal {
  /// What the owner hears.
  package enum News {
    /// A key.
    case key(Key)
    /// Somebody wants the program to end, or the terminal is gone.
    case end
  }

  /// Microseconds between two pictures: more than sixty a second nobody sees.
  static let interval: Int64 = 16_667

  /// Microseconds in which a sequence that ESC begins goes on.
  private static let escapePatience: Int64 = 50_000

  /// How much is read at once.
  private static let readSize = 4096

  /// The largest picture: as many cells as a screen of 8 K has with a font of 8 by 16 pixels.
  static let largest = TerminalSize(columns: 960, rows: 270)

  let glyphs: Glyphs
  let depth: ColorDepth
  package private(set) var size = TerminalSize(columns: 0, rows: 0)

  private let loop: EventLoop
  private let file: Descriptor
  private let paint: (TerminalSize) -> Canvas
  private let body: (News) -> Void
  private var screen: Screen
  private var keys = KeyReader()
  private var unsent: [UInt8] = []
  private var isPictureDue = false
  private var nextPicture: Int64 = 0
  private var source: EventSource?
  private var signals: [EventSource] = []
  private var pictureTimer: EventSource?
  private var escapeTimer: EventSource?

  /// Takes the terminal over; it is left as it was when the object goes, or the program does.
  ///
  /// - Parameters:
  ///   - loop: who wakes it.
  ///   - paint: makes the picture when it is time for one.
  ///   - body: hears keys.
  /// - Throws: why it cannot be drawn on.
  package init(
    loop: EventLoop, paint: @escaping (TerminalSize) -> Canvas, body: @escaping (News) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.paint = paint
    self.body = body
    let environment = Environment.values(ColorDepth.variables)
    depth = ColorDepth(environment: environment)
    screen = Screen(depth: depth)
    glyphs = Glyphs.ofLocale(terminal: environment["TERM"] ?? "dumb")
    file = Descriptor(try Terminal.open())
    try watch()
    try keep()
    enter()
  }

  deinit {
    pressured_terminal_leave()
  }

  /// Whether standard output is a terminal on which one can draw, and not only write.
  package static var isThere: Bool {
    isatty(STDOUT_FILENO) == 1 && !["", "dumb"].contains(Environment.value("TERM") ?? "")
  }

  private static func open() throws(SystemError) -> Int32 {
    let way = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    // Where its file system is not mounted, as in some containers, it has no name, or the name of another.
    let names = [ttyname(STDOUT_FILENO).map { String(cString: $0) }, "/proc/self/fd/1"]
    for name in names.compactMap(\.self) {
      let file = Glibc.open(name, way)
      if file >= 0 { return file }
    }
    return try SystemError.checkErrno(
      fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "open the terminal")
  }
}

// MARK: - Pictures

extension Terminal {
  /// Something has changed that the picture shows: there will be a new one as soon as one may be.
  func needsPicture() {
    isPictureDue = true
    schedule()
  }

  /// Draws all anew, as somebody else may have written on the terminal.
  func redraw() {
    screen.forget()
    needsPicture()
  }

  private func schedule() {
    // What the terminal has not taken yet comes first; then the newest picture, and none between.
    guard isPictureDue, unsent.isEmpty else { return }
    pictureTimer?.set(to: max(nextPicture, loop.now))
  }

  private func draw() {
    isPictureDue = false
    nextPicture = loop.now + Terminal.interval
    send(screen.show(paint(size)))
  }

  private func send(_ text: String) {
    unsent.append(contentsOf: text.utf8)
    flush()
  }

  private func flush() {
    while !unsent.isEmpty {
      let count = write(file.number, unsent, unsent.count)
      if count >= 0 {
        unsent.removeFirst(count)
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        unsent = []
        body(.end)
      }
    }
    source?.watch(for: unsent.isEmpty ? .reading : [.reading, .writing])
  }
}

// MARK: - How it is taken over, and left

extension Terminal {
  /// The other screen, no cursor, and no new line at the right edge.
  private static let entrance = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"

  /// The same undone, whatever was being sent.
  private static let exit = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  private func keep() throws(SystemError) {
    let bytes = Array(Terminal.exit.utf8CString.dropLast())
    try SystemError.checkErrno(
      pressured_terminal_keep(file.number, bytes, bytes.count), "set the terminal")
  }

  /// Keys come one by one and are not written; those that make signals still do.
  private func enter() {
    var settings = termios()
    tcgetattr(file.number, &settings)
    settings.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON)
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    tcsetattr(file.number, TCSANOW, &settings)
    screen.forget()
    measure()
    send(Terminal.entrance)
    needsPicture()
  }

  private func measure() {
    var window = winsize()
    guard pressured_terminal_size(file.number, &window) == 0, window.ws_col > 0, window.ws_row > 0
    else {
      // A serial line does not say; this is what all programs take it for.
      size = TerminalSize(columns: 80, rows: 24)
      return
    }
    // What lies beyond is left blank: a picture of all that a window may claim to be would fill the memory.
    size = TerminalSize(
      columns: min(Int(window.ws_col), Terminal.largest.columns),
      rows: min(Int(window.ws_row), Terminal.largest.rows))
  }

  /// Leaves the terminal as it was, stops, and goes on from there when the shell says so.
  private func suspend() {
    unsent = []
    pressured_terminal_leave()
    var suspension = sigset_t()
    sigemptyset(&suspension)
    sigaddset(&suspension, SIGTSTP)
    raise(SIGTSTP)
    // It was blocked for the loop's sake; here the program stops.
    sigprocmask(SIG_UNBLOCK, &suspension, nil)
    sigprocmask(SIG_BLOCK, &suspension, nil)
    do throws(SystemError) {
      try keep()
      enter()
    } catch {
      body(.end)
    }
  }
}

// MARK: - What wakes us

extension Terminal {
  private func watch() throws(SystemError) {
    pictureTimer = try loop.timer { [weak self] in self?.draw() }
    escapeTimer = try loop.timer { [weak self] in self?.finishKey() }
    source = try loop.watch(file.number, for: .reading) { [weak self] in self?.converse($0) }
    try on(SIGWINCH) { $0.resize() }
    try on(SIGTSTP) { $0.suspend() }
    // Whoever stopped us otherwise may have left the terminal in any state.
    try on(SIGCONT) { $0.enter() }
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { try on(number) { $0.body(.end) } }
  }

  private func on(_ number: Int32, _ deed: @escaping (Terminal) -> Void) throws(SystemError) {
    signals.append(
      try loop.onSignal(number) { [weak self] in
        if let self { deed(self) }
      })
  }

  private func resize() {
    measure()
    needsPicture()
  }

  private func converse(_ readiness: Readiness) {
    if readiness.contains(.writing) {
      flush()
      schedule()
    }
    if readiness.contains(.reading) { readKeys() } else if readiness.contains(.gone) { body(.end) }
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
      return body(.end)
    }
    escapeTimer?.set(to: keys.isWaiting ? loop.now + Terminal.escapePatience : nil)
    for key in pressed { body(.key(key)) }
  }

  private func finishKey() {
    if let key = keys.finish() { body(.key(key)) }
  }
}
