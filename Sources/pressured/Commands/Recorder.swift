internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureRecordings
internal import PressureSystem

/// A device on its way into a file.
///
///     state as found ──▶ frames, as the device wakes the loop ──▶ Ctrl-C, a limit, a fault,
///                                                                 the device's end
///
/// Each frame is written by itself, so that the file ends with a whole one whatever happens.
final class Recorder {
  /// Microseconds between two counts on a terminal.
  private static let pace: Int64 = 100_000

  private let device: EvdevDevice
  private let writer: any RecordingWriter
  private let file: RecordedFile
  private let loop: EventLoop
  private let isShown = isatty(STDERR_FILENO) == 1

  private var frame = RecordedFrame(events: [])

  /// When it was opened, what came last, and the end of what is written.
  private let origin: Timestamp
  private var latest: Timestamp
  private var end: Timestamp

  private var frames = 0
  private var limit = Int.max

  /// How often events were lost, and whether what they changed is being told just now.
  private var losses = 0
  private var isMakingGood = false

  private var fault: SystemError?
  private var ending = ""

  private var sources: [EventSource] = []
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

  /// Records until it is ended, or a limit is reached.
  ///
  /// - Returns: what came of it, for people.
  /// - Throws: why no more can be written; the frames before are in the file.
  func record(seconds: Double?, frames: Int?) throws(SystemError) -> String {
    limit = frames ?? .max
    do throws(SystemError) {
      // Signals first: from here on the file is never left in the middle of a frame.
      try watch(seconds)
      try begin()
    } catch {
      // Without a description it is no recording.
      file.discard()
      throw error
    }
    Log.info("recording \(device.node), \(device.description.name), to \(file.path)")
    _ = try loop.run()
    sources = []
    hideCount()
    if let fault {
      throw SystemError(
        attempt: "\(fault.attempt) any further; it holds \(summary)", number: fault.number)
    }
    try file.finish()
    return ending + summary
  }

  private func begin() throws(SystemError) {
    try file.append(writer.head(of: device.description.ofTouchAlone, at: device.node))
    frame.remark = "The state in which the device was found."
    for event in device.stateEvents { take(event) }
    guard let fault else { return frames = 0 }
    throw fault
  }

  private func watch(_ seconds: Double?) throws(SystemError) {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      sources.append(try loop.onSignal(number) { [unowned self] in loop.stop() })
    }
    sources.append(
      try loop.watch(device.descriptor, for: .reading) { [unowned self] _ in read() }
    )
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
    return "\(countedFrames) in \(whole).\(part.decimal(3)) s\(countedLosses)"
  }

  private var countedFrames: String { frames == 1 ? "1 frame" : "\(frames) frames" }

  private var countedLosses: String {
    switch losses {
    case 0: ""
    case 1: "; events were lost once, and what they changed made good"
    default: "; events were lost \(losses) times, and what they changed made good"
    }
  }
}

// MARK: - What the device says

extension Recorder {
  private func read() {
    while frames < limit, fault == nil {
      switch device.next() {
      case .event(let event): take(event)
      case .empty: return count()
      case .gone:
        ending = "the device is gone; "
        return loop.stop()
      }
    }
    loop.stop()
  }

  private func take(_ event: InputEvent) {
    if device.isResynchronizing {
      frame.remark = "SYN_DROPPED: events were lost; this is what they have changed."
      if !isMakingGood { losses += 1 }
    }
    isMakingGood = device.isResynchronizing
    guard event.code.isOfTouch else { return }
    var event = event
    event.time = max(event.time, latest)
    latest = event.time
    event.time = Timestamp(microseconds: event.time.microseconds - origin.microseconds)
    frame.events.append(event)
    if event.code == .report { close() }
  }

  /// A frame of which nothing is left tells only when a key was pressed, and is left out.
  private func close() {
    defer { frame = RecordedFrame(events: []) }
    guard frame.events.count > 1 else { return }
    do throws(SystemError) {
      try file.append(writer.text(of: frame))
      frames += 1
      end = latest
    } catch {
      fault = error
    }
  }
}

// MARK: - The count

extension Recorder {
  private func count() {
    guard let counter, !isCounting else { return }
    isCounting = true
    counter.set(to: loop.now + Recorder.pace)
  }

  private func showCount() {
    isCounting = false
    show("\r\(countedFrames)")
  }

  private func hideCount() {
    if isShown { show("\r\(String(repeating: " ", count: countedFrames.count))\r") }
  }

  private func show(_ text: String) {
    var text = text
    _ = text.withUTF8 { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
