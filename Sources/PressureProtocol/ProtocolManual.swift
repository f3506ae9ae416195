internal import PressureKit

/// The parts of the manual page that are made from the tables of requests and events, in scdoc.
package enum ProtocolManual {
  /// The table with the fields of an event, or of an object that one contains.
  ///
  /// - Parameter name: the name of the event or of the object's definition in the schema.
  /// - Returns: the table, without a line feed at its end; nil if there is none of this name.
  package static func table(of name: String) -> String? {
    if let event = EventName(rawValue: name) { return table(event) }
    let types: [JSONType] = [.verdict, .pressing]
    return types.compactMap(\.shape).first { $0.name == name }.map { table($0.fields) }
  }

  private static func table(_ event: EventName) -> String {
    let common = ["time", "device"]
    return table(
      event.fields.filter { !common.contains($0.name) || !$0.summary.isEmpty || event == .access })
  }

  /// The rows of fields; neighbors that the page describes elsewhere have one row.
  private static func table(_ fields: [Field]) -> String {
    var rows: [(names: String, text: String)] = []
    for field in fields {
      let name = "*\(field.name)*"
      if field.summary.isEmpty, rows.last?.text == seeAbove {
        rows[rows.count - 1].names += ", \(name)"
      } else {
        rows.append((name, field.summary.isEmpty ? seeAbove : field.summary))
      }
    }
    let lines = rows.enumerated().map { index, row in
      index == 0 ? "|[ \(row.names)\n:< \(row.text)\n" : "|  \(row.names)\n:  \(row.text)\n"
    }
    return lines.joined()
  }

  private static let seeAbove = "see above"

  /// The entries of requests.
  package static func entries(of verbs: [String]) -> String {
    verbs.compactMap { verb in RequestDefinition.all.first { $0.verb == verb } }
      .map(\.entry).joined(separator: "\n")
  }

  /// The requests by the permission that they need, and those of suspended clients.
  package static var permissions: String {
    let levels = ["read", "use", "control"].map { level in
      (level, RequestDefinition.all.filter { $0.permission.name == level })
    }
    let rows =
      levels.map { ("_\($0.0)_", names($0.1)) } + [
        ("while suspended", names(RequestDefinition.all.filter(\.isForSuspended)))
      ]
    return rows.enumerated().map { index, row in
      "\(index == 0 ? "|[" : "| ") \(row.0)\n\(index == 0 ? ":<" : ": ") \(row.1)\n"
    }.joined()
  }

  /// The names of the requests that need a permission, as a list in a sentence.
  package static func requests(needing level: String) -> String {
    names(RequestDefinition.all.filter { $0.permission.name == level })
  }

  private static func names(_ requests: [RequestDefinition]) -> String {
    requests.map { request in
      guard case .useWith(let argument) = request.permission else { return "*\(request.verb)*" }
      return "*\(request.verb)* with *\(argument)*"
    }.joined(separator: ", ")
  }
}

extension RequestDefinition {
  /// The entry of the manual page: the form, what the request does, its arguments and its result.
  fileprivate var entry: String {
    let form = arguments.map { $0.isRequired ? " *\($0.name)*" : " [*\($0.name)*]" }
    var text = "*\(verb)*\(form.joined())\n\t\(summary.capitalizedFirst)."
    let fields = result.base.itemFields
    if let returns = returns ?? (fields.isEmpty ? "{}" : nil) { text += " Returns \(returns)." }
    text += "\n"
    // The device and the start of a list are those of all requests.
    for argument in arguments where argument.key != "device" || argument.condition != nil {
      guard argument.key != "from" else { continue }
      text += "\n\t*\(argument.name)*\n\t\t\(argument.text)\n"
    }
    guard returns == nil, !fields.isEmpty else { return text }
    let orNull = result.isNullable ? ", or null" : ""
    text += "\n\tReturns \(result.listText)\(orNull), with these fields:\n"
    return text + ProtocolManual.list(fields, level: 1)
  }
}

extension ProtocolManual {
  /// The fields of a result, with those of objects in it.
  fileprivate static func list(_ fields: [Field], level: Int) -> String {
    let indent = String(repeating: "\t", count: level)
    return fields.reduce(into: "") { text, field in
      text += "\n\(indent)*\(field.name)*\n\(indent)\t\(field.meaning.capitalizedFirst).\n"
      // Contacts and readings are events as well.
      if field.name != "contacts", field.name != "scale" {
        text += list(field.type.base.itemFields, level: level + 1)
      }
    }
  }
}

extension Field {
  /// The meaning, that of the type if the field has none of its own.
  fileprivate var meaning: String {
    if !summary.isEmpty { return summary }
    if case .named(_, _, let text) = type { return text }
    return type.expected
  }
}

extension RequestArgument {
  /// The meaning, the valid values and the default.
  fileprivate var text: String {
    let values = type.expected + (unit.map { " \($0)" } ?? "")
    let meaning = summary.isEmpty ? "" : "\(summary.capitalizedFirst). "
    return "\(meaning)\(values.capitalizedFirst).\(defaultText.map { " [\($0)]" } ?? "")"
  }
}

extension JSONType {
  fileprivate var shape: JSONObject? {
    if case .object(let shape) = base { shape } else { nil }
  }

  /// The fields of an object, or of the objects in a list.
  fileprivate var itemFields: [Field] {
    if case .list(let element, _) = self { return element.base.itemFields }
    return shape?.fields ?? []
  }

  fileprivate var listText: String {
    if case .list = base { "a list of objects" } else { "an object" }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
