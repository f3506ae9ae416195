internal import ArgumentParser
internal import PressureDevices
internal import PressureKit
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
      let device = try nodeOptions.open(try ConfigurationOptions.read())
      let file: RecordedFile
      do throws(SystemError) {
        file = try RecordedFile(path: output, replaces: force)
      } catch {
        throw ExitError(error, making: output, advice: "use --force to overwrite it")
      }
      let recorder: Recorder
      do throws(SystemError) {
        recorder = try Recorder(device, writer, file)
        let summary = try recorder.record(seconds: seconds, frames: frames)
        Log.info("\(output): \(summary)")
      } catch {
        throw ExitError(error.sentence, .cannotCreate)
      }
      guard recorder.frames > 0 else {
        throw ExitError(
          "nothing touched \(device.node); pressured devices lists the other devices", .timedOut)
      }
    }
  }
}
