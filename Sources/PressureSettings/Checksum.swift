/// A number that is another one where a byte is: for accidents, not against enemies (FNV-1a, 64 bits).
struct Checksum: Hashable {
  let value: UInt64

  init(_ bytes: some Sequence<UInt8>) {
    value = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Sixteen digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
