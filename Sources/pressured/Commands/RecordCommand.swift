internal import ArgumentParser
internal import PressureDevices
internal import PressureKit
internal import PressureRecordings
internal import PressureSystem

/// `pressured record`: records the events of a touch device in a file.
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

  @Argument(
    help: ArgumentHelp(
      "The device node; by default the first that measures pressure.", valueName: "node"),
    completion: .pressureDevice)
  var node: String?

  @Option(
    help: ArgumentHelp("The device node, as for run.", valueName: "node"),
    completion: .pressureDevice)
  var device: String?

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

  @OptionGroup var configurationOptions: ConfigurationOptions

  /// The greatest value of `--seconds`: a month of 31 days.
  private static let maxSeconds = 2_678_400.0

  func validate() throws {
    if node != nil, device != nil {
      throw ValidationError("name one node, as an argument or with --device")
    }
    guard RecordingFormat.writer(for: output) != nil else {
      throw ValidationError(
        "the file name \(output) must end in .evemu, .events, .yml or .yaml")
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
      let device = try device(try configurationOptions.read())
      let file = try file()
      do throws(SystemError) {
        let recorder = try Recorder(device, writer, file)
        let summary = try recorder.record(seconds: seconds, frames: frames)
        Log.info("\(output): \(summary)")
      } catch {
        throw ExitError(error.sentence, .cannotCreate)
      }
    }
  }

  private func device(_ configuration: Configuration) throws(ExitError) -> EvdevDevice {
    guard let node = node ?? self.device else {
      if let device = EvdevDevice.firstWithPressure(configuration) { return device }
      if let node = DeviceFolder.nodes().first(where: EvdevDevice.isDenied) {
        throw ExitError(denied: node, CommandLine.arguments)
      }
      throw ExitError("no readable touch device measures pressure; name a node", .noInput)
    }
    do throws(DeviceError) {
      let device = try EvdevDevice(opening: node)
      _ = try configuration.surface(of: device.description)
      return device
    } catch {
      guard !error.isPermissionDenied else { throw ExitError(denied: node, CommandLine.arguments) }
      throw ExitError(error, node)
    }
  }

  private func file() throws(ExitError) -> RecordedFile {
    do throws(SystemError) {
      return try RecordedFile(path: output, replaces: force)
    } catch {
      throw ExitError(error, making: output)
    }
  }
}

extension ExitError {
  /// Creates the error for a node without read permission, with the command line that has it.
  fileprivate init(denied node: String, _ arguments: [String]) {
    self.init(
      "no permission to read \(node); only root and the service have it", .permissionDenied)
    sentences.append(
      "run: " + (["sudo"] + arguments).map(\.quotedForShell).joined(separator: " "))
  }

  /// Creates the error for a node that was named and cannot be used.
  fileprivate init(_ error: DeviceError, _ node: String) {
    switch error {
    case .unreadable: self.init(error.sentence, .noInput)
    case .unsupported, .ignored: self.init("\(node): \(error.sentence)", .badData)
    }
  }
}

extension String {
  /// The text, quoted for a POSIX shell if necessary.
  fileprivate var quotedForShell: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_./:=@%+,".utf8.contains(byte)
        }
      }
    guard !isPlain else { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
