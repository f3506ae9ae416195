internal import PressureKit
internal import PressureSystem

/// A format of text in which each event has its own line.
protocol TextFormat {
  init()

  static var name: StaticString { get }

  /// Whether a bracket ends the value of an event, so that no other line can continue it.
  static var closesValues: Bool { get }

  /// The event in a line as the recorder writes it, parsed as quickly as possible; nil for any other line.
  static func plainEvent(_ line: LineCursor) -> InputEvent?

  /// Moves to an event anywhere in a line, such as after the time stamp of a log; returns false if there is none.
  static func findEvent(_ cursor: inout LineCursor) -> Bool

  static func startsRecording(_ cursor: LineCursor) -> Bool

  /// The device as far as it is described; complete before the first event.
  var description: DeviceDescription { get }

  mutating func readHeader(_ cursor: inout LineCursor) throws(LineError) -> HeaderLine

  /// Whether the recorder writes several devices one after the other, of which the first touch device is read.
  static var holdsSeveral: Bool { get }

  /// The number of the device to be read, if that is known only by its events.
  var selectedDevice: Int? { get }

  /// Whether an event is of the device to be read, counted from 1, or of the first touch device; the first one that is ends the
  /// description.
  mutating func selects(_ cursor: LineCursor, of device: Int?) throws(LineError) -> Bool

  /// How many devices there are so far, if their events may be mixed; nil if they never are.
  var deviceCount: Int? { get }

  /// Parses an event that was found; nil if it is of another device.
  mutating func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent?

  var warnings: [String] { get }
}

extension TextFormat {
  static var closesValues: Bool { false }

  static func plainEvent(_ line: LineCursor) -> InputEvent? { nil }

  static var holdsSeveral: Bool { false }

  var selectedDevice: Int? { nil }

  mutating func selects(_ cursor: LineCursor, of device: Int?) throws(LineError) -> Bool { true }

  var deviceCount: Int? { nil }

  var warnings: [String] { [] }
}

/// The meaning of a line that has no event.
enum HeaderLine {
  case part
  case silent
  case unknown
}

/// A recording of lines, which may be quoted, indented, colored, wrapped, or between other text, as in a bug report.
///
/// A line as a recorder writes it is parsed at once. Any other line is cleaned and searched for an event; without one it is
/// skipped with a warning. An event that cannot be parsed is an error.
final class TextFile<Format: TextFormat>: RecordingReader {
  private let lines: LineReader
  private let warnings: RecordingWarnings
  private var format = Format()
  private var cleaner = CleanLine()
  private var joined = CleanLine()

  /// The rest of a line after its first event, if `hasRest`; valid until the next line is read.
  private var rest = LineCursor(UnsafeRawBufferPointer(start: nil, count: 0))
  @exclusivity(unchecked) private var hasRest = false

  /// The number of the latest line with an event, or 0.
  ///
  /// Exclusivity checks are off for what is used for each event, and only within `next`.
  @exclusivity(unchecked) private(set) var latestEvent = 0
  private var hasHeader = false

  /// The first line after the description that is neither a part of it nor an event.
  private var firstUnknown: (line: Int, quote: String)?

  @exclusivity(unchecked) private var isOver = false

  /// The number of the device to be read, counted from 1, if the user has chosen one.
  private let device: Int?

  init(
    _ bytes: ByteReader, _ warnings: RecordingWarnings, device: Int? = nil,
    isDescribed: Bool = false
  ) throws(ExitError) {
    lines = LineReader(bytes)
    self.warnings = warnings
    self.device = device
    try readHeader(isDescribed: isDescribed)
  }

  var description: DeviceDescription { format.description }

  var selectedDevice: Int? { format.selectedDevice }

  func error(_ reason: String) -> ExitError { lines.error(reason) }

  @inline(__always)
  func next() throws(ExitError) -> InputEvent? {
    while true {
      if hasRest {
        if let event = try nextInLine() { return event }
        continue
      }
      guard !isOver, let line = try lines.next() else {
        try end()
        return nil
      }
      if let event = Format.plainEvent(LineCursor(line)) {
        latestEvent = lines.number
        return event
      }
      if let event = try unusual(line) { return event }
    }
  }

  /// The next event in the latest line.
  ///
  /// A separate function, so that the compiler does not move the access to `rest` in front of the loop.
  @inline(never)
  private func nextInLine() throws(ExitError) -> InputEvent? {
    hasRest = false
    return try event(at: rest)
  }

  // MARK: - The description

  /// Reads up to the first event of the wanted device, or else of the first that may be read.
  private func readHeader(isDescribed: Bool) throws(ExitError) {
    // The events of mixed devices select one.
    let wanted = format.deviceCount == nil ? device : nil
    var number = 1
    var (hasBegun, hasEvents) = (false, false)
    var best: Format?
    while let line = try lines.next() {
      let text = cleaner.clean(line)
      if Format.startsRecording(LineCursor(text)) {
        if hasHeader || hasEvents {
          guard number != wanted else {
            isOver = true
            return
          }
          best = better(best)
          number += 1
          (format, hasHeader, hasEvents) = (Format(), false, false)
        }
        hasBegun = true
      }
      var cursor = LineCursor(text)
      if Format.findEvent(&cursor) {
        // Lines without a beginning are of one device.
        let isRead = wanted.map { $0 == number } ?? (isDescribed || !hasBegun || mayBeTouchDevice)
        // A broken event is reported when it is read.
        if isRead, (try? format.selects(cursor, of: device)) ?? true { return lines.unread() }
        hasEvents = true
        continue
      }
      let isSkipped = number < wanted ?? 1
      var kind = HeaderLine.silent
      do throws(LineError) {
        kind = try format.readHeader(&cursor)
      } catch {
        if !isSkipped { throw lines.error(error.reason) }
      }
      if kind == .part { (hasHeader, firstUnknown) = (true, nil) }
      if kind == .unknown, !isSkipped { try skip(text) }
    }
    let count = format.deviceCount ?? number
    if let device, device > count { throw .missingDevice(warnings.path, device) }
    format = better(best)
  }

  /// Whether the device is one that is read, or it is not described, so that its events show what it is.
  private var mayBeTouchDevice: Bool {
    let description = format.description
    return !Format.holdsSeveral || description.axes.isEmpty && description.keys == nil
      || description.isTouchCandidate
  }

  /// The device to describe if none is read: the first touch device, or the first.
  private func better(_ best: Format?) -> Format {
    guard let best, best.description.isTouchCandidate || !format.description.isTouchCandidate
    else { return format }
    return best
  }

  // MARK: - Unusual lines

  /// Reads a line that is not as a recorder writes it; nil if it has no event.
  @inline(never)
  private func unusual(_ line: UnsafeRawBufferPointer) throws(ExitError) -> InputEvent? {
    let text = cleaner.clean(line)
    var cursor = LineCursor(text)
    if Format.findEvent(&cursor) { return try event(at: cursor) }
    if latestEvent > 0, Format.startsRecording(cursor) {
      isOver = true
      if device == nil {
        warnings.add(
          "another recording begins here; --device reads it, and --list shows all",
          line: lines.number)
      }
      return nil
    }
    try skip(text)
    return nil
  }

  private func event(at start: LineCursor) throws(ExitError) -> InputEvent? {
    var cursor = start
    let problem: ExitError
    do throws(LineError) {
      let event = try format.event(&cursor)
      latestEvent = lines.number
      if !cursor.isAtEnd() {
        // Another event must follow.
        rest = cursor
        hasRest = Format.findEvent(&rest)
        if !hasRest { throw LineError(reason: "unexpected text after the value") }
      }
      return event
    } catch {
      problem = lines.error(error.reason)
    }
    guard cursor.isAtEnd(), lines.isTerminated else { throw problem }
    return try wrapped(start, problem)
  }

  /// Joins an event with the lines into which a mail program or a terminal has wrapped it.
  private func wrapped(
    _ start: LineCursor, _ problem: ExitError
  ) throws(ExitError) -> InputEvent? {
    let number = lines.number
    joined.begin(start)
    for _ in 0..<LineReader.longestWrap {
      guard let line = try lines.next() else { break }
      var more = LineCursor(cleaner.clean(line))
      var event = more
      if Format.findEvent(&event) { break }
      more.skipQuoteMarks()
      joined.append(UInt8(ascii: " "))
      joined.append(more)
      var cursor = LineCursor(joined.bytes)
      guard let event = try? format.event(&cursor), cursor.isAtEnd() else { continue }
      latestEvent = lines.number
      warnings.count(.wrapped, line: number)
      return event
    }
    throw problem
  }

  /// Skips a line without an event, with a warning unless it is empty or a comment.
  private func skip(_ text: UnsafeRawBufferPointer) throws(ExitError) {
    var cursor = LineCursor(text).afterMarks
    guard cursor.isWorthAWarning, latestEvent == 0 || !isSilent(text) else { return }
    if !Format.closesValues, latestEvent > 0, latestEvent + 1 == lines.number,
      cursor.skipDigits() > 0, cursor.isAtEnd()
    {
      throw lines.error(inLine: latestEvent, "the line seems to be wrapped within its value")
    }
    if firstUnknown == nil { firstUnknown = (lines.number, RecordingWarnings.quote(text)) }
    warnings.count(.skipped, line: lines.number, text)
  }

  private func isSilent(_ text: UnsafeRawBufferPointer) -> Bool {
    var (other, cursor) = (format, LineCursor(text))
    return (try? other.readHeader(&cursor)) == .silent
  }

  /// Ends the recording: a description that is followed by anything but events was not understood.
  private func end() throws(ExitError) {
    for warning in format.warnings { warnings.add(warning) }
    guard latestEvent == 0, hasHeader, let firstUnknown else { return }
    throw lines.error(
      inLine: firstUnknown.line,
      "not an event of \(Format.name), and none follows: \(firstUnknown.quote)")
  }
}

extension LineCursor {
  /// Whether there is more than a fence, a comment, or the character that a terminal prints for an interrupt.
  fileprivate var isWorthAWarning: Bool {
    var cursor = self
    guard let first = peek, first != UInt8(ascii: "#") else { return false }
    return !(cursor.skip(UInt8(ascii: "C")) && cursor.isAtEnd())
  }

  /// Skips indentation and what a mail program puts before each line of a quotation.
  mutating func skipQuoteMarks() {
    skip { !$0.isBlank && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "|") }
  }
}
