/// What clients of ours send.
extension JSONLinesWriter {
  /// Adds a request, with its arguments in the order given.
  public mutating func appendRequest(
    _ verb: String, _ arguments: KeyValuePairs<String, RequestValue> = [:]
  ) {
    append("{\"do\":")
    append(quoted: verb)
    for (name, value) in arguments {
      append(",")
      append(quoted: name)
      append(":")
      append(argument: value)
    }
    append("}\n")
  }

  private mutating func append(argument: RequestValue) {
    switch argument {
    case .null: append("null")
    case .object(let members):
      append("{")
      for (index, key) in members.keys.sorted().enumerated() {
        if index > 0 { append(",") }
        append(quoted: key.text)
        append(":")
        append(argument: members[key] ?? .null)
      }
      append("}")
    case .truth(let truth): append(truth)
    case .whole(let number): append(number)
    case .number(let number): append(number, decimals: 4)
    case .text(let text): append(quoted: text)
    case .list(let values):
      append("[")
      for (index, value) in values.enumerated() {
        if index > 0 { append(",") }
        append(argument: value)
      }
      append("]")
    }
  }
}
