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

  /// Forgets what was written after a place.
  public mutating func truncate(to length: Int) {
    count = min(count, max(length, 0))
  }

  private mutating func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: storage, count: count)
    storage.deallocate()
    storage = larger
  }
}

extension JSONLines {
  /// Adds text that is JSON already.
  public mutating func append(_ literal: StaticString) {
    reserve(literal.utf8CodeUnitCount)
    (storage + count).update(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
    count += literal.utf8CodeUnitCount
  }

  /// Adds bytes that are JSON already.
  public mutating func append(raw bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (storage + count).update(from: start, count: bytes.count)
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
    if number < 0 { append(byte: UInt8(ascii: "-")) }
    append(digitsOf: number.magnitude)
  }

  /// Adds a number rounded to so many decimals, without needless zeros; what is no number is null.
  ///
  /// - Parameters:
  ///   - number: the number.
  ///   - decimals: 0…4.
  public mutating func append(_ number: Double, decimals: Int) {
    let scale = JSONLines.scales[min(max(decimals, 0), 4)]
    let scaled = number * Double(scale)
    guard scaled.magnitude < 9e15 else { return append("null") }
    let rounded = Int64(scaled + (scaled < 0 ? -0.5 : 0.5))
    if rounded < 0 { append(byte: UInt8(ascii: "-")) }
    let (whole, part) = rounded.magnitude.quotientAndRemainder(dividingBy: scale)
    append(digitsOf: whole)
    if part > 0 { append(fraction: part, scale: scale) }
  }

  private static let scales: InlineArray<5, UInt64> = [1, 10, 100, 1000, 10000]

  private mutating func append(fraction: UInt64, scale: UInt64) {
    append(byte: UInt8(ascii: "."))
    var rest = fraction
    var unit = scale / 10
    while rest > 0 {
      append(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
      rest %= unit
      unit /= 10
    }
  }

  private mutating func append(digitsOf number: UInt64) {
    reserve(20)
    var length = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      length += 1
    }
    rest = number
    for place in stride(from: count + length - 1, through: count, by: -1) {
      storage[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
  }

  /// Adds a text in quotes, escaped.
  public mutating func append(quoted text: String) {
    append(byte: UInt8(ascii: "\""))
    for byte in text.utf8 { append(escaped: byte) }
    append(byte: UInt8(ascii: "\""))
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
