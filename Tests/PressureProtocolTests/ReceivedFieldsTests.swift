import Foundation
import PressureKit
import PressureTestSupport
import Testing

@testable import PressureProtocol

/// Whether the types that clients receive carry each field that the schema names.
///
/// A field is carried if two lines that differ in nothing else are decoded as different values.
struct ReceivedFieldsTests {
  private typealias Object = [String: Any]

  private static let schema = Schema()

  private static let events = [
    "hello", "device", "contact", "weight", "max_force", "heaviest", "press", "scale", "action",
    "access", "missed", "reply",
  ]

  @Test func `the schema defines these events`() throws {
    let names = EventName.allCases.map(\.rawValue)
    #expect(Set(names) == Set(Self.events))
  }

  @Test(arguments: [
    ("hello/clock", words(Hello.Clock.self)), ("device/change", words(Device.Change.self)),
    ("device/capability", words(Surface.Capability.self)),
    ("device/weight_source", words(WeightSource.self)),
    ("verdict/measures", words(Verdict.Measure.self)),
    ("verdict/certainty", words(Verdict.Certainty.self)),
    ("verdict/range_source", words(Verdict.RangeSource.self)),
    ("verdict/haptics_trigger", words(Verdict.Trigger.self)),
    ("verdict/settings/items", words(Verdict.Setting.self)),
    ("max_force/state", words(MaximumForce.State.self)), ("press/state", words(Press.State.self)),
    ("scale/status", words(WeighingStatus.self)), ("action/origin", words(ActionOrigin.self)),
    ("access/state", words(AccessState.self)), ("access/reason", words(SuspensionReason.self)),
    ("error/code", words(ErrorCode.self)), ("error/reason", words(BusyReason.self)),
    ("calibration_fit/shape", words(CalibrationFit.Shape.self)),
    ("budget_part/cause", words(ErrorCause.self)),
  ])
  func `the schema has the words of each enumeration`(path: String, words: [String]) throws {
    let parts = path.replacing("/", with: "/properties/", maxReplacements: 1)
    let listed = try #require(Self.schema.definition("#/$defs/\(parts)")["enum"] as? [Any])
    #expect(listed.compactMap { $0 as? String } == words)
  }

  private static func words<Word: RawRepresentable<String> & CaseIterable>(
    _ type: Word.Type
  ) -> [String] {
    type.allCases.map(\.rawValue)
  }

  @Test(arguments: events)
  func `each field of an event is received`(name: String) throws {
    // The name selects the type, and its result has a type of its own.
    let skipped = ["event", "result", "protocol"]
    try expectFields(of: "#/$defs/\(name)", skipped) { line in
      var line = line
      line["event"] = name
      let event = try decode(ReceivedEvent.self, from: line)
      #expect(event != .other)
      return event
    }
  }

  @Test func `each field of a result is received`() throws {
    try expectFields(of: "#/$defs/dated_reading") { try decode(ReceivedScale.self, from: $0) }
    try expectFields(of: "#/$defs/device_state") { try decode(ReceivedState.self, from: $0) }
    try expectFields(of: "#/$defs/listed_device") { try decode(ReceivedDevice.self, from: $0) }
    try expectFields(of: "#/$defs/calibration") { try decode(ReceivedCalibration.self, from: $0) }
    try expectFields(of: "#/$defs/result_perform") {
      try decode(PerformResult.self, from: $0)
    }
  }

  private func decode<Value: Decodable>(_ type: Value.Type, from object: Object) throws -> Value {
    try BothDecoders.decode(type, from: JSONSerialization.data(withJSONObject: object))
  }

  private func expectFields(
    of reference: String, _ skipped: [String] = [], _ decode: (Object) throws -> AnyHashable
  ) throws {
    let schema = Self.schema.definition(reference)
    let line = try #require(Self.schema.example(schema) as? Object)
    let whole = try decode(line)
    let changes = Self.schema.changes(of: schema)
    let changed = Set(changes.map { String($0.path.prefix { $0 != "." }) })
    #expect(changed.isSuperset(of: line.keys.filter { !skipped.contains($0) }))
    for (path, changed) in changes where !skipped.contains(path) {
      let other = try decode(try #require(changed as? Object))
      #expect(other != whole, "\(reference) has a field \(path), which is not received")
    }
  }
}

/// The schema of the protocol, and values that fit it.
private struct Schema: @unchecked Sendable {
  private typealias Object = [String: Any]

  private let root: [String: Any]

  init() {
    let path = Folder.ofTests + "/../docs/protocol.schema.json"
    let data = FileManager.default.contents(atPath: path) ?? Data()
    root = (try? JSONSerialization.jsonObject(with: data) as? Object) ?? [:]
  }

  /// What a reference such as `#/$defs/time` refers to.
  func definition(_ reference: String) -> [String: Any] {
    let found = reference.split(separator: "/").dropFirst().reduce(root as Any) { value, key in
      (value as? Object)?[String(key)] ?? [:]
    }
    return resolved(found)
  }

  private func resolved(_ schema: Any?) -> Object {
    guard let schema = schema as? Object else { return [:] }
    if let choices = schema["anyOf"] as? [Object] {
      // The first type, or null.
      var first = resolved(choices.first)
      first["type"] = types(first) + (choices.flatMap(types).contains("null") ? ["null"] : [])
      return first
    }
    return (schema["$ref"] as? String).map(definition) ?? schema
  }

  private func types(_ schema: Object) -> [String] {
    schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
  }

  /// A value with all its fields.
  func example(_ schema: [String: Any]) -> Any { value(schema, at: 0) }

  /// One of two values that differ in everything that may differ.
  private func value(_ schema: Object, at index: Int) -> Any {
    if let constant = schema["const"] { return constant }
    if let values = schema["enum"] as? [Any] { return values[min(index, values.count - 1)] }
    let kind = types(schema).first
    switch kind {
    case "object":
      guard let fields = schema["properties"] as? Object else { return ["key": "value \(index)"] }
      return fields.mapValues { value(resolved($0), at: index) }
    case "array":
      let element = value(resolved(schema["items"]), at: index)
      return Array(repeating: element, count: schema["minItems"] as? Int ?? 1)
    case "integer": return 1 + index
    case "number": return 0.5 + Double(index) / 4
    case "boolean": return index == 0
    case "string": return "text \(index)"
    default: return NSNull()
    }
  }

  /// The value with one field changed or, if it may be, left out; with the path of the field.
  func changes(of schema: [String: Any]) -> [(path: String, value: Any)] {
    var changes: [(path: String, value: Any)] = []
    if types(schema).contains("null") { changes.append(("", NSNull())) }
    let whole = example(schema)
    switch types(schema).first {
    case "object":
      guard let fields = schema["properties"] as? Object, let whole = whole as? Object else {
        return changes + [("", value(schema, at: 1))]
      }
      for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
        let field = resolved(field)
        for change in self.changes(of: field) {
          let path = change.path.isEmpty ? name : "\(name).\(change.path)"
          changes.append((path, whole.merging([name: change.value]) { $1 }))
        }
        if field["const"] != nil, !(schema["required"] as? [String] ?? []).contains(name) {
          changes.append((name, whole.filter { $0.key != name }))
        }
      }
    case "array":
      let items = resolved(schema["items"])
      changes += self.changes(of: items).map { ($0.path, [$0.value]) }
      if types(items).first == "number" { changes.removeAll { $0.path.isEmpty } }
      changes.append(("", value(schema, at: 1)))
    default:
      if schema["const"] == nil { changes.append(("", value(schema, at: 1))) }
    }
    return changes
  }
}
