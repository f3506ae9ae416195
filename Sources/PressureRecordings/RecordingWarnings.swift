internal import PressureKit
internal import PressureSystem

extension ExitError {
  static func missingDevice(_ path: String, _ number: Int) -> ExitError {
    data(path, "there is no device \(number); --list shows the devices of a recording")
  }

  /// The content of the file is invalid.
  ///
  /// The location is in the format of compilers, such as ":17"; it is empty for the whole file.
  static func data(_ path: String, location: String = "", _ reason: String) -> ExitError {
    ExitError("\(path)\(location): \(reason)", .badData)
  }
}

/// What was skipped, inferred or completed while a recording was read.
final class RecordingWarnings {
  private static let longestQuote = 60

  /// What is counted instead of being reported line by line.
  enum Kind: CaseIterable {
    case skipped
    case wrapped
    case lost

    func sentence(_ quote: String, _ count: Int) -> String {
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

  let path: String

  private var sentences: [String] = []
  private var counted: [Kind: (line: Int, quote: String, count: Int)] = [:]

  init(path: String) {
    self.path = path
  }

  /// All warnings so far, as messages with file and line.
  var all: [String] {
    sentences
      + Kind.allCases.compactMap { kind in
        guard let (line, quote, count) = counted[kind] else { return nil }
        return "\(path)\(RecordingWarnings.location(line)): \(kind.sentence(quote, count))"
      }
  }

  func add(_ sentence: String, line: Int = 0) {
    sentences.append("\(path)\(RecordingWarnings.location(line)): \(sentence)")
  }

  /// Counts a line, of which the first one of each kind is quoted.
  func count(_ kind: Kind, line: Int, _ text: UnsafeRawBufferPointer? = nil) {
    if counted[kind] == nil { counted[kind] = (line, text.map(RecordingWarnings.quote) ?? "", 0) }
    counted[kind]?.count += 1
  }

  private static func location(_ line: Int) -> String { line > 0 ? ":\(line)" : "" }

  static func quote(_ text: UnsafeRawBufferPointer) -> String {
    let shown = text.drop { $0.isBlank }.prefix(longestQuote)
    let isCut = shown.endIndex < text.endIndex
    let quoted = String(decoding: UnsafeRawBufferPointer(rebasing: shown), as: UTF8.self)
    return "\"\(quoted.onOneLine)\(isCut ? "…" : "")\""
  }
}
