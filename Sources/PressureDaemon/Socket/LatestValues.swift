internal import PressureKit
internal import PressureProtocol

/// The newest line of each subject, in memory that is used again.
struct LatestValues: ~Copyable {
  private struct Entry {
    var subject: Batch.Subject
    var place: Range<Int>
  }

  private var entries: [Entry] = []
  private var text = JSONLinesWriter()

  /// The bytes of a subject's line, none where there is no line; valid until the next change.
  func bytes(of subject: Batch.Subject) -> UnsafeBufferPointer<UInt8> {
    let entry = entries.first { $0.subject == subject }
    return .init(rebasing: text.bytes[entry?.place ?? 0..<0])
  }

  /// Keeps a line in the place of the subject's older one.
  mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>, of subject: Batch.Subject) {
    forget(subject)
    let start = text.count
    text.append(raw: bytes)
    entries.append(Entry(subject: subject, place: start..<text.count))
  }

  /// Keeps all lines of others.
  mutating func keep(_ others: borrowing LatestValues) {
    for entry in others.entries { keep(others.bytes(of: entry.subject), of: entry.subject) }
  }

  /// There is no line of this subject any more.
  mutating func forget(_ subject: Batch.Subject) {
    entries.removeAll { $0.subject == subject }
  }

  /// Forgets all lines, and keeps the memory.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    text.removeAll()
  }
}
