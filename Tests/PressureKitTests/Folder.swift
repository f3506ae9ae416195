import FoundationEssentials

/// The folder of these tests, whose data are read from the sources rather than from a bundle.
enum Folder {
  static let ofTests = String(
    #filePath.prefix(upTo: #filePath.lastIndex(of: "/") ?? #filePath.startIndex))

  static let ofRecordings = ofTests + "/Recordings/"

  /// The names of the files with this ending, sorted.
  static func names(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(ending) }.sorted()
  }
}
