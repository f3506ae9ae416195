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
    case note = 6
  }

  /// The journal reads a level in front of each line; people do not want to see it.
  private static let isJournal = getenv("JOURNAL_STREAM") != nil

  package static func error(_ sentence: String) { write(.error, sentence) }

  package static func warning(_ sentence: String) { write(.warning, sentence) }

  package static func note(_ sentence: String) { write(.note, sentence) }

  private static func write(_ level: Level, _ sentence: String) {
    let prefix = isJournal ? "<\(level.rawValue)>" : "pressured: "
    var line = prefix + sentence.onOneLine + "\n"
    line.withUTF8 { bytes in
      // A log that cannot be written must not stop the daemon.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
