internal import ArgumentParser
internal import Glibc
internal import PressureDaemon
internal import PressureDevices
internal import PressureKit
internal import PressurePlots
internal import PressureProtocol
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem

/// `pressured plot`: a picture of a recording, or of a calibration.
struct PlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot",
    abstract: "Draw a recording, or a calibration, as a picture to look at or print.",
    discussion: """
      Force over time for each contact, with stages and grams; who is the heaviest; and the paths on \
      the surface, the wider the harder. A file that ends in .png needs rsvg-convert.

      With --calibration it draws the points of a stored calibration, their law and their residuals.

      Example: pressured plot touchpad.evemu -o touchpad.svg
      """)

  @Argument(
    help: ArgumentHelp(
      "The recording; with --calibration the device's id, which may be left out where one is calibrated.",
      valueName: "recording"),
    completion: .recording)
  var source: String?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write this file.", valueName: "file"),
    completion: .file(extensions: PlotFormat.allCases.map(\.rawValue)))
  var output: String

  @Flag(
    name: [.customLong("calibration"), .customLong("weigh")], help: "Draw a stored calibration.")
  var weigh = false

  @Flag(help: "Write over a file that is there.")
  var force = false

  @Option(
    help: ArgumentHelp("The recording's device is described here.", valueName: "file"),
    completion: .recording)
  var describe: String?

  @Option(
    help: ArgumentHelp("Look for calibrations in this folder.", valueName: "folder"),
    completion: .directory)
  var state: String?

  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    guard PlotFormat(path: output) != nil else {
      throw ValidationError("the name \(output) says no format; end it in .svg or .png")
    }
    if weigh, describe != nil {
      throw ValidationError("--describe is for recordings; --calibration draws none")
    }
    if !weigh, source == nil {
      throw ValidationError("name a recording, or say --calibration for a calibration")
    }
  }

  func run() throws {
    try ending { () throws(ExitError) in
      if weigh {
        let file = try storedCalibration()
        try write(CalibrationPage(device: file.device, fit: file.fit).drawing)
      } else if let source {
        try plot(source)
      }
    }
  }

  private var stateFolder: String? {
    StateFolder.first(
      path: state, environment: Environment.values(StateFolder.variables), userID: geteuid())
  }
}

// MARK: - A recording

extension PlotCommand {
  /// Draws everything up to a fault, and then says the fault.
  private func plot(_ path: String) throws(ExitError) {
    let configuration = try configurationOptions.read()
    let recording: Recording
    do throws(RecordingError) {
      recording = try Recording(path: path, describe: describe)
    } catch {
      throw ExitError(error)
    }
    var surface: Surface
    do throws(DeviceError) {
      surface = try configuration.surface(of: recording.description)
    } catch {
      throw ExitError("\(path): \(error.sentence)", .badData)
    }
    if let remark = recording.remark { Log.info(remark) }
    calibrate(&surface, DeviceID(recording.description))
    let (subject, fault) = Subject.read(recording, surface, configuration)
    if subject.story.courses.isEmpty {
      throw fault.map(ExitError.init)
        ?? ExitError(
          "\(path): nobody touches the device in it, so there is nothing to draw", .badData)
    }
    try write(RecordingPage(subject).drawing)
    if let fault { throw ExitError(fault) }
  }

  /// By what known weights have taught of the very device; a range that is another one is not weighed by it.
  private func calibrate(_ surface: inout Surface, _ device: DeviceID) {
    guard let stateFolder else { return }
    let found = CalibrationStore(stateFolder: stateFolder).find(device, settingAside: false)
    for complaint in found.warnings { Log.warning(complaint) }
    if let fit = found.fit { surface.calibrate(by: fit) }
  }
}

// MARK: - A calibration

extension PlotCommand {
  private func storedCalibration() throws(ExitError) -> CalibrationFile {
    guard let stateFolder else {
      throw ExitError(
        "there is no folder with calibrations; say which with --state FOLDER", .noInput)
    }
    let (files, faults) = CalibrationStore(stateFolder: stateFolder).all()
    let wanted = files.filter { source == nil || $0.device == source }
    if let file = wanted.first, wanted.count == 1 { return file }
    if wanted.isEmpty, let failure = unreadableStore(besides: stateFolder) { throw failure }
    if let fault = faults.first { throw ExitError(fault.sentence, .badData) }
    let known = files.map(\.device.onOneLine).joined(separator: ", ")
    guard files.isEmpty else {
      let sentence =
        source.map { "\($0) is not calibrated" } ?? "several devices are calibrated; name one"
      throw ExitError("\(sentence): \(known)", source == nil ? .usage : .noInput)
    }
    throw ExitError(
      "no calibration is stored in \(stateFolder); pressured calibrate makes one", .noInput)
  }
}

extension PlotCommand {
  /// Calibrations that there may be, where this user may not look; nil where all was looked at.
  private func unreadableStore(besides folder: String) -> ExitError? {
    let folders =
      state == nil && folder != StateFolder.system ? [folder, StateFolder.system] : [folder]
    for folder in folders.map(CalibrationStore.folder(in:)) {
      if access(folder, R_OK | X_OK) == 0 { continue }
      guard errno == EACCES else { continue }
      let name = source.map { " \($0)" } ?? ""
      return ExitError(
        "\(folder) may not be read by you; to draw what the service keeps there: "
          + "sudo pressured plot --calibration\(name) -o \(output)", .permissionDenied)
    }
    return nil
  }
}

// MARK: - The file

extension PlotCommand {
  private func write(_ drawing: Drawing) throws(ExitError) {
    let svg = SVG(drawing).text
    let bytes: [UInt8]
    if PlotFormat(path: output) == .png {
      do throws(PNG.Fault) {
        bytes = try PNG.bytes(of: svg)
      } catch {
        throw ExitError("\(output): \(error.reason)", .cannotCreate)
      }
    } else {
      bytes = Array(svg.utf8)
    }
    do throws(SystemError) {
      let file = try RecordedFile(path: output, replaces: force)
      do throws(SystemError) {
        try file.append(bytes)
        try file.finish()
      } catch {
        file.discard()
        throw error
      }
    } catch {
      throw ExitError(error, making: output)
    }
  }
}
