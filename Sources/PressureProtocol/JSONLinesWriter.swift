internal import PressureKit

/// Writes JSON lines into a buffer that is reused, so that the steady state allocates nothing.
///
/// `JSONEncoder` takes fifty times as long for a line of ten contacts, and its order of keys differs from run to run.
public struct JSONLinesWriter: ~Copyable {
  private var storage: UnsafeMutablePointer<UInt8>
  private var capacity: Int

  /// The number of bytes written.
  public private(set) var count = 0

  /// Makes an empty writer.
  ///
  /// - Parameter capacity: The initial capacity in bytes, at least 64; it grows as needed.
  public init(capacity: Int = 4096) {
    self.capacity = max(capacity, 64)
    storage = .allocate(capacity: self.capacity)
  }

  deinit {
    storage.deallocate()
  }

  /// The bytes written so far; valid until the next mutation.
  package var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: storage, count: count)
  }

  /// The lines written so far, each with its line feed.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Removes all lines and keeps the capacity.
  public mutating func removeAll() {
    count = 0
  }

  /// Removes the closing `}` and line feed of the last line, so that fields can be appended to it.
  package mutating func reopen() {
    precondition(
      bytes.suffix(2).elementsEqual("}\n".utf8), "the buffer does not end with a complete line")
    count -= 2
  }

  /// Appends fields of at most `ByteCursor.maxWrite` bytes in all, with one check of the capacity.
  @inline(__always)
  package mutating func write(_ fields: (inout ByteCursor) -> Void) {
    var cursor = beginWrite()
    fields(&cursor)
    endWrite(cursor)
  }

  /// A cursor for what `write` would append.
  ///
  /// A large closure is not inlined, and its cursor is then in memory.
  @inline(__always)
  mutating func beginWrite() -> ByteCursor {
    reserve(ByteCursor.maxWrite)
    return ByteCursor(at: storage + count)
  }

  @inline(__always)
  mutating func endWrite(_ cursor: ByteCursor) {
    count = cursor.position - storage
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(by: more) }
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: storage, count: count)
    storage.deallocate()
    storage = larger
  }

  // MARK: - Values

  /// Appends a literal that is already JSON.
  ///
  /// Inlined so that the length is a constant and the call compiles to a few moves.
  @inline(__always)
  package mutating func append(_ literal: StaticString) {
    reserve(literal.utf8CodeUnitCount)
    (storage + count).initialize(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
    count += literal.utf8CodeUnitCount
  }

  /// Appends bytes that are already JSON.
  package mutating func append(raw bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (storage + count).initialize(from: start, count: bytes.count)
    count += bytes.count
  }

  private mutating func append(byte: UInt8) {
    reserve(1)
    (storage + count).initialize(to: byte)
    count += 1
  }

  // A name before a value is a literal that is already JSON.

  package mutating func append(_ value: Bool) {
    append(value ? "true" : "false")
  }

  package mutating func append(_ number: Int64) {
    write { $0.put("", number) }
  }

  @inline(__always)
  package mutating func append(_ name: StaticString, _ number: Int64) {
    write { $0.put(name, number) }
  }

  /// Appends a number as `ByteCursor.put` does.
  @inline(__always)
  package mutating func append(_ name: StaticString, _ number: Double?, decimals: Int) {
    write { $0.put(name, number, decimals: decimals) }
  }

  package mutating func append(_ name: StaticString, _ value: Bool) {
    append(name)
    append(value)
  }

  package mutating func append(_ name: StaticString, quoted text: String?) {
    append(name)
    if let text { append(quoted: text) } else { append("null") }
  }

  package mutating func append(_ name: StaticString, quoted texts: [String]?) {
    append(name)
    guard let texts else { return append("null") }
    append("[")
    append(list: texts) { $0.append(quoted: $1) }
    append("]")
  }

  /// Appends elements with commas between them.
  package mutating func append<Element>(
    list elements: some Sequence<Element>, _ append: (inout JSONLinesWriter, Element) -> Void
  ) {
    for (index, element) in elements.enumerated() {
      if index > 0 { self.append(",") }
      append(&self, element)
    }
  }

  /// Appends text that contains no character to escape, without quotes.
  package mutating func append(plain text: String) {
    var text = text
    text.withUTF8 { append(raw: $0) }
  }

  /// Appends a JSON string: the text in quotes, escaped.
  ///
  /// Besides the characters that JSON requires, it escapes those that a terminal interprets, because these lines are
  /// often displayed with socat: C1 control characters, bidirectional formatting characters, and the line and
  /// paragraph separators.
  package mutating func append(quoted text: String) {
    append("\"")
    var copy = text
    copy.withUTF8 { bytes in
      // Most strings contain no character to escape.
      if bytes.allSatisfy(JSONLinesWriter.isPlain) {
        append(raw: bytes)
      } else {
        for scalar in text.unicodeScalars { append(escaped: scalar) }
      }
    }
    append("\"")
  }

  /// Whether a byte never needs escaping, regardless of the bytes around it.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7f: false
    // The lead bytes of C1 control characters, of the Arabic letter mark, and of General Punctuation.
    case 0xc2, 0xd8, 0xe2: false
    default: true
    }
  }

  private mutating func append(escaped scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append("\\\"")
    case "\\": append("\\\\")
    case "\n": append("\\n")
    case "\t": append("\\t")
    case "\0"..<" ", "\u{7f}"..<"\u{a0}", "\u{61c}", "\u{200e}"..."\u{200f}",
      "\u{2028}"..."\u{202e}", "\u{2066}"..."\u{2069}":
      append("\\u")
      let digits: StaticString = "0123456789abcdef"
      for shift in stride(from: 12, through: 0, by: -4) {
        append(byte: digits.utf8Start[Int(scalar.value >> shift & 15)])
      }
    default: for byte in scalar.utf8 { append(byte: byte) }
    }
  }
}
