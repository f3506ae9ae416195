internal import Glibc

/// Sentences for whoever runs the daemon, on standard error.
package enum Log {
  /// How much a sentence matters, in syslog's numbers.
  enum Level: Int {
    /// Something does not work that should.
    case error = 3
    /// Something is odd, and is put up with.
    case warning = 4
    /// Something has happened.
    case info = 6
  }

  /// The journal reads a level in front of each line; people do not want to see it.
  private static let isJournal = getenv("JOURNAL_STREAM") != nil

  package static func error(_ sentence: String) { write(.error, sentence) }

  package static func warning(_ sentence: String) { write(.warning, sentence) }

  package static func info(_ sentence: String) { write(.info, sentence) }

  private static func write(_ level: Level, _ sentence: String) {
    let prefix = isJournal ? "<\(level.rawValue)>" : "pressured: "
    var line = prefix + sentence.onOneLine + "\n"
    line.withUTF8 { bytes in
      // A log that cannot be written must not stop the daemon.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}

extension String {
  /// The same on one line and without control characters, for a terminal or a log.
  ///
  /// Devices and files name themselves; a name must neither pass for a sentence of ours nor
  /// color somebody's screen.
  package var onOneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether a terminal may do something else with it than to show it.
  package var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

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
