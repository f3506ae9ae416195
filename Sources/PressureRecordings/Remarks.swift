internal import PressureKit
internal import PressureSystem

/// What was skipped, inferred or completed while a recording was read.
///
/// If the reading is strict, the first remark is an error instead.
final class Remarks {
  /// How many bytes of a line are quoted.
  private static let longestQuote = 60

  /// What is counted instead of being reported line by line.
  enum Kind: CaseIterable {
    /// Lines that are not part of the recording.
    case skipped
    /// Events in more than one line.
    case wrapped
    /// SYN_DROPPED.
    case lost
  }

  let path: String
  let isStrict: Bool

  private var sentences: [String] = []
  private var counted: [Kind: (line: Int, quote: String, count: Int)] = [:]

  init(path: String, isStrict: Bool) {
    self.path = path
    self.isStrict = isStrict
  }

  /// All remarks so far, as messages with file and line.
  var all: [String] {
    sentences
      + Kind.allCases.compactMap { kind in
        guard let (line, quote, count) = counted[kind] else { return nil }
        return "\(path)\(Remarks.location(line)): \(kind.sentence(quote, count))"
      }
  }

  /// Adds a remark about the whole file, or about a line.
  func add(_ sentence: String, line: Int = 0) throws(RecordingError) {
    if isStrict { throw .data(path, location: Remarks.location(line), sentence) }
    sentences.append("\(path)\(Remarks.location(line)): \(sentence)")
  }

  /// Counts a line.
  func count(
    _ kind: Kind, line: Int,
    _ text: UnsafeRawBufferPointer = UnsafeRawBufferPointer(
      start: nil, count: 0)
  ) throws(RecordingError) {
    if isStrict {
      let sentence = kind.sentence(Remarks.quote(text), 1)
      throw .data(path, location: Remarks.location(line), sentence)
    }
    if let first = counted[kind] {
      counted[kind] = (first.line, first.quote, first.count + 1)
    } else {
      counted[kind] = (line, Remarks.quote(text), 1)
    }
  }

  private static func location(_ line: Int) -> String { line > 0 ? ":\(line)" : "" }

  /// The beginning of a line in quotation marks.
  static func quote(_ text: UnsafeRawBufferPointer) -> String {
    let shown = text.drop { $0.isBlank }.prefix(longestQuote)
    let isCut = shown.endIndex < text.endIndex
    let quoted = String(decoding: UnsafeRawBufferPointer(rebasing: shown), as: UTF8.self)
    return "\"\(quoted.onOneLine)\(isCut ? "…" : "")\""
  }
}

extension Remarks.Kind {
  fileprivate func sentence(_ quote: String, _ count: Int) -> String {
    switch self {
    case .skipped where count == 1: "skipped a line that is not part of the recording: \(quote)"
    case .skipped:
      "skipped \(count) lines that are not part of the recording, the first is \(quote)"
    case .wrapped where count == 1: "joined an event that is wrapped"
    case .wrapped: "joined \(count) events that are wrapped, the first is here"
    case .lost:
      "events were lost (SYN_DROPPED): contacts are cancelled, and values are ignored until the "
        + "next ABS_MT_SLOT"
    }
  }
}
