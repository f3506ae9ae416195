internal import Glibc

/// A read position in JSON text, for a reader that does not allocate memory.
///
/// It accepts a part of what `RequestParser` does, and nothing else: keys and texts are printable ASCII, and numbers are
/// short. The full decoder reads everything beyond that.
struct JSONCursor {
  /// The place of a string in the text, without its quotes.
  struct Text {
    var start: Int
    var count: Int
  }

  /// A number that is represented exactly, or rounded as the full decoder does.
  struct Number {
    var value: Double

    /// The number if it is a whole one.
    var whole: Int64?
  }

  /// How deep values may be nested.
  private static let maximumDepth = 16

  /// Powers of ten that a `Double` represents exactly, so that one division rounds correctly.
  private static let maximumDecimals = 15

  /// The digits that an `Int64` always holds.
  private static let maximumDigits = 18

  /// Limits of a number that is skipped, far within the range of a `Double`.
  private static let maximumSkippedLength = 100
  private static let maximumExponentLength = 2

  private let text: UnsafeRawBufferPointer
  private var position = 0

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  private var byte: UInt8? { position < text.count ? text[position] : nil }

  /// Whether only white space is left.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return position == text.count
    }
  }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { position += 1 }
  }

  /// Skips a literal after white space; returns whether it was there.
  mutating func skip(_ literal: StaticString) -> Bool {
    skipSpace()
    let count = literal.utf8CodeUnitCount
    guard text.count - position >= count, let base = text.baseAddress,
      memcmp(base + position, literal.utf8Start, count) == 0
    else { return false }
    position += count
    return true
  }
}

// MARK: - Texts

extension JSONCursor {
  /// Skips a key and its colon; nil if there is none that is printable ASCII without an escape.
  mutating func key() -> Text? {
    guard let key = plainText(), skip(":") else { return nil }
    return key
  }

  /// Skips a string; nil if there is none that is printable ASCII without an escape.
  mutating func plainText() -> Text? {
    guard skip("\"") else { return nil }
    let start = position
    while let byte, byte != UInt8(ascii: "\"") {
      guard byte != UInt8(ascii: "\\"), JSONCursor.isPrintable(byte) else { return nil }
      position += 1
    }
    let text = Text(start: start, count: position - start)
    return skip("\"") ? text : nil
  }

  func matches(_ text: Text, _ name: StaticString) -> Bool {
    matches(text, UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  func matches(_ text: Text, _ name: UnsafeRawBufferPointer) -> Bool {
    guard text.count == name.count else { return false }
    guard text.count > 0, let base = self.text.baseAddress, let other = name.baseAddress else {
      return true
    }
    return memcmp(base + text.start, other, text.count) == 0
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { (0x20..<0x7f).contains(byte) }
}

// MARK: - Numbers

extension JSONCursor {
  /// Reads the number that follows; nil if there is none, or if it has an exponent or more digits than the daemon writes.
  mutating func number() -> Number? {
    skipSpace()
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { position += 1 }
    var digits: Int64 = 0
    guard let count = readDigits(into: &digits, mayBeginWithZero: false) else { return nil }
    var decimals = 0
    if byte == UInt8(ascii: ".") {
      position += 1
      guard let count = readDigits(into: &digits, mayBeginWithZero: true) else { return nil }
      decimals = count
    }
    let maximum = decimals > 0 ? JSONCursor.maximumDecimals : JSONCursor.maximumDigits
    guard byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E"), count + decimals <= maximum else {
      return nil
    }
    if isNegative { digits = -digits }
    guard decimals > 0 else { return Number(value: Double(digits), whole: digits) }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let value = Double(digits) / scale
    return Number(value: value, whole: Int64(exactly: value))
  }

  /// Reads digits, and appends them to a number, which is of use only if they are few; returns how many there are.
  private mutating func readDigits(into number: inout Int64, mayBeginWithZero: Bool) -> Int? {
    let start = position
    while let byte, (0x30...0x39).contains(byte) {
      number = number &* 10 &+ Int64(byte &- 0x30)
      position += 1
    }
    let count = position - start
    guard count > 0 else { return nil }
    return mayBeginWithZero || count == 1 || text[start] != 0x30 ? count : nil
  }

  private mutating func skipNumber() -> Bool {
    let start = position
    var ignored: Int64 = 0
    if byte == UInt8(ascii: "-") { position += 1 }
    guard readDigits(into: &ignored, mayBeginWithZero: false) != nil else { return false }
    if byte == UInt8(ascii: ".") {
      position += 1
      guard readDigits(into: &ignored, mayBeginWithZero: true) != nil else { return false }
    }
    guard position - start <= JSONCursor.maximumSkippedLength else { return false }
    guard byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") else { return true }
    position += 1
    if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { position += 1 }
    let count = readDigits(into: &ignored, mayBeginWithZero: true)
    return count.map { $0 <= JSONCursor.maximumExponentLength } ?? false
  }
}

// MARK: - Other values

extension JSONCursor {
  /// Skips any value; returns false if it is invalid, or has what only the full decoder reads.
  mutating func skipValue() -> Bool { skipValue(depth: 0) }

  private mutating func skipValue(depth: Int) -> Bool {
    skipSpace()
    switch byte {
    case UInt8(ascii: "\""): return skipString()
    case UInt8(ascii: "{"): return skipMembers(depth: depth + 1, end: "}", haveKeys: true)
    case UInt8(ascii: "["): return skipMembers(depth: depth + 1, end: "]", haveKeys: false)
    case UInt8(ascii: "t"): return skip("true")
    case UInt8(ascii: "f"): return skip("false")
    case UInt8(ascii: "n"): return skip("null")
    default: return skipNumber()
    }
  }

  /// Skips an object or a list.
  private mutating func skipMembers(depth: Int, end: StaticString, haveKeys: Bool) -> Bool {
    guard depth <= JSONCursor.maximumDepth else { return false }
    position += 1
    if skip(end) { return true }
    repeat {
      if haveKeys {
        skipSpace()
        guard byte == UInt8(ascii: "\""), skipString(), skip(":") else { return false }
      }
      guard skipValue(depth: depth) else { return false }
    } while skip(",")
    return skip(end)
  }

  /// Skips a string of printable ASCII, with escapes of one character.
  private mutating func skipString() -> Bool {
    position += 1
    while let byte, JSONCursor.isPrintable(byte) {
      position += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte == UInt8(ascii: "\\") {
        guard let escape = self.byte, JSONCursor.isEscape(escape) else { return false }
        position += 1
      }
    }
    return false
  }

  private static func isEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      true
    default: false
    }
  }
}
