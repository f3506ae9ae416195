internal import CEvdev
internal import PressureKit
internal import PressureSystem

/// The bytes of a recording and the reader for their format, which may have to read them twice.
struct RecordingSource {
  /// How many events are examined to find out whether the description is complete.
  private static let examinedEvents = 1024

  private let bytes: ByteReader
  private let format: RecordingFormat
  private var device: Int?
  private let isDescribed: Bool

  init(_ bytes: ByteReader, _ device: Int?, isDescribed: Bool) throws(ExitError) {
    self.bytes = bytes
    // From as few bytes as possible, since a pipe may block.
    var found: RecordingFormat?
    while found == nil, bytes.rest.count < ByteReader.chunkSize, try bytes.fill() {
      found = RecordingFormat(head: bytes.rest, isWhole: false)
    }
    guard let format = found ?? RecordingFormat(head: bytes.rest, isWhole: true) else {
      throw .data(
        bytes.path,
        "is not a recognized recording (libinput record, evemu-record, evtest, getevent, "
          + "or raw input_event)")
    }
    self.format = format
    self.device = device
    self.isDescribed = isDescribed
  }

  /// A reader from the current position on, which is the start or, after `rewind`, the start again.
  func open(_ warnings: RecordingWarnings) throws(ExitError) -> FormatReader {
    switch format {
    case .evemu: return try text(EvemuFormat.self, warnings)
    case .evtest: return try text(EvtestFormat.self, warnings)
    case .getevent: return try text(GeteventFormat.self, warnings)
    case .libinput: return try text(LibinputFormat.self, warnings)
    case .raw:
      if let device, device > 1 { throw .missingDevice(bytes.path, device) }
      let file = RawFile(bytes)
      return FormatReader(file: file) { () throws(ExitError) in try file.next() }
    }
  }

  private func text<Format: TextFormat>(
    _ type: Format.Type, _ warnings: RecordingWarnings
  ) throws(ExitError) -> FormatReader {
    let file = try TextFile<Format>(bytes, warnings, device: device, isDescribed: isDescribed)
    return FormatReader(file: file) { () throws(ExitError) in try file.next() }
  }

  /// Completes the description, which another file may have given, by the events if necessary.
  ///
  /// The position is the start again.
  mutating func completion(of given: DeviceDescription?) throws(ExitError) -> Completion {
    let warnings = RecordingWarnings(path: bytes.path)
    var reader = try open(warnings)
    if device == nil, let selected = reader.file.selectedDevice {
      // Its first events may precede the one that shows that it is a touch device.
      device = selected
      if bytes.rewind() { reader = try open(warnings) }
    }
    if given == nil, format == .raw {
      throw .data(bytes.path, "raw events have no device description; add one with --describe FILE")
    }
    let recorded = reader.file.description
    // That of another file has the current slot of its own recording.
    var description = given ?? recorded
    if recorded.axis(.slot) != nil { description.currentSlot = recorded.currentSlot }
    var observed = ObservedDevice(description, isGiven: given != nil)
    let error = examine(reader, &observed)
    if let error = bytes.keepingError { throw error }
    _ = bytes.rewind()
    var completion = try observed.completion(path: bytes.path, error: error)
    if given != nil { completion.warnings += observed.contradictions(to: recorded) }
    return completion
  }

  /// Reads events up to the first error, which the second pass reports, or until they agree with the description.
  ///
  /// A pipe is examined up to the first frame with a contact, since its events may come from a device that is in use.
  ///
  /// - Returns: the error, or nil.
  private func examine(
    _ reader: FormatReader, _ observed: inout ObservedDevice
  ) -> ExitError? {
    if !bytes.isSeekable, observed.isUnsupported { return nil }
    var count = 0
    var isUndecided = true
    do throws(ExitError) {
      while let event = try reader.next() {
        observed.observe(event)
        count += 1
        guard isUndecided else { continue }
        isUndecided =
          bytes.isSeekable
          ? count < RecordingSource.examinedEvents : event.code != .report || !observed.hasContact
        if !isUndecided, observed.isComplete { return nil }
      }
      return nil
    } catch {
      return error
    }
  }
}

/// A reader of one file format: the initializer reads the description, `next` the events.
protocol RecordingReader: AnyObject {
  /// The device as described by the file; without axes if the file has no description.
  var description: DeviceDescription { get }

  func next() throws(ExitError) -> InputEvent?

  /// An error at the location of the latest event.
  func error(_ reason: String) -> ExitError

  /// The number of the line of the latest event; 0 before it, and in a file without lines.
  var latestEvent: Int { get }

  /// The number of the device that is read, if the reader has chosen it by its events.
  var selectedDevice: Int? { get }
}

struct FormatReader {
  let file: any RecordingReader

  /// A closure, which is specialized for the format: called through the protocol, reading took a quarter longer.
  let next: () throws(ExitError) -> InputEvent?
}

/// A copy of the bytes of a device node of a 64-bit little-endian machine, which has no description.
///
/// The corresponding kernel structure is `input_event`.
final class RawFile: RecordingReader {
  /// Bytes of a record: seconds and microseconds 8 each, type and code 2 each, value 4.
  static let recordSize = 24

  let description = DeviceDescription()
  private let bytes: ByteReader
  private var offset = 0

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  func next() throws(ExitError) -> InputEvent? {
    offset = bytes.offset
    while bytes.rest.count < RawFile.recordSize {
      guard try !bytes.fill() else { continue }
      guard bytes.rest.count > 0 else { return nil }
      throw error(
        "the last record is incomplete: \(bytes.rest.count) of \(RawFile.recordSize) bytes")
    }
    defer { bytes.drop(RawFile.recordSize) }
    do {
      return try RawFile.event(bytes.rest)
    } catch {
      throw self.error(error.reason)
    }
  }

  var latestEvent: Int { 0 }

  var selectedDevice: Int? { nil }

  func error(_ reason: String) -> ExitError {
    .data(bytes.path, location: ": byte \(offset)", reason)
  }

  private static func event(_ record: UnsafeRawBufferPointer) throws(LineError) -> InputEvent {
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
      Number(littleEndian: record.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
    return InputEvent(
      time: try Timestamp(recorded: number(at: 0), number(at: 8)),
      code: EventCode(type: number(at: 16), code: number(at: 18)), value: number(at: 20))
  }

  /// Whether a file that begins so can be such a copy: the three upper bytes of plausible seconds are 0.
  static func isLikely(_ head: UnsafeRawBufferPointer) -> Bool {
    let seconds = head.prefix(8)
    guard seconds.count == 8, seconds.suffix(3).allSatisfy({ $0 == 0 }) else { return false }
    guard head.count >= recordSize else { return true }
    guard let event = try? event(head) else { return false }
    return event.code.type <= EV_MAX && event.code.code <= KEY_MAX
  }
}

/// The format of a file, detected from its content.
package enum RecordingFormat: Hashable {
  case evemu
  /// The output of evtest, or of python-evdev's program of that name.
  case evtest
  case getevent
  /// The YAML of `libinput record`, or lines of it.
  case libinput
  /// Records of `struct input_event`, as read from a device node.
  case raw

  /// The format of a file that begins with these bytes; nil if they are not sufficient.
  ///
  /// The first line that only one format can contain decides, or else the first that a recording may contain among others.
  init?(head: UnsafeRawBufferPointer, isWhole: Bool) {
    var cleaner = CleanLine()
    var fallback: RecordingFormat?
    var format = RawFile.isLikely(head) ? RecordingFormat.raw : nil
    for line in head.split(separator: UInt8(ascii: "\n")) where format == nil {
      let text = LineCursor(cleaner.clean(UnsafeRawBufferPointer(rebasing: line)))
      format = RecordingFormat.certain(text)
      fallback = fallback ?? RecordingFormat.possible(text)
    }
    guard let found = format ?? (isWhole ? fallback : nil) else { return nil }
    self = found
  }

  private static func certain(_ line: LineCursor) -> RecordingFormat? {
    let start = line.afterMarks
    if start.peek == UInt8(ascii: "#") {
      if start.starts(with: "# EVEMU") { return .evemu }
      return start.starts(with: "# libinput record") ? .libinput : nil
    }
    if start.starts(with: "ndevices:") { return .libinput }
    var event = line
    if EvtestFormat.findEvent(&event) { return .evtest }
    if GeteventFormat.findEvent(&event) { return .getevent }
    if LibinputFormat.findEvent(&event) { return .libinput }
    if EvemuFormat.findEvent(&event) {
      guard (try? EvemuFormat().event(&event)) != nil, event.isAtEnd() else { return nil }
      return .evemu
    }
    if start.starts(with: "Input driver version") || start.starts(with: "Input device ID:")
      || start.starts(with: "Input device name:")
    {
      return .evtest
    }
    if start.starts(with: "add device ") { return .getevent }
    switch start.evemuTag {
    case nil, UInt8(ascii: "N"), UInt8(ascii: "L"), UInt8(ascii: "S"): return nil
    default: return .evemu
    }
  }

  private static func possible(_ line: LineCursor) -> RecordingFormat? {
    var cursor = line.afterMarks
    if cursor.starts(with: "Device name: ") || cursor.startsWithNumber(after: "Event code ")
      || cursor.startsWithNumber(after: "Event type ")
    {
      return .evtest
    }
    if cursor.skip("E: ") { return .evemu }
    return cursor.skip("N: ") && !cursor.isAtEnd() ? .evemu : nil
  }
}
