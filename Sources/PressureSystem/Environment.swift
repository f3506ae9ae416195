internal import Glibc

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
