/// A value in a YAML file, with the place where it begins.
struct YAMLNode {
  /// What the value consists of.
  enum Content {
    /// A text; `plain` where it stands without quotes and may be a number, a truth value or null.
    case scalar(String, plain: Bool)
    /// A list of values.
    case list([YAMLNode])
    /// Pairs of a key and a value, no key twice.
    case mapping([YAMLField])
  }

  var mark: YAMLMark
  var content: Content
}

/// A key in a YAML file, with the place where it begins, and what it stands for.
struct YAMLField {
  var key: String
  var mark: YAMLMark
  var value: YAMLNode
}
