internal import ArgumentParser
internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureRecordings
internal import PressureSystem

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record touches in a file, for replay, plot and bug reports.",
    discussion: """
      The file name extension selects the format: .evemu or .events for evemu, .yml or .yaml for \
      libinput record. Ctrl-C ends the recording.

      Only touch is recorded: its axes, its buttons and the clicks of a pad, but no other keys of the \
      device, no serial number and no physical location. Finger positions on a touchscreen can still \
      reveal what was typed on an on-screen keyboard.

      Example: pressured record --seconds 10 -o recording.evemu
      """)

  @OptionGroup var nodeOptions: NodeOptions

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write this file.", valueName: "file"),
    completion: .newRecording)
  var output: String

  @Option(help: ArgumentHelp("Stop after this many seconds.", valueName: "number"))
  var seconds: Double?

  @Option(help: ArgumentHelp("Stop after this many frames.", valueName: "number"))
  var frames: Int?

  @Flag(help: "Overwrite an existing file.")
  var force = false

  /// The greatest value of `--seconds`: a month of 31 days.
  private static let maxSeconds = 2_678_400.0

  func validate() throws {
    guard RecordingFormat.writer(for: output) != nil else {
      throw ValidationError("the file name \(output) must end in .evemu, .events, .yml or .yaml")
    }
    if let seconds, !(seconds > 0 && seconds <= Self.maxSeconds) {
      throw ValidationError(
        "--seconds must be above 0 and at most \(Int(Self.maxSeconds)), not \(seconds)")
    }
    if let frames, frames < 1 {
      throw ValidationError("--frames must be 1 or more, not \(frames)")
    }
  }

  func run() throws {
    try reportingErrors { () throws(ExitError) in
      guard let writer = RecordingFormat.writer(for: output) else { return }
      let device = try nodeOptions.open(try ConfigurationOptions.read())
      let file = try SystemError.orExit(
        making: output, advice: "use --force to overwrite it",
        try RecordedFile(path: output, replaces: force))
      let recorder = try SystemError.orExit(.cannotCreate, try Recorder(device, writer, file))
      let summary = try SystemError.orExit(
        .cannotCreate, try recorder.record(seconds: seconds, frames: frames))
      Log.info("\(output): \(summary)")
      guard recorder.frames > 0 else {
        throw ExitError(
          "nothing touched \(device.node); pressured devices lists the other devices", .timedOut)
      }
    }
  }
}

/// Records the events of a device in a file.
///
///     initial state ──▶ frames, as the device wakes the loop ──▶ Ctrl-C, a limit, an error,
///                                                                removal of the device
///
/// Each frame is one write, so that the file always ends with a complete frame.
final class Recorder {
  /// The interval at which a terminal shows the count, in microseconds.
  private static let countInterval: Int64 = 100_000

  private let device: EvdevDevice
  private let writer: any RecordingWriter
  private let file: RecordedFile
  private let loop: EventLoop
  private let isShown = isatty(STDERR_FILENO) == 1

  private var batch = InputBatch()
  private var frame = RecordedFrame(events: [])

  /// The times at which the device was opened, of the last event, and of the last event written.
  private let origin: Timestamp
  private var latest: Timestamp
  private var end: Timestamp

  /// The number of frames after the initial state.
  private(set) var frames = 0
  private var limit = Int.max

  private var error: SystemError?
  private var ending = ""

  private var sources: [EventSource?] = []
  private var counter: EventSource?
  private var isCounting = false

  init(
    _ device: EvdevDevice, _ writer: any RecordingWriter, _ file: RecordedFile
  ) throws(SystemError) {
    self.device = device
    self.writer = writer
    self.file = file
    loop = try EventLoop()
    (origin, latest, end) = (device.openedAt, device.openedAt, device.openedAt)
  }

  /// Records until a signal arrives, a limit is reached or the device is removed; returns a summary.
  func record(seconds: Double?, frames: Int?) throws(SystemError) -> String {
    limit = frames ?? .max
    do throws(SystemError) {
      // Signals first: from here on the file is never left in the middle of a frame.
      try watch(seconds)
      try begin()
    } catch {
      // Without the description of the device, the file is not a recording.
      file.discard()
      throw error
    }
    Log.info("recording \(device.node), \(device.description.name), to \(file.path)")
    _ = try loop.run()
    sources = []
    hideCount()
    if let error {
      throw SystemError(
        attempt: "\(error.attempt) completely; it contains \(summary)", number: error.number)
    }
    try file.finish()
    return ending + summary
  }

  private func begin() throws(SystemError) {
    try file.append(writer.header(of: device.description.touchOnly, at: device.node))
    frame.comment = "The initial state of the device."
    for event in device.stateEvents { append(event) }
    guard let error else { return frames = 0 }
    throw error
  }

  private func watch(_ seconds: Double?) throws(SystemError) {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      sources.append(try loop.onSignal(number) { [unowned self] in loop.stop() })
    }
    sources.append(try loop.watch(device.descriptor, for: .reading) { [unowned self] _ in read() })
    sources.append(
      loop.watchReader(of: file.descriptor) { [unowned self] in
        ending = "its reader has left; "
        loop.stop()
      })
    if let seconds {
      let timer = try loop.timer { [unowned self] in loop.stop() }
      timer.set(to: origin.microseconds + Int64(seconds * 1_000_000))
      sources.append(timer)
    }
    guard isShown else { return }
    counter = try loop.timer { [unowned self] in showCount() }
  }

  private var summary: String {
    let milliseconds = (end.microseconds - origin.microseconds) / 1000
    let (whole, part) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return "\(countedFrames) in \(whole).\(part.text(digits: 3)) s\(countedLosses)"
  }

  private var countedFrames: String { frames == 1 ? "1 frame" : "\(frames) frames" }

  private var countedLosses: String {
    switch device.lossCount {
    case 0: ""
    case 1: "; events were lost once, and the state was resynchronized"
    case let count: "; events were lost \(count) times, and the state was resynchronized"
    }
  }
}

// MARK: - Events

extension Recorder {
  private func read() {
    while frames < limit, error == nil {
      switch device.next(into: &batch, at: loop.now) {
      case .events: append(batch)
      case .empty, .wait, .restart: return scheduleCount()
      case .gone, .finished:
        ending = "the device was removed; "
        return loop.stop()
      }
    }
    loop.stop()
  }

  private func append(_ batch: borrowing InputBatch) {
    if device.isResynchronizing {
      frame.comment = "SYN_DROPPED: events were lost; this frame resynchronizes the state."
    }
    for event in batch.events { append(event) }
  }

  private func append(_ event: InputEvent) {
    guard event.code.isTouchEvent else { return }
    var event = event
    event.time = max(event.time, latest)
    latest = event.time
    event.time = Timestamp(microseconds: event.time.microseconds - origin.microseconds)
    frame.events.append(event)
    if event.code == .report { close() }
  }

  /// Writes the frame; one without touch events is omitted, because it would reveal when a key was pressed.
  private func close() {
    defer { frame = RecordedFrame(events: []) }
    guard frame.events.count > 1 else { return }
    do throws(SystemError) {
      try file.append(writer.text(of: frame))
      frames += 1
      end = latest
    } catch {
      self.error = error
    }
  }
}

// MARK: - The count

extension Recorder {
  private func scheduleCount() {
    guard let counter, !isCounting else { return }
    isCounting = true
    counter.set(to: loop.now + Recorder.countInterval)
  }

  private func showCount() {
    isCounting = false
    show("\r\(countedFrames)")
  }

  private func hideCount() {
    if isShown { show("\r\(String(repeating: " ", count: countedFrames.count))\r") }
  }

  private func show(_ text: String) {
    DescriptorWriter.writeAll(text, to: STDERR_FILENO)
  }
}
