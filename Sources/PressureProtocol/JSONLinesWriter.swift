/// Lines of JSON, built up in memory that is used again; nothing is allocated once it is warm.
///
/// `JSONEncoder` costs fifty times as much for a line of ten contacts, and orders its keys anew each run.
public struct JSONLinesWriter: ~Copyable {
  private var storage: UnsafeMutablePointer<UInt8>
  private var capacity: Int

  /// How many bytes are written.
  public private(set) var count = 0

  public init(capacity: Int = 4096) {
    self.capacity = max(capacity, 64)
    storage = .allocate(capacity: self.capacity)
  }

  deinit {
    storage.deallocate()
  }

  /// The bytes that are written so far; valid until the next change.
  public var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }

  /// The same as a text, for tests and for people.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Forgets the lines, and keeps the memory.
  public mutating func removeAll() {
    count = 0
  }

  /// Takes back the end of the last line, so that fields can be added to it.
  package mutating func reopen() {
    precondition(bytes.suffix(2).elementsEqual("}\n".utf8), "no line has ended")
    count -= 2
  }

  /// Writes some fields, and looks for room once; they take no more than `ByteCursor.reach` bytes.
  @inline(__always)
  package mutating func write(_ fields: (inout ByteCursor) -> Void) {
    reserve(ByteCursor.reach)
    var pen = ByteCursor(at: storage + count)
    fields(&pen)
    count = pen.place - storage
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
}

extension JSONLinesWriter {
  /// Adds text that is JSON already.
  ///
  /// Inlined, a literal's length is known, and a call becomes a few moves.
  @inline(__always)
  public mutating func append(_ literal: StaticString) {
    reserve(literal.utf8CodeUnitCount)
    (storage + count).initialize(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
    count += literal.utf8CodeUnitCount
  }

  /// Adds bytes that are JSON already.
  public mutating func append(raw bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (storage + count).initialize(from: start, count: bytes.count)
    count += bytes.count
  }

  /// Adds one byte.
  package mutating func append(byte: UInt8) {
    reserve(1)
    storage[count] = byte
    count += 1
  }

  public mutating func append(_ truth: Bool) {
    append(truth ? "true" : "false")
  }

  /// Adds a whole number.
  public mutating func append(_ number: Int64) {
    write { $0.put(number) }
  }

  /// Adds a number rounded to so many decimals, without needless zeros; what is no number is null.
  ///
  /// - Parameters:
  ///   - number: the number, nil where there is none.
  ///   - decimals: 0…4.
  @inline(__always)
  public mutating func append(_ number: Double?, decimals: Int) {
    write { $0.put(number, decimals: decimals) }
  }

  /// Adds a text that has nothing in it to be escaped.
  package mutating func append(plain text: String) {
    var text = text
    text.withUTF8 { append(raw: $0) }
  }

  /// Adds a text in quotes, escaped.
  ///
  /// Beside what JSON asks for, whatever a terminal obeys is escaped, as many read these lines with socat: C1 control
  /// characters, the marks that change the direction of writing, and the separators of lines and paragraphs.
  public mutating func append(quoted text: String) {
    append("\"")
    var text = text
    text.withUTF8 { bytes in
      // Most texts have nothing in them to be escaped.
      if bytes.allSatisfy(JSONLinesWriter.isPlain) {
        append(raw: bytes)
      } else {
        append(escaped: bytes)
      }
    }
    append("\"")
  }

  /// Whether a byte is written as it is, whatever stands beside it.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7f: false
    // The first bytes of C1 control characters, of the Arabic letter mark, and of General Punctuation.
    case 0xc2, 0xd8, 0xe2: false
    default: true
    }
  }

  private mutating func append(escaped bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while index < bytes.count {
      if let (scalar, length) = JSONLinesWriter.invisible(bytes[index...]) {
        append(escaped: scalar)
        index += length
      } else {
        append(escaped: bytes[index])
        index += 1
      }
    }
  }

  /// A character of several bytes that is not to be written as it is, with how many they are; nil where the bytes,
  /// which are UTF-8, begin with another one.
  private static func invisible(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (UInt16, Int)? {
    let (first, start) = (bytes.first ?? 0, bytes.startIndex)
    switch first {
    case 0xc2 where bytes[start + 1] < 0xa0: return (UInt16(bytes[start + 1]), 2)
    case 0xd8 where bytes[start + 1] == 0x9c: return (0x061c, 2)
    case 0xe2 where bytes[start + 1] == 0x80 || bytes[start + 1] == 0x81:
      let scalar =
        0x2000 + UInt16(bytes[start + 1] & 0x3f) << 6 + UInt16(bytes[start + 2] & 0x3f)
      switch scalar {
      case 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: return (scalar, 3)
      default: return nil
      }
    default: return nil
    }
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case UInt8(ascii: "\n"): append("\\n")
    case UInt8(ascii: "\t"): append("\\t")
    case 0..<0x20, 0x7f: append(escaped: UInt16(byte))
    default: append(byte: byte)
    }
  }

  private mutating func append(escaped scalar: UInt16) {
    append("\\u")
    for shift in [12, 8, 4, 0] as [UInt16] {
      append(byte: JSONLinesWriter.digit(UInt8(truncatingIfNeeded: scalar >> shift) & 15))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
