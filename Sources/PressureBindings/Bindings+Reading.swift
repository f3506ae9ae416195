internal import PressureKit
internal import PressureSettings

extension Bindings {
  mutating func read(_ reader: inout MappingDecoder) {
    reader.value("max_running", .whole(Bindings.runningLimits), into: &maxRunning)
    reader.value("max_per_second", .whole(Bindings.rateLimits), into: &maxPerSecond)
    list = reader.entries("bindings", body: Binding.read) ?? list
  }
}

extension Binding {
  fileprivate static func read(_ reader: inout MappingDecoder) -> Binding? {
    var trigger: Trigger?
    reader.required("on") { trigger = Trigger.read(&$0) }
    let deed = BindingAction.read(&reader)
    guard let trigger, let deed else { return nil }
    return Binding(trigger: trigger, deed: deed)
  }
}

extension Binding.Trigger {
  fileprivate static func read(_ reader: inout MappingDecoder) -> Self? {
    switch (reader.has("press"), reader.has("action")) {
    case (true, false):
      // Stages and regions are the daemon's; which there are is not known here.
      ActionTrigger.read(stage: .text, region: .text, &reader).map { .press($0) }
    case (false, true):
      reader.required("action", .text).map { .action($0) }
    case (true, true):
      reader.refuse("a binding is on a press or on an action, not on both", at: "action")
    case (false, false):
      reader.refuse("\"press\" or \"action\" is missing", at: "press")
    }
  }
}

extension Binding.BindingAction {
  fileprivate static func read(_ reader: inout MappingDecoder) -> Self? {
    switch (reader.has("run"), reader.has("press_key")) {
    case (true, false): words(&reader).map { .run($0) }
    case (false, true): reader.required("press_key", .key).map { .pressKey($0) }
    case (true, true): reader.refuse("a binding has run or press_key, not both", at: "press_key")
    case (false, false): reader.refuse("\"run\" or \"press_key\" is missing", at: "run")
    }
  }

  private static func words(_ reader: inout MappingDecoder) -> [String]? {
    guard let words = reader.list("run", of: .argument) else { return nil }
    guard let program = words.first, !program.isEmpty else {
      return reader.refuse("run must begin with a program", at: "run")
    }
    return words
  }
}

extension ValueDecoder where Value == String {
  /// A word of a command: what stands there, also where it is a number; but null is a slip.
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
