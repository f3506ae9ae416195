internal import CEvdev
package import PressureKit
package import PressureSettings
package import PressureSystem

package struct Binding: Hashable {
  package enum Trigger: Hashable {
    /// A press reaches a stage, and is not simulated unless that counts, too.
    case press(ActionTrigger, simulated: Bool = false)
    case action(String)

    fileprivate static func read(_ reader: inout MappingDecoder) -> Self? {
      switch (reader.has("press"), reader.has("action")) {
      case (true, false):
        // A finger that rests simulates a press, and most fingers rest by chance.
        var simulated = false
        reader.value("simulated", .truth, into: &simulated)
        // The daemon defines stages and regions, so any name is accepted here.
        let trigger = ActionTrigger.read(stage: .text, region: .text, &reader)
        return trigger.map { .press($0, simulated: simulated) }
      case (false, true): return reader.required("action", .text).map { .action($0) }
      case (true, true):
        return reader.refuse("a binding has press or action, not both", at: "action")
      case (false, false): return reader.refuse("\"press\" or \"action\" is missing", at: "press")
      }
    }
  }

  package enum Action: Hashable {
    /// Runs a program with these arguments, of which there is at least one; no shell interprets them.
    case run([String])
    /// Holds a key or button while the press stays on its stage; an action taps it.
    case pressKey(EventCode)

    fileprivate static func read(_ reader: inout MappingDecoder) -> Self? {
      switch (reader.has("run"), reader.has("press_key")) {
      case (true, false):
        guard let arguments = reader.list("run", of: .argument) else { return nil }
        guard let program = arguments.first, !program.isEmpty else {
          return reader.refuse("run must begin with a program", at: "run")
        }
        return .run(arguments)
      case (false, true): return reader.required("press_key", .key).map { .pressKey($0) }
      case (true, true):
        return reader.refuse("a binding has run or press_key, not both", at: "press_key")
      case (false, false): return reader.refuse("\"run\" or \"press_key\" is missing", at: "run")
      }
    }
  }

  package var trigger: Trigger
  package var action: Action

  var isForPress: Bool { if case .press = trigger { true } else { false } }

  fileprivate static func read(_ reader: inout MappingDecoder) -> Binding? {
    var trigger: Trigger?
    reader.required("on") { trigger = Trigger.read(&$0) }
    let action = Action.read(&reader)
    guard let trigger, let action else { return nil }
    return Binding(trigger: trigger, action: action)
  }
}

package struct Bindings: Hashable {
  static let runningLimits = 1...1024
  static let rateLimits = 1...100

  /// How often each binding may fire per second; all bindings together may fire four times as often.
  var maxPerSecond = 5
  var maxRunning = 8

  package var list: [Binding] = []

  var keys: Set<EventCode> {
    Set(list.compactMap { if case .pressKey(let key) = $0.action { key } else { nil } })
  }

  mutating func read(_ reader: inout MappingDecoder) {
    reader.value("max_running", .whole(Bindings.runningLimits), into: &maxRunning)
    reader.value("max_per_second", .whole(Bindings.rateLimits), into: &maxPerSecond)
    list = reader.entries("bindings", body: Binding.read) ?? list
  }
}

package enum BindingsFile {
  /// The path that was given, or the default; nil if neither $XDG_CONFIG_HOME nor $HOME is set.
  package static func path(named path: String?, environment: [String: String]) -> String? {
    path ?? ConfigurationLocation.userDirectory(environment).map { $0 + "/pressured/bindings.yaml" }
  }

  package static func read(
    path: String, accepting kind: InputFile.Kind = .regular
  ) throws(ConfigurationErrors) -> Bindings {
    var bindings = Bindings()
    try SettingsFile.read(path: path, accepting: kind) { bindings.read(&$0) }
    return bindings
  }

  /// Reads the text of a file; error messages refer to it as `name`.
  package static func read(text: [UInt8], name: String) throws(ConfigurationErrors) -> Bindings {
    var bindings = Bindings()
    try SettingsFile.read(text: text, name: name) { bindings.read(&$0) }
    return bindings
  }
}

extension ValueDecoder where Value == String {
  /// An argument of a command: any scalar as written, including numbers, but not null.
  fileprivate static var argument: Self {
    ValueDecoder(expected: "text or a number") { node in
      guard case .scalar(let text, _) = node.content, !node.isNull else { return nil }
      return text.utf8.contains(0) ? nil : text
    }
  }
}

extension ValueDecoder where Value == EventCode {
  fileprivate static var key: Self {
    ValueDecoder(expected: "the name of a key or button, such as BTN_MIDDLE or KEY_ESC") { node in
      node.text.flatMap { EventCode(keyName: $0) }
    }
  }
}

extension EventCode {
  /// Finds a key or button by its name in the kernel's header, such as `BTN_MIDDLE`.
  ///
  /// Returns nil also for `KEY_RESERVED` and `KEY_MAX`, the limits of the range.
  init?(keyName: String) {
    let number = libevdev_event_code_from_name(UInt32(EV_KEY), keyName)
    guard number > KEY_RESERVED, number < KEY_MAX else { return nil }
    self = .key(UInt16(number))
  }

  var keyName: String {
    libevdev_event_code_get_name(UInt32(EV_KEY), UInt32(code)).map { String(cString: $0) }
      ?? "\(code)"
  }
}
