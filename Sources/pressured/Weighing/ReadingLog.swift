internal import FoundationEssentials
internal import Glibc
internal import PressureKit

/// Stable readings in a file that a spreadsheet opens: RFC 4180, one record for each reading.
///
/// Each record is one write, so that a program that is killed leaves whole records.
final class ReadingLog {
  let path: String

  /// How many readings are in it.
  private(set) var count = 0

  private let file: Descriptor
  private let unit: MassUnit

  /// Makes the file, with the header.
  ///
  /// - Parameters:
  ///   - path: where.
  ///   - unit: what weights are in.
  ///   - replaces: whether a file that is there already is to go.
  /// - Throws: why it cannot be made, as where there is one.
  init(_ path: String, in unit: MassUnit, replaces: Bool) throws(Failure) {
    self.path = path
    self.unit = unit
    let way = O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL)
    file = Descriptor(open(path, way, 0o644))
    guard file.number >= 0 else {
      throw Failure(SystemFault(attempt: "make \(path)", number: errno), making: path)
    }
    let names = ["net", "gross", "tare", "error"].map { "\($0) (\(unit.rawValue))" }
    try write(["time (UTC)", "device", "status"] + names + ["weight source"])
  }

  /// Adds a reading.
  func add(_ reading: ReceivedScale, of device: ReceivedDevice) throws(Failure) {
    let numbers = [
      reading.grams, reading.grossGrams, reading.tareGrams, reading.errorGrams,
    ].map { $0.map(unit.text) ?? "" }
    let time = Date.now.formatted(.iso8601)
    let source = device.weightSource.rawValue
    try write([time, device.device, reading.status.rawValue] + numbers + [source])
    count += 1
  }

  private func write(_ fields: [String]) throws(Failure) {
    let record = fields.map(ReadingLog.quoted).joined(separator: ",") + "\r\n"
    let bytes = Array(record.utf8)
    guard Glibc.write(file.number, bytes, bytes.count) == bytes.count else {
      throw Failure(SystemFault(attempt: "write to \(path)", number: errno).sentence, .cannotCreate)
    }
  }

  private static func quoted(_ field: String) -> String {
    guard field.contains(where: { ",\"\r\n".contains($0) }) else { return field }
    return
      "\"\(field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}
