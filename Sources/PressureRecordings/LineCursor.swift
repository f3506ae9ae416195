internal import PressureKit

package struct LineError: Error {
  package var reason: String
}

/// A position within a line, with functions that parse from there.
///
/// It parses bytes directly: a string for each number would cost more than all the rest.
struct LineCursor {
  // The pointer and the count of a buffer: with an optional pointer, each byte would cost another comparison.
  private let line: UnsafeRawPointer
  private let count: Int
  private var position = 0

  init(_ line: UnsafeRawBufferPointer) {
    self.line = line.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
    count = line.count
  }

  @inline(__always)
  var peek: UInt8? { position < count ? self[position] : nil }

  @inline(__always)
  private subscript(index: Int) -> UInt8 { line.load(fromByteOffset: index, as: UInt8.self) }

  var text: String { string(upTo: count) }

  /// The rest of the line up to its last quotation mark.
  var quotedText: String {
    let text = text
    return String(text.prefix(upTo: text.lastIndex(of: "\"") ?? text.endIndex))
  }

  func prefix(to end: LineCursor) -> String { string(upTo: end.position) }

  private func string(upTo end: Int) -> String {
    let bytes = UnsafeRawBufferPointer(start: line + position, count: max(end - position, 0))
    return String(decoding: bytes, as: UTF8.self)
  }

  mutating func skip() { if position < count { position &+= 1 } }

  @inline(__always)
  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position &+= 1
    return true
  }

  @inline(__always)
  mutating func skip(_ word: StaticString) -> Bool {
    guard count &- position >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where self[position &+ index] != word.utf8Start[index] {
      return false
    }
    position &+= word.utf8CodeUnitCount
    return true
  }

  /// Skips to the end or to a byte that satisfies `isEnd`; returns the number of skipped bytes.
  @discardableResult
  @inline(__always)
  mutating func skip(until isEnd: (UInt8) -> Bool) -> Int {
    let start = position
    var index = start
    while index < count, !isEnd(self[index]) { index &+= 1 }
    position = index
    return index &- start
  }

  @inline(__always)
  mutating func skipBlanks() { skip { !$0.isBlank } }

  /// The position after indentation, quotation marks and list markers before a line; a number sign begins a comment.
  var afterMarks: LineCursor {
    var cursor = self
    cursor.skip { $0.isWordPart || $0 == UInt8(ascii: "#") }
    return cursor
  }

  /// Moves to the first position from here on that fits; returns false, and does not move, if there is none.
  ///
  /// `fits` must look only a few bytes ahead, since it is called for each position.
  @inline(__always)
  mutating func seek(_ fits: (_ previous: UInt8?, _ cursor: LineCursor) -> Bool) -> Bool {
    var place = self
    var previous: UInt8?
    while let byte = place.peek {
      if fits(previous, place) {
        self = place
        return true
      }
      previous = byte
      place.skip()
    }
    return false
  }

  @inline(__always)
  func starts(with word: StaticString) -> Bool {
    var cursor = self
    return cursor.skip(word)
  }

  /// Whether a word or blanks and a number come next.
  func startsWithNumber(after word: StaticString) -> Bool {
    var cursor = self
    guard cursor.skip(word) else { return false }
    cursor.skipBlanks()
    _ = cursor.skip(UInt8(ascii: "-"))
    return cursor.peek?.isDecimalDigit == true
  }

  /// Skips digits of a base, at most a limit; returns how many there were.
  mutating func skipDigits(radix: Int64 = 10, atMost limit: Int = 20) -> Int {
    var count = 0
    while count < limit, peek?.digit(radix: radix) != nil {
      skip()
      count += 1
    }
    return count
  }

  /// Skips blanks; returns whether nothing or only a comment is left.
  @inline(__always)
  mutating func isAtEnd() -> Bool {
    skipBlanks()
    return peek == nil || peek == UInt8(ascii: "#")
  }

  /// Parses a number of base 10 or 16, with an optional sign if its type has one; leading zeros are ignored.
  @inline(__always)
  mutating func number<Number: FixedWidthInteger>(
    _ what: StaticString, as type: Number.Type = Number.self, radix: Int64 = 10
  ) throws(LineError) -> Number {
    skipBlanks()
    let start = self
    let isNegative = Number.isSigned && skip(UInt8(ascii: "-"))
    let magnitude = magnitude(radix: radix)
    guard let magnitude, magnitude < .max,
      let number = Number(exactly: isNegative ? -magnitude : magnitude)
    else { throw start.error(what, hasDigits: magnitude != nil, bits: Number.bitWidth) }
    return number
  }

  /// Parses digits up to the first other byte: nil if there are none, `Int64.max` if the number is too large.
  ///
  /// The function and its callers are inlined so that the radix is a constant and the cursor stays in registers: half of the
  /// time of reading is spent here. So few digits cannot overflow that only longer numbers are checked.
  @inline(__always)
  private mutating func magnitude(radix: Int64) -> Int64? {
    let start = self
    var sum: Int64 = 0
    let count = skip { byte in
      guard let digit = byte.digit(radix: radix) else { return true }
      sum = sum &* radix &+ digit
      return false
    }
    if count <= 14 { return count > 0 ? sum : nil }
    return start.longMagnitude(radix: radix)
  }

  /// The magnitude of a number with many digits, which may be leading zeros.
  ///
  /// The ceiling is far above what any caller accepts and far below an overflow.
  @inline(never)
  private func longMagnitude(radix: Int64) -> Int64 {
    let ceiling: Int64 = 1 << 58
    var sum: Int64 = 0
    var cursor = self
    cursor.skip { byte in
      guard let digit = byte.digit(radix: radix) else { return true }
      if sum < ceiling { sum = sum &* radix &+ digit }
      return false
    }
    return sum < ceiling ? sum : .max
  }

  /// The error for a number at this position that is missing, invalid or out of range.
  @inline(never)
  private func error(_ what: StaticString, hasDigits: Bool, bits: Int) -> LineError {
    guard hasDigits else {
      return LineError(
        reason: peek == nil ? "the \(what) is missing" : "the \(what) is not a number")
    }
    var end = self
    end.skip { $0.digit(radix: 16) == nil && $0 != UInt8(ascii: "-") }
    // Truncated, as the file is untrusted.
    let digits = prefix(to: end)
    let shown = digits.utf8.count > 32 ? "\(digits.prefix(32))…" : digits
    return LineError(reason: "the \(what) \(shown) does not fit into \(bits) bits")
  }
}

extension UInt8 {
  /// The value of a digit of base 10 or 16.
  @inline(__always)
  func digit(radix: Int64) -> Int64? {
    let decimal = self &- UInt8(ascii: "0")
    if decimal < 10 { return Int64(decimal) }
    guard radix > 10 else { return nil }
    // Uppercase letters differ from lowercase letters in one bit.
    let letter = (self | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? Int64(letter) + 10 : nil
  }

  /// Whether this is a space, a tab, or a carriage return, which may precede the line feed.
  @inline(__always)
  package var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
  }

  var isDecimalDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  var isWordPart: Bool { isLetter || isDecimalDigit || self == UInt8(ascii: "_") }
}

extension Timestamp {
  package init(recorded seconds: Int64, _ microseconds: Int64) throws(LineError) {
    guard (0..<1_000_000).contains(microseconds) else {
      throw LineError(reason: "the microseconds \(microseconds) are not in the range 0 to 999999")
    }
    guard seconds >= 0 else { throw LineError(reason: "the time \(seconds) s is negative") }
    guard let time = Timestamp(seconds: seconds, microseconds: microseconds) else {
      throw LineError(reason: "the time \(seconds) s does not fit into 64 bits of microseconds")
    }
    self = time
  }
}
