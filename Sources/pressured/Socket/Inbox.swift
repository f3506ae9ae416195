internal import PressureKit

/// What the other side has sent, cut into lines.
struct Inbox {
  /// A piece of what the other side says.
  enum Line: Hashable {
    /// A whole line, without its end.
    case whole([UInt8])
    /// A line that is longer than any may be.
    case tooLong
  }

  /// Bytes of the longest line, without its end.
  let limit: Int

  private var bytes: [UInt8] = []

  init(limit: Int = Request.maximumLength) {
    self.limit = limit
  }

  /// Takes bytes and gives the lines that they complete; after one that is too long, nothing.
  mutating func take(_ more: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in more {
      if byte == UInt8(ascii: "\n") {
        lines.append(.whole(takeAll()))
      } else if bytes.count == limit {
        return lines + [.tooLong]
      } else {
        bytes.append(byte)
      }
    }
    return lines
  }

  /// The other side has shut its sending: what is left is a line, too.
  mutating func takeRest() -> [Line] {
    bytes.isEmpty ? [] : [.whole(takeAll())]
  }

  private mutating func takeAll() -> [UInt8] {
    defer { bytes = [] }
    return bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
  }
}
