internal import Glibc
internal import PressureKit

/// What a program does first: open standard descriptors, signals, and valid UTF-8 arguments.
package enum ProgramStart {
  /// Opens standard input, output and error on `/dev/null` if they are closed.
  ///
  /// Otherwise the next file or socket would get one of their numbers, and the log would be written into it.
  /// Reading standard input and writing standard output still fail, as on a closed descriptor.
  package static func openStandardDescriptors() {
    for (number, access) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR),
    ] where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // `open` returns the lowest free number, which is this one.
      if open("/dev/null", access) != number { exit(EX_OSERR) }
    }
  }

  /// Has a write without a reader fail with EPIPE instead of ending the process: a log without a reader must not.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Exits if an argument is not UTF-8: a repaired one would name another file.
  package static func checkArguments() {
    for number in 1..<max(Int(CommandLine.argc), 1) {
      guard let bytes = CommandLine.unsafeArgv[number], String(validatingCString: bytes) == nil
      else { continue }
      // Not by `refuse`: the text would outlive it, which a search for leaks reports.
      Log.error(InvalidText("argument \(number)", bytes).sentence)
      exit(EX_USAGE)
    }
  }

  /// Logs a usage error and exits.
  package static func refuse(_ sentence: String) -> Never {
    Log.error(sentence)
    exit(EX_USAGE)
  }
}

/// An argument or a variable of the environment that is not UTF-8.
package struct InvalidText: Error {
  package let sentence: String

  /// Escapes all bytes but printable ASCII as `\xNN`.
  init(_ what: String, _ bytes: UnsafePointer<CChar>) {
    let all = UnsafeRawBufferPointer(start: bytes, count: strlen(bytes))
    let text = all.map { byte in
      (0x20..<0x7f).contains(byte)
        ? String(Unicode.Scalar(byte)) : "\\x" + byte.hexadecimal(2)
    }
    sentence =
      "\(what) is not UTF-8: \(text.joined()); pressured accepts only paths and names in UTF-8"
  }
}

package enum Environment {
  /// A variable's value, or nil if it is unset or empty; throws if it is not UTF-8: a repaired one would name another file.
  package static func validated(_ name: String) throws(InvalidText) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let value = String(validatingCString: bytes) else {
      throw InvalidText("the variable \(name)", bytes)
    }
    return value.isEmpty ? nil : value
  }

  /// As `validated`, but exits if the value is not UTF-8: only for the program, not for a library.
  package static func value(_ name: String) -> String? {
    do throws(InvalidText) {
      return try validated(name)
    } catch {
      ProgramStart.refuse(error.sentence)
    }
  }

  package static func values(_ names: [String]) -> [String: String] {
    names.reduce(into: [:]) { $0[$1] = value($1) }
  }
}
