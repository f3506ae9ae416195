import Testing

@testable import PressureKit
@testable import PressureSettings
@testable import PressureYAML

/// The file that ships as a list of all settings is one.
struct ExampleConfigurationTests {
  private let text: String

  init() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let bytes = try AtomicFile.read("/\(root)/docs/examples/config.yaml", limit: 1 << 20)
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The lines with the examples in force, in the place of the empty lists; a remark begins with # and
  /// one space.
  private var tried: [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let examples = Set(lines.filter { $0.hasPrefix("#") && $0.hasSuffix(":") })
    return lines.compactMap { line in
      if line.hasSuffix(": []"), examples.contains("#" + line.dropLast(3)) { return nil }
      guard line.hasPrefix("#"), line.dropFirst().first ?? " " != " " || line.hasPrefix("#  ")
      else { return line }
      return String(line.dropFirst())
    }
  }

  @Test func `as it stands it changes nothing`() throws {
    #expect(try configuration(text) == Configuration())
  }

  @Test func `its examples are right`() throws {
    let read = try configuration(tried.joined(separator: "\n"))
    #expect(read.regions.count == 1)
    #expect(read.actions.count == 1)
    #expect(read.devices.first?.press?.holdMilliseconds == 500)
  }

  @Test func `it has every key that there is`() throws {
    let root = try YAMLTree.root(
      of: Array(tried.joined(separator: "\n").utf8), faults: DiagnosticList(file: "config.yaml"))
    var count = 0
    for fields in mappings(in: try #require(root), named: "") {
      let keys = try #require(keysThereMayBe(beside: fields))
      #expect(Set(fields.map(\.key)) == Set(keys))
      count += fields.count
    }
    #expect(count > 60, "the walk has come to all of them")
  }

  /// All mappings but those whose keys are the user's own, or were there before.
  private func mappings(in node: YAMLNode, named name: String) -> [[YAMLField]] {
    switch node.content {
    case .scalar: []
    case .list(let nodes): nodes.flatMap { mappings(in: $0, named: name) }
    case .mapping(let fields):
      ["user_info", "devices.press"].contains(name)
        ? []
        : [fields]
          + fields.flatMap {
            mappings(in: $0.value, named: name == "devices" ? "devices.\($0.key)" : $0.key)
          }
    }
  }

  /// What the reader says there may be, when it is given a key that there is not.
  private func keysThereMayBe(beside fields: [YAMLField]) -> [String]? {
    guard let last = fields.last else { return nil }
    var lines = tried
    let indent = String(repeating: " ", count: last.mark.column - 1)
    lines.insert(indent + "zzzzzzzzzzzz: 0", at: last.mark.line - 1)
    let said = faults(lines.joined(separator: "\n"))
    let words = said.first?.split(separator: "valid keys are ").last
    return words?.split(separator: ", ").map(String.init)
  }
}
