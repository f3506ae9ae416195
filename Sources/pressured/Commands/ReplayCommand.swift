internal import ArgumentParser
internal import PressureKit
internal import PressureProtocol
internal import PressureRecordings
internal import PressureSystem

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Print the lines that the socket would carry for a recording.",
    discussion: """
      Reads the formats of evemu, libinput record, evtest, python-evdev and Android's getevent, whole or as \
      pasted into a report, and raw input events with --describe.

      Text that was copied is read by "pressured replay -", which ends with Ctrl-D.

      Example: pressured replay touchpad.evemu | jq 'select(.event == "press")'
      """)

  @Argument(help: "The recording; - is standard input.", completion: .recording)
  var file: String

  @OptionGroup var recordingOptions: RecordingOptions

  @Flag(help: "List the devices in the recording.")
  var list = false

  @OptionGroup var configurationOptions: ConfigurationOptions

  func run() throws(ExitError) {
    if list { return try printDevices() }
    let configuration = try configurationOptions.read()
    let recording = try recordingOptions.open(file)
    let surface = try recordingOptions.surface(of: recording, configuration)
    var replay = Replay(recording, surface, configuration)
    defer { for warning in recording.warnings { Log.info(warning) } }
    try replay.print()
  }

  private func printDevices() throws(ExitError) {
    let path = RecordingOptions.path(file)
    for device in try Recording.devices(at: path) {
      let name = device.description.name.onOneLine
      let events = device.eventCount == 1 ? "1 event" : "\(device.eventCount) events"
      StandardOutput.print(
        "\(device.number)  \(name) (\(DeviceID(device.description).text)): \(events)"
          + note(on: device))
    }
  }

  private func note(on device: Recording.ListedDevice) -> String {
    do throws(UnsupportedDeviceError) {
      _ = try Surface(device.description)
    } catch {
      return "; \(error)"
    }
    return device.error.map { ", then an error: \($0.sentences.joined().onOneLine)" } ?? ""
  }
}

private struct Replay: ~Copyable {
  private let recording: Recording
  private var device: Device
  private var engine: Engine
  private var output = EventBuffer()
  private var lines = JSONLinesWriter(capacity: 2 * StandardOutput.pieceSize)

  init(_ recording: Recording, _ surface: Surface, _ configuration: Configuration) {
    self.recording = recording
    device = Device(id: DeviceID(recording.description), node: recording.path, surface: surface)
    engine = Engine(surface: surface, configuration: configuration)
  }

  /// Prints all events; if the recording has an error, prints the events before it and then throws.
  mutating func print() throws(ExitError) {
    var readingError: ExitError?
    var lastFrame = Timestamp(microseconds: 0)
    do throws(ExitError) {
      var next = try recording.next()
      appendPreamble(at: next?.time)
      while let event = next {
        engine.receive(event, into: &output)
        if event.code == .report { lastFrame = event.time }
        encode()
        next = try recording.next()
      }
    } catch {
      if lines.count == 0 { appendPreamble(at: nil) }
      readingError = error
    }
    engine.cancelAll(at: lastFrame, into: &output)
    encode()
    StandardOutput.write(lines.bytes)
    if let readingError { throw readingError }
  }

  private mutating func appendPreamble(at time: Timestamp?) {
    lines.appendHello(version: Version.current, clock: .file)
    lines.append(device, .present, at: time ?? Timestamp(microseconds: 0))
  }

  private mutating func encode() {
    guard !output.isEmpty else { return }
    // Events and surfaces are large: the surface is copied only if it may have changed, and an event is read in place.
    if output.mayChangeSurface { device.surface = engine.surface }
    for index in output.events.indices {
      lines.append(output.events[index], of: device.id, device: device)
    }
    output.removeAll()
    guard lines.count >= StandardOutput.pieceSize else { return }
    StandardOutput.write(lines.bytes)
    lines.removeAll()
  }
}
