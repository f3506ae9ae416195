internal import ArgumentParser
internal import PressureDevices
internal import PressureKit
internal import PressureRecordings
internal import PressureSystem

/// `pressured record`: what a touch device sends, into a file.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record touches into a file, for replay, plot and other people.",
    discussion: """
      The file's ending says its format: .evemu or .events is evemu's, .yml or .yaml that of \
      libinput record. Ctrl-C ends it.

      What is recorded is touch alone: its axes, its buttons and the clicks of a pad. No key that the \
      device may have, no serial number, nor where it is plugged in. Where fingers were on a \
      touchscreen may still tell what was typed on a keyboard that it showed.

      Example: pressured record --seconds 10 -o recording.evemu
      """)

  @Argument(
    help: ArgumentHelp(
      "The device's node; by default the first one that feels pressure.", valueName: "node"),
    completion: .pad)
  var node: String?

  @Option(help: ArgumentHelp("The same, as for run.", valueName: "node"), completion: .pad)
  var device: String?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write this file.", valueName: "file"),
    completion: .newRecording)
  var output: String

  @Option(help: ArgumentHelp("End after so many seconds.", valueName: "number"))
  var seconds: Double?

  @Option(help: ArgumentHelp("End after so many frames.", valueName: "number"))
  var frames: Int?

  @Flag(help: "Write over a file that is there.")
  var force = false

  @OptionGroup var configurationOptions: ConfigurationOptions

  /// Seconds; a month is more than any disk wants to hold.
  private static let longest = 2_678_400.0

  func validate() throws {
    if node != nil, device != nil {
      throw ValidationError("name one node, as an argument or with --device")
    }
    guard RecordingFormat.writer(for: output) != nil else {
      throw ValidationError(
        "the name \(output) says no format; end it in .evemu, .events, .yml or .yaml")
    }
    if let seconds, !(seconds > 0 && seconds <= Self.longest) {
      throw ValidationError(
        "--seconds must be above 0 and at most \(Int(Self.longest)), not \(seconds)")
    }
    if let frames, frames < 1 {
      throw ValidationError("--frames must be 1 or more, not \(frames)")
    }
  }

  func run() throws {
    try ending { () throws(ExitError) in
      guard let writer = RecordingFormat.writer(for: output) else { return }
      let device = try device(try configurationOptions.read())
      let file = try file()
      do throws(SystemError) {
        let recorder = try Recorder(device, writer, file)
        let remark = try recorder.record(seconds: seconds, frames: frames)
        Log.info("\(output): \(remark)")
      } catch {
        throw ExitError(error.sentence, .cannotCreate)
      }
    }
  }

  private func device(_ configuration: Configuration) throws(ExitError) -> EvdevDevice {
    guard let node = node ?? self.device else {
      if let device = EvdevDevice.firstThatFeels(configuration) { return device }
      if let node = DeviceFolder.nodes().first(where: EvdevDevice.isDenied) {
        throw ExitError(denied: node, CommandLine.arguments)
      }
      throw ExitError("no touch device that can be read feels pressure; name one", .noInput)
    }
    do throws(DeviceError) {
      let device = try EvdevDevice(opening: node)
      _ = try configuration.surface(of: device.description)
      return device
    } catch {
      guard !error.isLackOfRights else { throw ExitError(denied: node, CommandLine.arguments) }
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
  /// Tells what to type where only root may read a device: the daemon reads it, and records nothing.
  fileprivate init(denied node: String, _ words: [String]) {
    self.init("\(node) may not be read by you, only by root and by the service", .permissionDenied)
    sentences.append(
      "type this: " + (["sudo"] + words).map(\.quotedForShell).joined(separator: " "))
  }

  /// Why a node that was named is not read.
  fileprivate init(_ fault: DeviceError, _ node: String) {
    switch fault {
    case .unreadable: self.init(fault.sentence, .noInput)
    case .refused, .ignored: self.init("\(node): \(fault.sentence)", .badData)
    }
  }
}

extension String {
  /// The word as a shell takes it for this very text.
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
