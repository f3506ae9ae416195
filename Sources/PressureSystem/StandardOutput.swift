internal import Glibc

/// What a verb prints for programs.
package enum StandardOutput {
  /// How much is written at once.
  package static let pieceSize = 64 * 1024

  /// Writes everything; where that fails, as where a disk is full, the program ends and says why.
  ///
  /// Where nobody reads any more it ends as others do, in silence.
  package static func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeBufferPointer(rebasing: rest)
      let count = Glibc.write(STDOUT_FILENO, piece.baseAddress, piece.count)
      if count < 0, errno != EINTR { end(errno) }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  private static func end(_ number: Int32) -> Never {
    if number == EPIPE { exit(EXIT_FAILURE) }
    Log.error(SystemError(attempt: "write to standard output", number: number).sentence)
    exit(EX_CANTCREAT)
  }

  package static func print(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { write($0) }
  }
}
