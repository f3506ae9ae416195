/// Lines of JSON, built up in memory that is used again; nothing is allocated once it is warm.
///
/// `JSONEncoder` costs fifty times as much for a line of ten contacts, and orders its keys anew each run.
public struct JSONLines: ~Copyable {
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

  /// Writes some fields, and looks for room once; they take no more than `Pen.reach` bytes.
  @inline(__always)
  mutating func write(_ fields: (inout Pen) -> Void) {
    reserve(Pen.reach)
    var pen = Pen(at: storage + count)
    fields(&pen)
    count = pen.place - storage
    precondition(count <= capacity, "a pen has come out of its reach")
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

extension JSONLines {
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
  mutating func append(byte: UInt8) {
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
  mutating func append(plain text: String) {
    var text = text
    text.withUTF8 { append(raw: $0) }
  }

  /// Adds a text in quotes, escaped.
  public mutating func append(quoted text: String) {
    append("\"")
    var text = text
    text.withUTF8 { bytes in
      // Most texts have nothing in them to be escaped.
      if bytes.allSatisfy(JSONLines.isPlain) {
        append(raw: bytes)
      } else {
        for byte in bytes { append(escaped: byte) }
      }
    }
    append("\"")
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7f: false
    default: true
    }
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case UInt8(ascii: "\n"): append("\\n")
    case UInt8(ascii: "\t"): append("\\t")
    case 0..<0x20, 0x7f:
      append("\\u00")
      append(byte: JSONLines.digit(byte >> 4))
      append(byte: JSONLines.digit(byte & 15))
    default: append(byte: byte)
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
