/// A key of the configuration file with a number, a switch, a word or a list of names, declared beside its property.
///
/// Decoding, `pressured config`, the manual page and the example file are derived from it, with the other keys.
package struct PlainSetting<Root> {
  package let name: String

  package let value: Value
  package let unit: String

  package let effect: SettingEffect
  package let summary: String

  package enum Value {
    case truth(WritableKeyPath<Root, Bool>)
    case whole(WritableKeyPath<Root, Int>, ClosedRange<Int>)
    case number(WritableKeyPath<Root, Double>, ClosedRange<Double>)
    case words([String], get: (Root) -> String, set: (inout Root, String) -> Void)
    case names(WritableKeyPath<Root, [String]>, of: Names)

    /// The words of an enumeration.
    static func word<Word: RawRepresentable<String> & CaseIterable>(
      _ path: WritableKeyPath<Root, Word>
    ) -> Value {
      .words(Word.allCases.map(\.rawValue), get: { $0[keyPath: path].rawValue }) { root, text in
        root[keyPath: path] = Word(rawValue: text) ?? root[keyPath: path]
      }
    }
  }

  init(
    _ name: String, _ value: Value, unit: String = "", effect: SettingEffect = .nextTouch,
    _ summary: String
  ) {
    (self.name, self.value, self.unit) = (name, value, unit)
    (self.effect, self.summary) = (effect, summary)
  }

  /// What a list names; what does not exist on this machine gives a warning.
  package enum Names: String {
    case users, groups
  }
}

/// When a changed setting takes effect after a reload.
package enum SettingEffect: String {
  case atOnce = "at once"
  case nextTouch = "with the next touch"
  case untouched = "once nothing touches the device"
  case restart = "after a restart"
}
