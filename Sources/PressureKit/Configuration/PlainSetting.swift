/// A key of the configuration file with a number or a switch, declared beside its property.
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
  }

  init(
    _ name: String, _ value: Value, unit: String = "", effect: SettingEffect = .nextTouch,
    _ summary: String
  ) {
    (self.name, self.value, self.unit) = (name, value, unit)
    (self.effect, self.summary) = (effect, summary)
  }
}

/// When a changed setting takes effect after a reload.
package enum SettingEffect: String {
  case atOnce = "at once"
  case nextTouch = "with the next touch"
  case untouched = "once nothing touches the device"
  case restart = "after a restart"
}
