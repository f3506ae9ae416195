@testable import PressureDesktop
@testable import PressureKit
@testable import PressureSettings

/// An unknown key, which is compared with all known ones, costs about 3000 steps per byte; all else up to 350.
private let work = Work(perByte: 5000)

/// A file of a user or administrator: it is accepted as a whole, or each error has its position.
func fuzzConfiguration(_ bytes: UnsafeBufferPointer<UInt8>) {
  let text = Array(bytes)
  hold(text) { text throws(ConfigurationErrors) in
    holdLimits(try ConfigurationFile.read(text: text, name: "file"))
  }
  hold(text) { text throws(ConfigurationErrors) in
    _ = try QuirksFile.read(text: text, name: "file")
  }
  hold(text) { text throws(ConfigurationErrors) in
    _ = try BindingsFile.read(text: text, name: "file")
  }
  holdCalibration(text)
}

/// Appends the right checksum, which a fuzzer cannot guess.
private func holdCalibration(_ text: [UInt8]) {
  let closed = text + Array("\nchecksum: \"\((text + [UInt8(ascii: "\n")]).checksum)\"\n".utf8)
  do throws(CalibrationFileError) {
    let file = try CalibrationFile(closed, name: "file")
    let again = try CalibrationFile(file.bytes, name: "again")
    require(
      again.fit == file.fit && again.device == file.device, "a written file can be read: \(file)")
  } catch {
    require(error.sentence.hasPrefix("file:"), "an error names its file: \(error.sentence)")
  }
}

private func hold(_ text: [UInt8], _ read: ([UInt8]) throws(ConfigurationErrors) -> Void) {
  var meter = Work.Meter()
  defer { work.hold(meter, text.count, "configuration") }
  do throws(ConfigurationErrors) {
    try meter.count { () throws(ConfigurationErrors) in try read(text) }
  } catch {
    guard case .wrong(let errors) = error else { fatalError("\(error) of a text") }
    require(!errors.isEmpty, "a rejected file has an error")
    require(errors.count <= DiagnosticList.limit, "the number of errors is limited")
    let lines = text.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
    for error in errors {
      // U+0085, U+2028 and U+2029 also end a line.
      require(
        (1...(lines + text.count / 2)).contains(error.mark.line),
        "line \(error.mark.line) of \(lines)")
      require(error.mark.column >= 1, "columns count from 1")
      require(!error.reason.isEmpty, "an error has a reason")
    }
  }
}

/// Accepted values are within their limits: later code does not check again.
private func holdLimits(_ configuration: Configuration) {
  let presses = [configuration.press] + configuration.devices.compactMap(\.press)
  for press in presses {
    for ladder in [press.stages, press.gramStages] { hold(ladder) }
    require(ConfigurationLimits.holdMilliseconds.contains(press.holdMilliseconds), "hold_ms")
  }
  require(ConfigurationLimits.fullScaleGrams.contains(configuration.nominalFullScaleGrams), "grams")
  require(ConfigurationLimits.clients.contains(configuration.socket.maxClients), "max_clients")
  require(
    ConfigurationLimits.clientBufferKibibytes.contains(configuration.socket.clientBufferKibibytes),
    "client_buffer_kib")
  let scale = configuration.scale
  require(ConfigurationLimits.scaleWindowMilliseconds.contains(scale.windowMilliseconds), "window")
  require(ConfigurationLimits.scaleFilterMilliseconds.contains(scale.filterMilliseconds), "filter")
  for region in configuration.regions {
    require(region.width > 0 && region.height > 0 && region.x >= 0 && region.y >= 0, "a region")
  }
}

private func hold(_ ladder: StageLadder) {
  for stage in ladder.stages {
    require(stage.threshold.release < stage.threshold.press, "press above release")
    require(stage.unit.limits.contains(stage.threshold.press), "a threshold within its limits")
  }
  for (below, above) in zip(ladder.stages, ladder.stages.dropFirst()) {
    require(above.threshold.press > below.threshold.press, "each stage above the one before")
  }
}
