import PressureKit

/// What evtest prints, as people paste it: quoted, indented, with other lines before it.
final class EvtestFile: RecordingReader {
  let description: DeviceDescription
  private let lines: LineReader

  /// Reads the description, up to the first event.
  init(_ bytes: ByteReader) throws(RecordingError) {
    lines = LineReader(bytes)
    var header = EvtestHeader()
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
      cursor.skipMarks()
      if EvtestFile.isNoise(cursor) { continue }
      do {
        return try EvtestLine.event(&cursor)
      } catch {
        throw lines.fault(error.reason)
      }
    }
    return nil
  }

  func fault(_ reason: String) -> RecordingError { lines.fault(reason) }

  /// Whether a line among the events is empty, or one of those that a terminal shows when evtest ends.
  private static func isNoise(_ cursor: LineCursor) -> Bool {
    var cursor = cursor
    if cursor.peek == nil || cursor.skip("evtest: ") || cursor.skip("expected ") { return true }
    guard cursor.skip(UInt8(ascii: "C")) else { return false }
    return cursor.isAtEnd()
  }
}
