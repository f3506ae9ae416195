internal import Glibc

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
      refuse(
        "argument \(number) is not UTF-8: \(escaped(bytes)); "
          + "pressured accepts only paths and names in UTF-8")
    }
  }

  /// Logs a usage error and exits.
  package static func refuse(_ sentence: String) -> Never {
    Log.error(sentence)
    exit(EX_USAGE)
  }

  /// Escapes bytes for messages: all but printable ASCII as `\xNN`.
  package static func escaped(_ bytes: UnsafePointer<CChar>) -> String {
    let digits = Array("0123456789abcdef")
    return UnsafeBufferPointer(start: bytes, count: strlen(bytes)).reduce(into: "") { text, byte in
      let byte = UInt8(bitPattern: byte)
      if (0x20..<0x7f).contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}

/// An environment variable that is not UTF-8.
package struct InvalidVariable: Error {
  let name: String

  let value: String

  package var sentence: String {
    "the variable \(name) is not UTF-8: \(value); pressured accepts only paths and names in UTF-8"
  }
}

package enum Environment {
  /// A variable's value, or nil if it is unset or empty; throws if it is not UTF-8: a repaired one would name another file.
  package static func validated(_ name: String) throws(InvalidVariable) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let value = String(validatingCString: bytes) else {
      throw InvalidVariable(name: name, value: ProgramStart.escaped(bytes))
    }
    return value.isEmpty ? nil : value
  }

  /// As `validated`, but exits if the value is not UTF-8: only for the program, not for a library.
  package static func value(_ name: String) -> String? {
    do throws(InvalidVariable) {
      return try validated(name)
    } catch {
      ProgramStart.refuse(error.sentence)
    }
  }

  package static func values(_ names: [String]) -> [String: String] {
    names.reduce(into: [:]) { $0[$1] = value($1) }
  }
}
