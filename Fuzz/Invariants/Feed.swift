/// Decodes the fuzzer's bytes as a sequence of numbers; after the last byte it returns zeros.
struct Feed {
  private var bytes: UnsafeBufferPointer<UInt8>.SubSequence

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes[...]
  }

  var isEmpty: Bool { bytes.isEmpty }

  /// The bytes that are left.
  var rest: [UInt8] { Array(bytes) }

  /// The next bytes, at most as many as are left.
  mutating func part(_ count: Int) -> Feed {
    var part = self
    part.bytes = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return part
  }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// 0 or more, and less than the limit, which is at most 256.
  mutating func below(_ limit: Int) -> Int { Int(byte()) % limit }

  mutating func isSet() -> Bool { byte() & 1 == 1 }

  /// A number of two bytes, little-endian.
  mutating func word() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

  /// A number of four bytes, little-endian.
  mutating func number() -> Int32 {
    Int32(bitPattern: UInt32(word()) | UInt32(word()) << 16)
  }

  /// A number of eight bytes, little-endian.
  mutating func long() -> Int64 {
    Int64(UInt32(bitPattern: number())) | Int64(number()) << 32
  }

  mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
}
