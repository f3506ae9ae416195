internal import PressureKit
internal import PressureProtocol

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
    /// Outside a sequence.
    case ground
    /// After ESC.
    case escape
    /// In a sequence, with its bytes so far.
    case sequence([UInt8])
    /// In a character of several bytes.
    case character([UInt8], missing: Int)
  }

  /// The length at which a sequence is discarded; sequences of keys are shorter.
  private static let maxSequenceLength = 16

  private var state = State.ground

  /// Whether a sequence is incomplete; after a timeout, the caller calls `finish`.
  var isWaiting: Bool {
    if case .ground = state { false } else { true }
  }

  /// Decodes bytes of the terminal.
  mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] {
    bytes.compactMap { read($0) }
  }

  /// Ends an incomplete sequence after a timeout; ESC alone is a key.
  mutating func finish() -> Key? {
    defer { state = .ground }
    if case .escape = state { return .escape }
    return nil
  }

  private mutating func read(_ byte: UInt8) -> Key? {
    switch state {
    case .ground: return begin(byte)
    case .escape: return escaped(byte)
    case .sequence(let bytes): return continueSequence(bytes, byte)
    case .character(let bytes, let missing): return continueCharacter(bytes, missing, byte)
    }
  }

  private mutating func begin(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x1b: state = .escape
    case 0xc2...0xdf: state = .character([byte], missing: 1)
    case 0xe0...0xef: state = .character([byte], missing: 2)
    case 0xf0...0xf4: state = .character([byte], missing: 3)
    default: return Key(byte: byte)
    }
    return nil
  }

  private mutating func escaped(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      state = .sequence([byte])
      return nil
    case 0x1b: return .escape
    default:
      // A key with Alt, which has no function.
      state = .ground
      return nil
    }
  }

  private mutating func continueSequence(_ bytes: [UInt8], _ byte: UInt8) -> Key? {
    switch byte {
    case 0x1b:
      state = .escape
      return nil
    case 0x40...0x7e:
      state = .ground
      return Key(parameters: bytes.dropFirst(), final: byte)
    default:
      state = bytes.count < KeyReader.maxSequenceLength ? .sequence(bytes + [byte]) : .ground
      return nil
    }
  }

  private mutating func continueCharacter(
    _ bytes: [UInt8], _ missing: Int, _ byte: UInt8
  ) -> Key? {
    state = .ground
    guard (0x80...0xbf).contains(byte) else { return begin(byte) }
    guard missing == 1 else {
      state = .character(bytes + [byte], missing: missing - 1)
      return nil
    }
    let text = String(validating: bytes + [byte], as: UTF8.self)
    return text?.unicodeScalars.first.map(Key.character)
  }
}

extension Key {
  /// Creates the key of a single byte.
  fileprivate init?(byte: UInt8) {
    switch byte {
    case 0x09: self = .tab
    case 0x0a, 0x0d: self = .enter
    case 0x08, 0x7f: self = .backspace
    case 0x01...0x1a: self = .control(Unicode.Scalar(byte + 0x60))
    case 0x20..<0x7f: self = .character(Unicode.Scalar(byte))
    default: return nil
    }
  }

  /// Creates the key of a sequence; Shift, Alt and Control are ignored.
  fileprivate init?(parameters: some Sequence<UInt8>, final: UInt8) {
    switch final {
    case UInt8(ascii: "A"): self = .up
    case UInt8(ascii: "B"): self = .down
    case UInt8(ascii: "C"): self = .right
    case UInt8(ascii: "D"): self = .left
    case UInt8(ascii: "H"): self = .home
    case UInt8(ascii: "F"): self = .end
    case UInt8(ascii: "Z"): self = .backTab
    case UInt8(ascii: "~"): self.init(number: parameters)
    default: return nil
    }
  }

  private init?(number parameters: some Sequence<UInt8>) {
    switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
    case "1", "7": self = .home
    case "3": self = .delete
    case "4", "8": self = .end
    case "5": self = .pageUp
    case "6": self = .pageDown
    default: return nil
    }
  }
}

/// A key of the terminal.
package enum Key: Hashable {
  /// A character.
  case character(Unicode.Scalar)
  /// A character with Control; letters are lowercase.
  case control(Unicode.Scalar)
  case tab, backTab, enter, escape, backspace, delete
  case up, down, left, right
  case home, end, pageUp, pageDown
}
