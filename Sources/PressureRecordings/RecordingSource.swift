internal import PressureKit
internal import PressureSystem

/// The bytes of a recording and the reader for their format, which may have to read them twice.
struct RecordingSource {
  /// How many events are examined to find out whether the description is complete.
  private static let examinedEvents = 1024

  private let bytes: ByteReader
  private var format: RecordingFormat
  private let options: Recording.Options
  private let isDescribed: Bool

  /// Whether a file of YAML has to be read line by line.
  private(set) var isFragment = false

  init(
    _ path: String, _ options: Recording.Options, isDescribed: Bool,
    accepting kind: InputFile.Kind
  ) throws(RecordingError) {
    bytes = try ByteReader(path: path, keeping: LineReader.longestLine, accepting: kind)
    format = try RecordingSource.format(bytes)
    self.options = options
    self.isDescribed = isDescribed
  }

  /// Detects the format from as few bytes as possible, since a pipe may block.
  private static func format(_ bytes: ByteReader) throws(RecordingError) -> RecordingFormat {
    while bytes.rest.count < ByteReader.chunkSize, try bytes.fill() {
      if let format = FormatDetector.format(head: bytes.rest, isWhole: false) {
        return try supported(format, bytes.path)
      }
    }
    guard let format = FormatDetector.format(head: bytes.rest, isWhole: true) else {
      throw .data(bytes.path, RecordingFormat.unknown)
    }
    return try supported(format, bytes.path)
  }

  private static func supported(
    _ format: RecordingFormat, _ path: String
  ) throws(RecordingError) -> RecordingFormat {
    guard case .unsupported(let reason) = format else { return format }
    throw .data(path, reason)
  }

  /// A reader from the current position on, which is the start or, after `rewind`, the start again.
  func open(_ remarks: Remarks) throws(RecordingError) -> any RecordingReader {
    let device = options.device
    switch format {
    case .evemu: return try TextFile<EvemuDialect>(bytes, remarks, device: device)
    case .evtest: return try TextFile<EvtestDialect>(bytes, remarks, device: device)
    case .getevent: return try TextFile<GeteventDialect>(bytes, remarks, device: device)
    case .libinputFragment: return try TextFile<LibinputFragment>(bytes, remarks, device: device)
    case .libinput:
      return try LibinputFile(bytes, remarks, device: device, isDescribed: isDescribed)
    case .raw:
      if let device, device > 1 { throw .missingDevice(bytes.path, device) }
      return RawFile(bytes)
    case .unsupported(let reason): throw .data(bytes.path, reason)
    }
  }

  /// Completes the description, which another file may have given, by the events if necessary.
  ///
  /// The position is the start again, unless the completion has a reader.
  mutating func completion(of given: DeviceDescription?) throws(RecordingError) -> Completion {
    let reader = try openForCompletion()
    if given == nil, format == .raw {
      throw .data(bytes.path, "raw events have no device description; add one with --describe FILE")
    }
    let recorded = reader.description
    let description = given.map { RecordingSource.merged($0, with: recorded) } ?? recorded
    guard bytes.isSeekable else {
      if description.axes.isEmpty, format != .libinput {
        throw .data(
          bytes.path, "no device description, and a pipe cannot be read twice to infer one")
      }
      return Completion(of: description, reader: reader)
    }
    var observed = ObservedDevice(description, isGiven: given != nil)
    var count = 0
    // Up to the first error, which the second pass reports.
    while let event = try? reader.next() {
      observed.observe(event)
      count += 1
      if count == RecordingSource.examinedEvents, observed.isComplete { break }
    }
    _ = bytes.rewind()
    return try observed.completion(path: bytes.path, isWhole: format == .libinput)
  }

  /// Opens a recording, if necessary line by line: YAML cannot be parsed if a part of its beginning is missing.
  private mutating func openForCompletion() throws(RecordingError) -> any RecordingReader {
    let remarks = Remarks(path: bytes.path, isStrict: false)
    do throws(RecordingError) {
      return try open(remarks)
    } catch {
      guard format == .libinput, bytes.rewind() else { throw error }
      format = .libinputFragment
      guard let reader = try? open(remarks), (try? reader.next()) != nil, bytes.rewind() else {
        throw error
      }
      isFragment = true
      return try open(remarks)
    }
  }

  /// The description from another file, with the current slot of the recording if that has one.
  private static func merged(
    _ given: DeviceDescription, with recorded: DeviceDescription
  ) -> DeviceDescription {
    var description = given
    if recorded.axis(.slot) != nil { description.currentSlot = recorded.currentSlot }
    return description
  }
}
