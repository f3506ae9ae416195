internal import Glibc
package import PressureKit
package import PressureProtocol
internal import PressureRecordings
package import PressureSystem

/// Writes stable readings to a CSV file (RFC 4180), one record for each reading.
///
/// Each record is one write, so that a killed program leaves complete records. The file is created with the first
/// reading, so that a program that ends earlier changes nothing.
package final class ReadingLog {
  package let path: String
  package private(set) var count = 0

  private var file: RecordedFile?
  private let unit: MassUnit

  /// Checks that the file can be created, and does not exist.
  package init(_ path: String, in unit: MassUnit) throws(ExitError) {
    self.path = path
    self.unit = unit
    try SystemError.orExit(making: path, try RecordedFile.check(path, replaces: false))
  }

  /// Creates the file with its header, if it is not created yet.
  private func create() throws(ExitError) {
    guard file == nil else { return }
    file = try SystemError.orExit(making: path, try RecordedFile(path: path, replaces: false))
    let names = ["net", "gross", "tare", "error"].map { "\($0) (\(unit.rawValue))" }
    try write(["time (UTC)", "device", "status"] + names + ["weight source"])
  }

  package func add(_ reading: ReceivedScale, of device: ReceivedDevice) throws(ExitError) {
    try create()
    let numbers = [
      reading.grams, reading.grossGrams, reading.tareGrams, reading.errorGrams,
    ].map { $0.map(unit.text) ?? "" }
    let time = ReadingLog.timestamp(Glibc.time(nil))
    let source = device.weightSource.rawValue
    try write([time, device.device, reading.status.rawValue] + numbers + [source])
    count += 1
  }

  private func write(_ fields: [String]) throws(ExitError) {
    let record = fields.map(ReadingLog.quoted).joined(separator: ",") + "\r\n"
    try SystemError.orExit(.cannotCreate, try file?.append(record) ?? ())
  }

  /// A time in the format of ISO 8601, in UTC.
  static func timestamp(_ time: time_t) -> String {
    var (time, parts) = (time, tm())
    gmtime_r(&time, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let length = strftime(start, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
      return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  private static func quoted(_ field: String) -> String {
    guard field.contains(where: { ",\"\r\n".contains($0) }) else { return field }
    return
      "\"\(field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}

/// The stable readings of a scale since the program started, as the daemon's configuration defines them.
///
/// The daemon's history is requested whenever the scale is at rest; readings that are later than all before are new.
struct ReadingHistory: Equatable {
  /// The number of readings in a request; there are never more new ones between two replies.
  static let requestedCount = 10

  /// The net grams, the newest first.
  private(set) var grams: [Double] = []

  private(set) var isRequested = false
  private var isOutdated = false

  /// The time of the latest reading; nil before the first reply.
  private var lastTime: Int64?

  /// Notes a stable reading; returns whether to request the history.
  mutating func stableReadingReceived() -> Bool {
    isOutdated = isRequested
    defer { isRequested = true }
    return !isRequested
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
    defer { isOutdated = false }
    isRequested = isOutdated
    return (newReadings, isOutdated)
  }
}
