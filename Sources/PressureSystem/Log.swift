internal import Glibc

package enum Log {
  /// The journal reads a severity prefix from each line; it is not shown to users.
  private static let isJournal = getenv("JOURNAL_STREAM") != nil

  package static func error(_ sentence: String) { write(LOG_ERR, sentence) }

  /// Reports an unexpected condition that does not stop the program.
  package static func warning(_ sentence: String) { write(LOG_WARNING, sentence) }

  package static func info(_ sentence: String) { write(LOG_INFO, sentence) }

  private static func write(_ severity: Int32, _ sentence: String) {
    let prefix = isJournal ? "<\(severity)>" : "pressured: "
    // Ignore errors: a log that cannot be written must not stop the daemon.
    DescriptorWriter.writeAll(prefix + sentence.onOneLine + "\n", to: STDERR_FILENO)
  }
}

extension String {
  /// The text on one line and without control characters, for a terminal or a log.
  ///
  /// Names from devices and files must not be able to imitate messages or to send escape sequences to a terminal.
  package var onOneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
  }

  /// Whether the text contains the bytes of `part`.
  ///
  /// `contains(_:)` with a string would link the library for regular expressions, 1.4 MB.
  package func includes(_ part: String) -> Bool {
    let (whole, part) = (utf8, part.utf8)
    guard part.count <= whole.count else { return false }
    return (0...whole.count - part.count).contains { whole.dropFirst($0).starts(with: part) }
  }
}

extension Unicode.Scalar {
  /// Whether a terminal may interpret the character instead of showing it.
  package var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

package enum StandardOutput {
  /// The most bytes that callers collect before writing.
  package static let pieceSize = 64 * 1024

  /// Writes all bytes; on an error, for example a full disk, logs it and exits.
  ///
  /// If no process reads the pipe any more, ends silently and by SIGPIPE as other programs do.
  package static func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    let number = DescriptorWriter.writeAll(UnsafeRawBufferPointer(bytes), to: STDOUT_FILENO)
    guard number != 0 else { return }
    if number == EPIPE {
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    }
    Log.error(SystemError(attempt: "write to standard output", number: number).sentence)
    exit(EX_CANTCREAT)
  }

  package static func print(_ text: String, end: String = "\n") {
    var line = text + end
    line.withUTF8 { write($0) }
  }
}
