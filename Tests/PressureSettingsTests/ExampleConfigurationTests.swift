import Testing

@testable import PressureKit
@testable import PressureSettings
@testable import PressureYAML

/// The shipped configuration file lists all settings.
struct ExampleConfigurationTests {
  private let text: String

  init() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let bytes = try AtomicFile.read("/\(root)/docs/examples/config.yaml", limit: 1 << 20)
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The lines with the examples uncommented, instead of the empty lists; a comment begins with # and
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

  @Test func `the file is the default configuration`() throws {
    #expect(try configuration(text) == Configuration())
  }

  @Test func `its examples are valid`() throws {
    let read = try configuration(tried.joined(separator: "\n"))
    #expect(read.regions.count == 1)
    #expect(read.actions.count == 1)
    #expect(read.devices.first?.press?.holdMilliseconds == 500)
  }

  @Test func `it has all existing keys`() throws {
    let root = try YAMLTree.root(
      of: Array(tried.joined(separator: "\n").utf8), errors: DiagnosticList(file: "config.yaml"))
    var count = 0
    for fields in mappings(in: try #require(root), named: "") {
      let keys = try #require(validKeys(beside: fields))
      // A stage has either this key, or the key `press`.
      #expect(Set(fields.map(\.key)) == Set(keys).subtracting(["above_click"]))
      count += fields.count
    }
    #expect(count > 60, "the walk has visited all keys")
  }

  /// All mappings except those with user-defined keys, or with keys that occurred before.
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

  /// The valid keys in the error message for an unknown key.
  private func validKeys(beside fields: [YAMLField]) -> [String]? {
    guard let last = fields.last else { return nil }
    var lines = tried
    let indent = String(repeating: " ", count: last.mark.column - 1)
    lines.insert(indent + "zzzzzzzzzzzz: 0", at: last.mark.line - 1)
    let messages = errors(lines.joined(separator: "\n"))
    let words = messages.first?.split(separator: "valid keys are ").last
    return words?.split(separator: ", ").map(String.init)
  }
}
