internal import Glibc

/// The variables that the program was started with.
enum Environment {
  /// A variable's value, or nil where it is not set or empty.
  static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The same for several at once.
  static func values(_ names: [String]) -> [String: String] {
    names.reduce(into: [:]) { $0[$1] = value($1) }
  }
}
