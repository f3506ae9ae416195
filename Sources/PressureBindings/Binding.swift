package import PressureKit

/// What is to be done, and when.
package struct Binding: Hashable {
  /// What sets it off.
  package enum Trigger: Hashable {
    /// A press climbs to a stage.
    case press(ActionTrigger)
    /// The daemon has performed the action of this type.
    case action(String)
  }

  /// What is done.
  package enum BindingAction: Hashable {
    /// A program is run with these words; no shell reads them. There is at least one.
    case run([String])
    /// A key or button is held as long as the press stays on its stage; for an action it is tapped.
    case pressKey(EventCode)
  }

  package var trigger: Trigger
  package var deed: BindingAction
}

/// All that the user's file says.
package struct Bindings: Hashable {
  /// How many commands may be asked for to run at once.
  static let runningLimits = 1...1024

  /// How many times in a second one binding may do something.
  static let rateLimits = 1...100

  /// How many times in a second each binding may do something; all together four times as often.
  var maxPerSecond = 5

  /// Commands that run at once; what comes while there are so many is not started.
  var maxRunning = 8

  package var list: [Binding] = []

  /// The keys and buttons that are pressed.
  var keys: Set<EventCode> {
    Set(
      list.compactMap { binding in
        if case .pressKey(let key) = binding.deed { key } else { nil }
      })
  }
}
