internal import PressureKit

/// What is wrong with a line.
package struct LineError: Error {
  package var reason: String
}

/// A place within a line, and what can be read from there on.
///
/// Everything is read from bytes by hand: a string for each number would cost more than all the rest.
struct LineCursor {
  private let line: UnsafeRawBufferPointer
  private var position = 0

  init(_ line: UnsafeRawBufferPointer) {
    self.line = line
  }

  /// The byte that comes next, nil at the end of the line.
  var peek: UInt8? { position < line.count ? line[position] : nil }

  /// What is left of the line, as text.
  var text: String { String(decoding: line[position...], as: UTF8.self) }

  mutating func skip() { position = min(position + 1, line.count) }

  @inline(__always)
  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  @inline(__always)
  mutating func skip(_ word: StaticString) -> Bool {
    guard line.count - position >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount
    where line[position + index] != word.utf8Start[index] {
      return false
    }
    position += word.utf8CodeUnitCount
    return true
  }

  /// Goes to the end or to a byte that `isEnd` takes, and gives the number of bytes gone over.
  @discardableResult
  @inline(__always)
  mutating func skip(until isEnd: (UInt8) -> Bool) -> Int {
    let start = position
    var index = start
    while index < line.count, !isEnd(line[index]) { index &+= 1 }
    position = index
    return index &- start
  }

  @inline(__always)
  mutating func skipBlanks() { skip { !$0.isBlank } }

  /// Goes over indentation, quotation marks and list marks, as people put them before a line.
  mutating func skipMarks() { skip { $0.isWordPart } }

  /// Whether nothing but a comment is left.
  @inline(__always)
  mutating func isAtEnd() -> Bool {
    skipBlanks()
    return peek == nil || peek == UInt8(ascii: "#")
  }
}

extension LineCursor {
  /// A decimal number with or without a sign; leading zeros mean nothing.
  @inline(__always)
  mutating func decimal<Number: FixedWidthInteger>(
    _ what: StaticString, as type: Number.Type = Number.self
  ) throws(LineError) -> Number {
    skipBlanks()
    let start = self
    let isNegative = Number.isSigned && skip(UInt8(ascii: "-"))
    let magnitude = magnitude(radix: 10)
    guard let magnitude, magnitude < .max,
      let number = Number(exactly: isNegative ? -magnitude : magnitude)
    else { throw start.fault(what, hasDigits: magnitude != nil, bits: Number.bitWidth) }
    return number
  }

  /// A hexadecimal number without a prefix.
  @inline(__always)
  mutating func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(
    _ what: StaticString, as type: Number.Type = Number.self
  ) throws(LineError) -> Number {
    skipBlanks()
    let start = self
    let magnitude = magnitude(radix: 16)
    guard let magnitude, magnitude < .max, let number = Number(exactly: magnitude) else {
      throw start.fault(what, hasDigits: magnitude != nil, bits: Number.bitWidth)
    }
    return number
  }

  /// Digits up to the first other byte, nil where there are none; what is too large stays too large.
  ///
  /// The ceiling is far above what any caller takes and far below an overflow. It is inlined, as its callers are, for
  /// the sake of a radix that the compiler knows, and of a cursor in registers: half of all reading is done here.
  @inline(__always)
  private mutating func magnitude(radix: Int64) -> Int64? {
    let ceiling: Int64 = 1 << 58
    var sum: Int64 = 0
    let count = skip { byte in
      guard let digit = byte.digit, digit < radix else { return true }
      if sum < ceiling { sum = sum &* radix &+ digit }
      return false
    }
    guard count > 0 else { return nil }
    return sum < ceiling ? sum : .max
  }

  /// What is wrong with the number that stands here.
  @inline(never)
  private func fault(_ what: StaticString, hasDigits: Bool, bits: Int) -> LineError {
    hasDigits ? misfit(what, bits: bits) : missing(what)
  }

  private func missing(_ what: StaticString) -> LineError {
    LineError(reason: peek == nil ? "the \(what) is missing" : "the \(what) is no number")
  }

  private func misfit(_ what: StaticString, bits: Int) -> LineError {
    var digits = self
    let shown = digits.number(atMost: 32)
    return LineError(reason: "the \(what) \(shown) does not fit into \(bits) bits")
  }

  /// The number as it stands in the file, shortened as files can be unkind.
  private mutating func number(atMost limit: Int) -> String {
    var shown = ""
    while let byte = peek, byte.digit != nil || byte == UInt8(ascii: "-") {
      if shown.utf8.count == limit { return shown + "…" }
      shown.unicodeScalars.append(Unicode.Scalar(byte))
      skip()
    }
    return shown
  }
}

extension UInt8 {
  /// The value of a digit up to base 16.
  @inline(__always)
  var digit: Int64? {
    let decimal = self &- UInt8(ascii: "0")
    if decimal < 10 { return Int64(decimal) }
    // Capitals differ from small letters in one bit.
    let letter = (self | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? Int64(letter) + 10 : nil
  }

  /// A space, a tab, or the half of a line break that other systems write.
  @inline(__always)
  package var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
  }

  /// What words and numbers consist of.
  var isWordPart: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension Timestamp {
  /// The time in a recording.
  package init(recorded seconds: Int64, _ microseconds: Int64) throws(LineError) {
    guard (0..<1_000_000).contains(microseconds) else {
      throw LineError(reason: "\(microseconds) microseconds are not within a second")
    }
    guard seconds >= 0 else {
      throw LineError(reason: "the time \(seconds) s is before any clock's")
    }
    guard let time = Timestamp(seconds: seconds, microseconds: microseconds) else {
      throw LineError(reason: "the time \(seconds) s does not fit into 64 bits of microseconds")
    }
    self = time
  }
}
