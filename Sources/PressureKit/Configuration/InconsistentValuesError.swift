/// Two settings, each right by itself, that cannot stand together.
public struct InconsistentValuesError: Error, Hashable {
  /// The one of them to change, by its key in the file.
  public let setting: String

  /// What is wrong with them, to stand in the middle of a sentence.
  public let reason: String
}

extension Double {
  /// The number as a person would write it: 200, not 200.0.
  package var brief: String {
    Int64(exactly: self).map { String($0) } ?? description
  }
}
