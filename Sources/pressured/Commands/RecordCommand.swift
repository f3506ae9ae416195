internal import ArgumentParser
internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureRecordings
internal import PressureSystem

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record touches in a file, for replay, plot and bug reports.",
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
    name: .shortAndLong, help: .init("Write this file.", valueName: "file"),
    completion: .newRecording) var output: String

  @Option("Stop after this many seconds.", value: "number")
  var seconds: Double?

  /// Up to a month of 31 days.
  private static let secondsLimits = 0.001...2_678_400

  func validate() throws {
    guard RecordingFormat.writer(for: output) != nil else {
      throw ValidationError("the file name \(output) must end in .evemu, .events, .yml or .yaml")
    }
    try require("--seconds", seconds, in: RecordCommand.secondsLimits)
  }

  func run() throws(ExitError) {
    guard let writer = RecordingFormat.writer(for: output) else { return }
    let device = try nodeOptions.open(try ConfigurationOptions.read())
    let file = try SystemError.orExit(making: output, try RecordedFile(path: output))
    let recorder = try SystemError.orExit(.cannotCreate, try Recorder(device, writer, file))
    let summary = try SystemError.orExit(.cannotCreate, try recorder.record(seconds: seconds))
    Log.info("\(output): \(summary)")
    guard recorder.frames > 0 else {
      throw ExitError(
        "nothing touched \(device.node); pressured devices lists the other devices", .timedOut)
    }
  }
}

/// Records the events of a device in a file.
///
///     initial state ──▶ frames, as the device wakes the loop ──▶ Ctrl-C, the time, an error,
///                                                                removal of the device
///
/// Each frame is one write, so that the file always ends with a complete frame.
final class Recorder {
  /// The interval at which a terminal shows the count, in microseconds.
  private static let countInterval: Int64 = 100_000

  private let device: EvdevDevice
  private let writer: any RecordingWriter
  private let header: String
  private let file: RecordedFile
  private let loop: EventLoop
  private let isShown = isatty(STDERR_FILENO) == 1

  private lazy var reader = TouchReader(device) { [unowned self] in append($0) }
  private var comment: String? = "The initial state of the device."
  private var end: Timestamp

  /// The number of frames after the initial state.
  private(set) var frames = 0

  private var error: SystemError?
  private var ending = ""
  private var shownAt: Int64 = 0
  private var sources: [EventSource?] = []

  /// The header is by default that of the format.
  init(
    _ device: EvdevDevice, _ writer: any RecordingWriter, _ file: RecordedFile,
    header: String? = nil
  ) throws(SystemError) {
    (self.device, self.writer, self.file) = (device, writer, file)
    self.header = header ?? writer.header(of: device.description.touchOnly, at: device.node)
    loop = try EventLoop()
    end = device.openedAt
  }

  /// Records until a signal arrives, the time is over or the device is removed; returns a summary.
  func record(seconds: Double?) throws(SystemError) -> String {
    do throws(SystemError) {
      // Signals first: from here on the file is never left in the middle of a frame.
      sources = try loop.onSignals([SIGINT, SIGTERM, SIGHUP]) { [unowned self] _ in loop.stop() }
      sources.append(
        try loop.watch(device.descriptor, for: .reading) { [unowned self] _ in read() })
      if let seconds {
        let timer = try loop.timer { [unowned self] in loop.stop() }
        timer.set(to: device.openedAt.microseconds + Int64(seconds * 1_000_000))
        sources.append(timer)
      }
      try file.append(header)
      for event in device.stateEvents { reader.add(event) }
      if let error { throw error }
    } catch {
      // Without the description of the device, the file is not a recording.
      file.discard()
      throw error
    }
    frames = 0
    Log.info("recording \(device.node), \(device.description.name), to \(file.path)")
    _ = try loop.run()
    sources = []
    if isShown { show("\r\(String(repeating: " ", count: countedFrames.count))\r") }
    if let error {
      throw SystemError(
        attempt: "\(error.attempt) completely; it contains \(summary)", number: error.number)
    }
    try file.finish()
    return ending + summary
  }

  private var summary: String {
    let milliseconds = (end.microseconds - device.openedAt.microseconds) / 1000
    let (whole, part) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let losses =
      switch device.lossCount {
      case 0: ""
      case 1: "; events were lost once, and the state was resynchronized"
      case let count: "; events were lost \(count) times, and the state was resynchronized"
      }
    return "\(countedFrames) in \(whole).\(part.text(digits: 3)) s\(losses)"
  }

  private var countedFrames: String { frames == 1 ? "1 frame" : "\(frames) frames" }

  private func show(_ text: String) { DescriptorWriter.writeAll(text, to: STDERR_FILENO) }

  // MARK: - Events

  private func read() {
    let isPresent = reader.drain { error == nil }
    if !isPresent { ending = "the device was removed; " }
    if !isPresent || error != nil { return loop.stop() }
    guard isShown, frames > 0, loop.now >= shownAt + Recorder.countInterval else { return }
    shownAt = loop.now
    show("\r\(countedFrames)")
  }

  private func append(_ frame: [InputEvent]) {
    guard error == nil else { return }
    defer { comment = nil }
    if reader.isResynchronizing {
      comment = "SYN_DROPPED: events were lost; this frame resynchronizes the state."
    }
    do throws(SystemError) {
      try file.append(writer.text(of: frame, since: device.openedAt, comment: comment))
      (frames, end) = (frames + 1, reader.latest)
    } catch {
      self.error = error
    }
  }
}

/// Reads the frames of a device with its touch events, whose times never go backwards.
///
/// A frame without any is omitted, because its recording would reveal when a key was pressed.
final class TouchReader {
  private let device: EvdevDevice
  private let body: ([InputEvent]) -> Void
  private var batch = InputBatch()
  private var frame: [InputEvent] = []
  private(set) var latest: Timestamp

  /// Whether events were lost before the frame, which resynchronizes the state.
  private(set) var isResynchronizing = false

  init(_ device: EvdevDevice, body: @escaping ([InputEvent]) -> Void) {
    (self.device, self.body, latest) = (device, body, device.openedAt)
  }

  /// Passes all available frames on while more are wanted; returns false if the device was removed.
  @discardableResult
  func drain(while isWanted: () -> Bool = { true }) -> Bool {
    while isWanted() {
      switch device.next(into: &batch, at: latest.microseconds) {
      case .events:
        isResynchronizing = isResynchronizing || device.isResynchronizing
        for event in batch.events { add(event) }
      case .empty, .wait, .restart: return true
      case .gone, .finished: return false
      }
    }
    return true
  }

  /// Adds an event, which may complete a frame.
  func add(_ event: InputEvent) {
    guard event.code.isTouchEvent else { return }
    var event = event
    event.time = max(event.time, latest)
    latest = event.time
    frame.append(event)
    guard event.code == .report else { return }
    if frame.count > 1 {
      body(frame)
      isResynchronizing = false
    }
    frame = []
  }
}
