/// Checks lines against RFC 8259 and the framing: one object, and one line break at its end.
///
/// Strict and small; the decoder of a library would cost fifty times as much as the code under test.
struct JSONValidator {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var place = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Ends the run unless all bytes are such lines.
  static func hold(_ bytes: UnsafeBufferPointer<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    require(text.utf8.elementsEqual(bytes), "lines are UTF-8: \(text)")
    var validator = JSONValidator(bytes)
    while validator.place < bytes.count {
      let start = validator.place
      let isWhole = validator.object() && validator.skip("\n")
      require(isWhole, "a line is a JSON object: \(validator.text(from: start))")
    }
  }

  private func text(from start: Int) -> String {
    String(decoding: bytes[start...], as: UTF8.self)
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: mark) else { return false }
    place += 1
    return true
  }

  private mutating func word(_ word: StaticString) -> Bool {
    for offset in 0..<word.utf8CodeUnitCount {
      guard next == word.utf8Start[offset] else { return false }
      place += 1
    }
    return true
  }

  private mutating func value() -> Bool {
    switch next {
    case UInt8(ascii: "{"): object()
    case UInt8(ascii: "["): list()
    case UInt8(ascii: "\""): text()
    case UInt8(ascii: "t"): word("true")
    case UInt8(ascii: "f"): word("false")
    case UInt8(ascii: "n"): word("null")
    default: number()
    }
  }

  private mutating func object() -> Bool {
    guard skip("{") else { return false }
    if skip("}") { return true }
    repeat {
      guard text(), skip(":"), value() else { return false }
    } while skip(",")
    return skip("}")
  }

  private mutating func list() -> Bool {
    guard skip("[") else { return false }
    if skip("]") { return true }
    repeat {
      guard value() else { return false }
    } while skip(",")
    return skip("]")
  }

  private mutating func text() -> Bool {
    guard skip("\"") else { return false }
    while let byte = next {
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"): guard escape() else { return false }
      case 0..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    guard let mark = next else { return false }
    place += 1
    guard mark == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(mark) }
    for _ in 0..<4 {
      guard let digit = next, Character(Unicode.Scalar(digit)).isHexDigit else { return false }
      place += 1
    }
    return true
  }

  private mutating func digits() -> Bool {
    let start = place
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    return place > start
  }

  private mutating func number() -> Bool {
    _ = skip("-")
    if !skip("0"), !digits() { return false }
    if skip("."), !digits() { return false }
    guard skip("e") || skip("E") else { return true }
    if !skip("-") { _ = skip("+") }
    return digits()
  }
}
