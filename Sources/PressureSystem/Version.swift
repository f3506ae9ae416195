/// The version of the program, as in the change log.
package enum Version {
  package static let current = "0.2.0"
}
