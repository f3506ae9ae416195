/// Decodes the input of a terminal into keys.
///
///                   ESC                 [ or O
///        ground ───────────▶ escape ───────────────▶ sequence
///         ▲  ▲                 │                        │
///         │  └─── any other ───┘                        │
///         └──────────────── the final byte ─────────────┘
///
/// ESC is either a key or the start of a sequence; only the following byte, or a timeout, can tell which.
struct KeyReader {
  private enum State {
    case ground, escape
    /// In a sequence of this many bytes so far.
    case sequence(Int)
  }

  /// The length at which a sequence is discarded; sequences of keys are shorter.
  private static let maxSequenceLength = 16

  private var state = State.ground

  /// Whether a sequence is incomplete; after a timeout, the caller calls `finish`.
  var isWaiting: Bool {
    if case .ground = state { false } else { true }
  }

  mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] { bytes.compactMap { read($0) } }

  /// Ends an incomplete sequence after a timeout; ESC alone is a key.
  mutating func finish() -> Key? {
    defer { state = .ground }
    if case .escape = state { return .escape }
    return nil
  }

  private mutating func read(_ byte: UInt8) -> Key? {
    switch (state, byte) {
    case (.escape, 0x1b): return .escape
    case (_, 0x1b): state = .escape
    case (.ground, _): return Key(byte: byte)
    case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")): state = .sequence(1)
    // A key with Alt, which has no function.
    case (.escape, _): state = .ground
    case (.sequence, 0x40...0x7e):
      state = .ground
      return Key.ofFinalByte[byte]
    case (.sequence(let length), _):
      state = length < KeyReader.maxSequenceLength ? .sequence(length + 1) : .ground
    }
    return nil
  }
}

enum Key: Hashable {
  case character(Unicode.Scalar)
  /// A character with Control; letters are lowercase.
  case control(Unicode.Scalar)
  case tab, backTab, escape
  case up, down, left, right

  fileprivate init?(byte: UInt8) {
    switch byte {
    case 0x09: self = .tab
    case 0x01...0x1a: self = .control(Unicode.Scalar(byte + 0x60))
    // Terminals send either for Backspace.
    case 0x7f: self = .control("h")
    case 0x20..<0x7f: self = .character(Unicode.Scalar(byte))
    default: return nil
    }
  }

  /// The keys of sequences; Shift, Alt and Control are ignored.
  fileprivate static let ofFinalByte: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "Z"): .backTab,
  ]
}
