import PressureKit

/// A recording by evemu, or what hand tools write in its manner.
///
/// ```
/// A: 3a 0 255 0 0 0
/// E: 1382570965.735216 0003 003a 0039
/// ```
final class EvemuFile: RecordingReader {
  static let noLine = "this is no line of an evemu recording"

  let description: DeviceDescription
  private let lines: LineReader

  /// Reads the description, up to the first event.
  init(_ bytes: ByteReader) throws(RecordingError) {
    lines = LineReader(bytes)
    var header = EvemuHeader()
    while let line = try lines.next() {
      do {
        if try header.read(line) { continue }
      } catch {
        throw lines.fault(error.reason)
      }
      lines.hold()
      break
    }
    description = header.description
  }

  func next() throws(RecordingError) -> InputEvent? {
    while let line = try lines.next() {
      var cursor = LineCursor(line)
      do {
        if let event = try EvemuFile.event(&cursor) { return event }
      } catch {
        throw lines.fault(error.reason)
      }
    }
    return nil
  }

  func fault(_ reason: String) -> RecordingError { lines.fault(reason) }

  /// The event in a line, nil where the line is empty or a comment.
  @inline(__always)
  private static func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    guard cursor.skip("E:") else {
      if cursor.isAtEnd() { return nil }
      throw LineError(reason: noLine)
    }
    let time = try time(&cursor)
    let type = try cursor.hexadecimal("type", as: UInt16.self)
    let code = try cursor.hexadecimal("code", as: UInt16.self)
    let value = try cursor.decimal("value", as: Int32.self)
    guard cursor.isAtEnd() else { throw LineError(reason: "the line goes on after the value") }
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  /// Seconds and microseconds; these are a number of their own: "1.5" is 5 µs after a second.
  @inline(__always)
  private static func time(_ cursor: inout LineCursor) throws(LineError) -> Timestamp {
    let seconds = try cursor.decimal("time", as: UInt64.self)
    guard cursor.skip(UInt8(ascii: ".")) else {
      throw LineError(reason: "the time has no microseconds")
    }
    let microseconds = try cursor.decimal("microseconds", as: UInt32.self)
    return try Timestamp(recorded: Int64(clamping: seconds), Int64(microseconds))
  }
}
