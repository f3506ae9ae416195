internal import FoundationEssentials
internal import Glibc
package import PressureKit
package import PressureProtocol
package import PressureSystem

/// Stable readings in a file that a spreadsheet opens: RFC 4180, one record for each reading.
///
/// Each record is one write, so that a program that is killed leaves whole records. The file is made with the
/// first reading: what ends before that leaves everything as it was.
package final class ReadingLog {
  package let path: String

  /// How many readings are in it.
  package private(set) var count = 0

  private var file: Descriptor?
  private let unit: MassUnit
  private let replaces: Bool

  /// Finds out whether the file can be made.
  ///
  /// - Parameters:
  ///   - path: where.
  ///   - unit: what weights are in.
  ///   - replaces: whether a file that is there already is to go.
  /// - Throws: why it cannot be made, as where there is one.
  package init(_ path: String, in unit: MassUnit, replaces: Bool) throws(ExitError) {
    self.path = path
    self.unit = unit
    self.replaces = replaces
    if let number = ReadingLog.obstacle(to: path, replaces: replaces) {
      throw ExitError(SystemError(attempt: "create \(path)", number: number), making: path)
    }
  }

  /// What would keep us from making the file; nil where nothing is seen to.
  private static func obstacle(to path: String, replaces: Bool) -> Int32? {
    let place = path.lastIndex(of: "/").map { path[..<path.index(after: $0)] } ?? "."
    if access(path, F_OK) == 0 {
      guard replaces else { return EEXIST }
      return access(path, W_OK) == 0 ? nil : errno
    }
    return access(String(place), W_OK | X_OK) == 0 ? nil : errno
  }

  /// Makes the file, with the header.
  private func make() throws(ExitError) {
    guard file == nil else { return }
    let way = O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL)
    let number = open(path, way, 0o644)
    let fault = errno
    guard number >= 0 else {
      throw ExitError(SystemError(attempt: "create \(path)", number: fault), making: path)
    }
    file = Descriptor(number)
    let names = ["net", "gross", "tare", "error"].map { "\($0) (\(unit.rawValue))" }
    try write(["time (UTC)", "device", "status"] + names + ["weight source"])
  }

  /// Adds a reading.
  package func add(_ reading: ReceivedScale, of device: ReceivedDevice) throws(ExitError) {
    try make()
    let numbers = [
      reading.grams, reading.grossGrams, reading.tareGrams, reading.errorGrams,
    ].map { $0.map(unit.text) ?? "" }
    let time = Date.now.formatted(.iso8601)
    let source = device.weightSource.rawValue
    try write([time, device.device, reading.status.rawValue] + numbers + [source])
    count += 1
  }

  private func write(_ fields: [String]) throws(ExitError) {
    let record = fields.map(ReadingLog.quoted).joined(separator: ",") + "\r\n"
    let number = DescriptorWriter.writeAll(record, to: file?.number ?? -1)
    guard number == 0 else {
      throw ExitError(
        SystemError(attempt: "write to \(path)", number: number).sentence, .cannotCreate)
    }
  }

  private static func quoted(_ field: String) -> String {
    guard field.contains(where: { ",\"\r\n".contains($0) }) else { return field }
    return
      "\"\(field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}

/// The stable readings of a scale, as the daemon counts them by its configuration.
///
/// The daemon is asked for its history whenever a scale is at rest; what is later than all before is new.
struct ReadingHistory {
  /// How many readings of the history are asked for: no scale comes to rest more often between two answers.
  static let asked = 10

  /// The net grams of those since we came, the newest first.
  private(set) var grams: [Double] = []

  /// Whether an answer is on its way.
  private(set) var isAsked = false

  /// Whether the scale has said something since it was asked for.
  private var isBehind = false

  /// When the last reading was; nil before the first answer.
  private var lastTime: Int64?

  /// The scale is at rest; true where the daemon is to be asked for its history.
  mutating func note() -> Bool {
    isBehind = isAsked
    defer { isAsked = true }
    return !isAsked
  }

  /// Takes an answer of the daemon's.
  ///
  /// - Parameters:
  ///   - history: the last readings, the oldest first.
  ///   - isResting: whether the last of them lies there now; the first answer may tell of others, too.
  /// - Returns: the readings that are new, and whether to ask again.
  mutating func take(
    _ history: [ReceivedScale], isResting: Bool
  ) -> (news: [ReceivedScale], asksAgain: Bool) {
    let news =
      lastTime.map { last in history.filter { ($0.time ?? .min) > last } }
      ?? (isResting ? Array(history.suffix(1)) : [])
    lastTime = max(history.compactMap(\.time).max() ?? .min, lastTime ?? .min)
    grams = Array((news.reversed().compactMap(\.grams) + grams).prefix(ScaleMemory.historyLength))
    defer { isBehind = false }
    isAsked = isBehind
    return (news, isBehind)
  }
}
