/// The folders of the tests' data, which are read from the sources rather than from a bundle.
package enum Folder {
  /// The folder of all tests.
  package static let ofTests = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    return parts.joined(separator: "/")
  }()
}
