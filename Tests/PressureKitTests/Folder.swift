import FoundationEssentials

/// Where these tests lie, as their texts are read from the sources and not from a bundle.
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
