/// What kind of picture is made.
package enum PlotFormat: String, CaseIterable {
  case svg
  case png

  /// By the ending of a file's name; nil where that is none of ours.
  package init?(path: String) {
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard path.contains("."), let format = PlotFormat(rawValue: ending) else { return nil }
    self = format
  }
}
