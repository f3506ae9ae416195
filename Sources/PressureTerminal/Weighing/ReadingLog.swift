internal import Glibc
internal import PressureKit
internal import PressureProtocol
internal import PressureRecordings
package import PressureSystem

/// Writes stable readings to a CSV file (RFC 4180), one record for each reading.
///
/// Each record is one write, so that a killed program leaves complete records. The file is created with the first
/// reading, so that a program that ends earlier changes nothing.
package final class ReadingLog {
  let path: String
  private(set) var count = 0

  private var file: RecordedFile?
  private let unit: MassUnit

  /// Checks that the file can be created, and does not exist.
  package init(_ path: String, in unit: MassUnit) throws(ExitError) {
    self.path = path
    self.unit = unit
    try SystemError.orExit(making: path, try RecordedFile.check(path))
  }

  func add(_ reading: ReceivedScale, of device: ReceivedDevice) throws(ExitError) {
    if file == nil {
      file = try SystemError.orExit(making: path, try RecordedFile(path: path))
      let names = ["net", "gross", "tare", "error"].map { "\($0) (\(unit.rawValue))" }
      let last = ["weight source", "repeat (\(unit.rawValue))"]
      try write(["time (UTC)", "device", "status"] + names + last)
    }
    let numbers = [
      reading.grams, reading.grossGrams, reading.tareGrams, reading.errorGrams,
    ].map { $0.map { unit.text($0) } ?? "" }
    var (now, parts) = (Glibc.time(nil), tm())
    gmtime_r(&now, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0.text(digits: 2) }
    let time = "\(LocalDay.text(parts))T\(clock.joined(separator: ":"))Z"
    let source = device.weightSource.rawValue
    let last = [source, reading.repeatGrams.map { unit.text($0) } ?? ""]
    try write([time, device.device, reading.status.rawValue] + numbers + last)
    count += 1
  }

  private func write(_ fields: [String]) throws(ExitError) {
    let record = fields.map(ReadingLog.quoted).joined(separator: ",") + "\r\n"
    try SystemError.orExit(.cannotCreate, try file?.append(record) ?? ())
  }

  private static func quoted(_ field: String) -> String {
    guard field.contains(where: { ",\"\r\n".contains($0) }) else { return field }
    let parts = field.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"\(parts.joined(separator: "\"\""))\""
  }
}

/// The stable readings of a scale since the program started, as the daemon's configuration defines them.
///
/// The daemon's history is requested whenever the scale is at rest; readings that are later than all before are new.
struct ReadingHistory: Equatable {
  /// The number of readings in a request; there are never more new ones between two replies.
  static let requestedCount = 10
  private(set) var grams: [Double] = []

  private enum Request { case none, sent, outdated }
  private var request = Request.none

  /// The time of the latest reading; nil before the first reply.
  private var lastTime: Int64?

  /// Notes a stable reading; returns whether to request the history.
  mutating func stableReadingReceived() -> Bool {
    defer { request = request == .none ? .sent : .outdated }
    return request == .none
  }

  /// Updates the readings with those of a reply, the oldest first; returns the new ones and whether to request again.
  ///
  /// Readings of the first reply are too old, except the last one if it is still at rest.
  mutating func update(
    with history: [ReceivedScale], isAtRest: Bool
  ) -> (newReadings: [ReceivedScale], needsRequest: Bool) {
    let newReadings =
      lastTime.map { last in history.filter { ($0.time ?? .min) > last } }
      ?? (isAtRest ? Array(history.suffix(1)) : [])
    lastTime = max(history.compactMap(\.time).max() ?? .min, lastTime ?? .min)
    let newGrams = newReadings.reversed().compactMap(\.grams)
    grams = Array((newGrams + grams).prefix(ScaleMemory.historyLength))
    let isOutdated = request == .outdated
    request = isOutdated ? .sent : .none
    return (newReadings, isOutdated)
  }
}

extension ReceivedScale {
  /// A JSON line with the fields of a `scale` event, also of a reading that comes from a reply.
  var jsonText: String {
    var line = JSONLinesWriter()
    line.append("{\"event\":\"scale\",\"time\":", time ?? 0)
    line.append(",\"device\":", quoted: device)
    line.append(",\"status\":", quoted: status.rawValue)
    line.append(",\"grams\":", grams, decimals: 1)
    line.append(",\"gross_grams\":", grossGrams, decimals: 1)
    line.append(",\"tare_grams\":", tareGrams, decimals: 1)
    line.append(",\"error_grams\":", errorGrams, decimals: 1)
    line.append(",\"repeat_grams\":", repeatGrams, decimals: 1)
    line.append(",\"rate\":", rate, decimals: 1)
    line.append(",\"held\":", isHeld)
    line.append(",\"decaying\":", isDecaying)
    line.append(",\"target\":")
    if let target {
      line.append("{\"grams\":", target.grams, decimals: 4)
      line.append(",\"tolerance\":", target.tolerance, decimals: 4)
      line.append(",\"within\":", target.within)
      line.append("}")
    } else {
      line.append("null")
    }
    if let user { line.append(",\"user\":", user) }
    if let request { line.append(",\"request\":", quoted: request) }
    line.append("}")
    return line.text
  }

  var isStableReading: Bool { status == .stable || status == .underZero }

  /// The number without a unit, such as `61.9` or, if the sensor is saturated, `385.0+`.
  ///
  /// It has the decimals that the same load would repeat, and all of them after a tare and with a target, as differences show more.
  func number(in unit: MassUnit) -> String? {
    let isDifference = tareGrams != 0 || target != nil
    let decimals = isDifference ? nil : repeatGrams.map { unit.decimals(ofError: $0) }
    return grams.map { unit.text($0, decimals: decimals) + (status == .overWeight ? "+" : "") }
  }

  /// The number with its unit and its errors: `≈ 61.9 g` is an estimate, `61.9 g ±0.4 (absolute ±2)` a measurement.
  func text(in unit: MassUnit, isEstimate: Bool) -> String {
    guard let number = number(in: unit) else { return "no reading" }
    return ("\(number) \(unit.rawValue)" + (errorText(in: unit) ?? "")).estimated(
      isEstimate || isUncertain)
  }

  /// Whether the number repeats, but may be far from the weight: the sensor measures area, and was not checked with this foot.
  var isUncertain: Bool { errorGrams == nil && repeatGrams != nil }

  /// What the same load repeats and, if that is more, how far the reading may be from the weight.
  func errorText(in unit: MassUnit) -> String? {
    guard let error = repeatGrams ?? errorGrams else { return nil }
    let text = " ±\(unit.text(error: error))"
    if let errorGrams, errorGrams <= error { return text }
    return "\(text) (absolute \(errorGrams.map { "±\(unit.text(error: $0))" } ?? "±?"))"
  }

  var advice: String {
    if isHeld { return "held" }
    if isDecaying { return "decaying: the surface does not treat it as a finger" }
    return switch status {
    case .known(.fault): "this device cannot weigh"
    case .known(.stableZero): "zero"
    case .known(.inMotion): "in motion"
    case .known(.stable): "stable"
    case .known(.underZero): "stable, below zero: a tared object was removed"
    case .known(.overWeight): "over the maximum"
    case .known(.calibrationNeeded): "no grams: run pressured calibrate"
    case .known(.rezeroNeeded): "zero has drifted: remove the load, then press z"
    case .unknown: "unknown status"
    }
  }
}

extension ReceivedScale.Target {
  func text(at net: Double?, in unit: MassUnit, isEstimate: Bool) -> String {
    let target = "target \(unit.text(grams)) ± \(unit.text(tolerance)) \(unit.rawValue)"
    guard let net else { return target }
    if within { return "\(target): reached" }
    let rest = grams - net
    let distance = "\(unit.text(rest.magnitude)) \(unit.rawValue)".estimated(isEstimate)
    return "\(target): \(distance) \(rest > 0 ? "to go" : "too much")"
  }
}
