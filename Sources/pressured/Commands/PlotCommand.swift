internal import ArgumentParser
internal import Glibc
internal import PressureKit
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

struct PlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot", abstract: "Draw a recording or a calibration as an SVG or PNG image.",
    discussion: """
      Shows the force of each contact over time, with stages and grams; the heaviest contact; and the \
      paths on the surface, wider for more force. A .png file requires rsvg-convert.

      With --calibration, draws the points of a stored calibration, the fitted curve and the residuals.

      Example: pressured plot touchpad.evemu -o touchpad.svg
      """)

  @Argument(
    help: .init(
      "The recording, or - for standard input; with --calibration the device id, which is optional if one device is calibrated.",
      valueName: "recording"), completion: .recording) var source: String?

  @Option(
    name: .shortAndLong, help: .init("Write this file.", valueName: "file"),
    completion: .file(extensions: PlotFormat.allCases.map(\.rawValue))) var output: String

  @Flag(help: "Draw a stored calibration.")
  var calibration = false

  @OptionGroup var recordingOptions: RecordingOptions

  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    try require(PlotFormat(path: output) != nil, "the file name \(output) must end in .svg or .png")
    try require(
      !calibration || recordingOptions.describe == nil,
      "--describe and --calibration exclude each other")
    try require(
      calibration || source != nil, "name a recording, or use --calibration to draw a calibration")
  }

  func run() throws(ExitError) {
    if calibration {
      let file = try storedCalibration()
      try write(CalibrationPage(device: file.device, fit: file.fit).drawing)
    } else if let source {
      try plot(source)
    }
  }

  // MARK: - A recording

  private func plot(_ path: String) throws(ExitError) {
    let configuration = try configurationOptions.read()
    let recording = try recordingOptions.open(path)
    var surface = try recordingOptions.surface(of: recording, configuration)
    let id = DeviceID(recording.description)
    let found = StateFolder.usual().map {
      CalibrationStore(stateFolder: $0).find(id, settingAside: false)
    }
    for warning in found?.warnings ?? [] { Log.warning(warning) }
    if let fit = found?.fit { surface.calibrate(by: fit) }
    let (model, error) = PlotModel.read(recording, surface, configuration)
    for warning in recording.warnings { Log.info(warning) }
    if model.trace.contacts.isEmpty {
      throw error
        ?? ExitError(
          "\(recording.path): it contains no touch, so there is nothing to draw", .badData)
    }
    try write(RecordingPage(model).drawing)
    if let error { throw error }
  }

  // MARK: - A calibration

  private func storedCalibration() throws(ExitError) -> CalibrationFile {
    guard let stateFolder = StateFolder.usual() else {
      throw ExitError("no folder for calibrations is known; name it in $STATE_DIRECTORY", .noInput)
    }
    let (files, errors) = CalibrationStore(stateFolder: stateFolder).all()
    let wanted = files.filter { source == nil || $0.device == source }
    if let file = wanted.first, wanted.count == 1 { return file }
    if wanted.isEmpty, let failure = unreadableStore(besides: stateFolder) { throw failure }
    if let error = errors.first { throw ExitError(error.sentence, .badData) }
    let known = files.map(\.device.onOneLine).joined(separator: ", ")
    guard files.isEmpty else {
      let sentence =
        source.map { "\($0) is not calibrated" } ?? "several devices are calibrated; name one"
      throw ExitError("\(sentence): \(known)", source == nil ? .usage : .noInput)
    }
    throw ExitError(
      "no calibration is stored in \(stateFolder); create one with pressured calibrate", .noInput)
  }

  /// The error if this user has no permission to read a folder of calibrations; nil if all are readable.
  private func unreadableStore(besides folder: String) -> ExitError? {
    let isChosen = Environment.value("STATE_DIRECTORY") != nil || folder == StateFolder.system
    let folders = isChosen ? [folder] : [folder, StateFolder.system]
    for folder in folders.map(CalibrationStore.folder(in:)) {
      guard access(folder, R_OK | X_OK) != 0, errno == EACCES else { continue }
      let name = source.map { " \($0)" } ?? ""
      return ExitError(
        "no permission to read \(folder); to draw a calibration of the service: "
          + "sudo pressured plot --calibration\(name) -o \(output)", .permissionDenied)
    }
    return nil
  }

  // MARK: - The file

  private func write(_ drawing: Drawing) throws(ExitError) {
    let isPNG = PlotFormat(path: output) == .png
    let bytes = isPNG ? try drawing.png(for: output) : Array(drawing.svg.utf8)
    let file = try SystemError.orExit(making: output, try RecordedFile(path: output))
    do throws(SystemError) {
      try file.append(bytes)
      try file.finish()
    } catch {
      file.discard()
      throw ExitError(error.sentence, .cannotCreate)
    }
  }
}
