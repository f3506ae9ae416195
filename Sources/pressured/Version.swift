/// The version of the program, as its change log has it.
enum Version {
  static let current = "0.1.0"
}
