/// The version of the program, as its change log has it.
package enum Version {
  package static let current = "0.1.0"
}
