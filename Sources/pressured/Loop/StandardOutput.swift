internal import Glibc

/// What a verb prints for programs.
enum StandardOutput {
  /// How much is written at once.
  static let pieceSize = 64 * 1024

  /// Writes everything; where nobody reads any more, the program ends as others do.
  static func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeBufferPointer(rebasing: rest)
      let count = Glibc.write(STDOUT_FILENO, piece.baseAddress, piece.count)
      if count < 0, errno != EINTR { exit(EXIT_FAILURE) }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  static func print(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { write($0) }
  }
}
