package import PressureYAML

/// A value in a YAML file, with the place where it begins.
package struct YAMLNode {
  /// What the value consists of.
  package enum Content {
    /// A text; `plain` where it stands without quotes and may be a number, a truth value or null.
    case scalar(String, plain: Bool)
    /// A list of values.
    case list([YAMLNode])
    /// Pairs of a key and a value, no key twice.
    case mapping([YAMLField])
  }

  package var mark: YAMLMark
  package var content: Content
}

/// A key in a YAML file, with the place where it begins, and what it stands for.
package struct YAMLField {
  var key: String
  var mark: YAMLMark
  var value: YAMLNode
}
