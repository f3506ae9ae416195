internal import Glibc
internal import PressureSettings
internal import PressureSystem

/// libinput's own tool, which knows the keys of the installed version.
///
/// libinput uses no quirks at all, also not those that it ships, if one file has a key that it does not know.
struct LibinputTool {
  /// The version, such as `1.22.1`.
  let version: String

  /// Finds the tool.
  ///
  /// - Returns: nil if it is not installed, or cannot validate quirks.
  static func installed() -> LibinputTool? {
    let output = UnitFinding.output(of: ["libinput", "--version"])
    let version = output.split(separator: "\n").first.map { String($0).onOneLine } ?? ""
    let tool = LibinputTool(version: version)
    let known = ["[known]", "MatchUdevType=touchpad", "AttrPressureRange=2:1"]
    return !version.isEmpty && tool.accepts(known) ? tool : nil
  }

  /// Whether the installed libinput accepts a file of quirks with these lines.
  func accepts(_ lines: [String]) -> Bool {
    guard let folder = try? TemporaryDirectory.make(in: "/tmp") else { return false }
    let file = "\(folder)/proposal.quirks"
    defer {
      unlink(file)
      rmdir(folder)
    }
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    do throws(SystemError) { try AtomicFile.write(bytes, to: file) } catch { return false }
    return UnitFinding.run(["libinput", "quirks", "validate", "--data-dir=\(folder)"]) != nil
  }
}
