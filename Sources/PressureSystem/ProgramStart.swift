internal import Glibc

/// What must hold before anything is done: descriptors that are open, and arguments that can be read.
package enum ProgramStart {
  /// Opens standard input, output and error on `/dev/null` where they are closed.
  ///
  /// Otherwise the next file or socket would get one of their numbers, and the log would be written into it.
  /// Reading standard input and writing to standard output still fail, as on a descriptor that is closed.
  package static func openStandardDescriptors() {
    for (number, access) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR),
    ] where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // The lowest number that is free is this one.
      if open("/dev/null", access) != number { exit(EX_OSERR) }
    }
  }

  /// Ends the program where an argument is not UTF-8: repaired, it would name another file.
  package static func checkArguments() {
    for number in 1..<max(Int(CommandLine.argc), 1) {
      guard let bytes = CommandLine.unsafeArgv[number], String(validatingCString: bytes) == nil
      else { continue }
      refuse(
        "argument \(number) is not UTF-8: \(escaped(bytes)); "
          + "pressured takes paths and names in UTF-8 alone")
    }
  }

  /// Ends the program for the way in which it was started.
  package static func refuse(_ sentence: String) -> Never {
    Log.error(sentence)
    exit(EX_USAGE)
  }

  /// Bytes for people: what is not printable ASCII as `\xNN`.
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

/// The variables that the program was started with.
package enum Environment {
  /// A variable's value, or nil where it is not set or empty.
  ///
  /// One that is not UTF-8 ends the program: repaired, it would name another file.
  package static func value(_ name: String) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let value = String(validatingCString: bytes) else {
      ProgramStart.refuse(
        "the variable \(name) is not UTF-8: \(ProgramStart.escaped(bytes)); "
          + "pressured takes paths and names in UTF-8 alone")
    }
    return value.isEmpty ? nil : value
  }

  /// The same for several at once.
  package static func values(_ names: [String]) -> [String: String] {
    names.reduce(into: [:]) { $0[$1] = value($1) }
  }
}
