package import PressureKit

extension Configuration {
  /// Reads the actions; their triggers may name only stages and regions that there are.
  mutating func readActions(_ reader: inout MappingDecoder) {
    // After a fault a name may be missing only because of it.
    let isRight = reader.isRight
    let stage: ValueDecoder<String> = isRight ? .name(of: "stage", among: stageNames) : .text
    let region: ValueDecoder<String> =
      isRight ? .name(of: "region", among: regions.map(\.name)) : .text
    var types: Set<String> = []
    let read = reader.entries("actions") { reader in
      let action = Action.read(stage: stage, region: region, &reader)
      if let action, !types.insert(action.type).inserted {
        reader.fault("action \(action.type.quoted) is there twice", at: "type")
      }
      return action
    }
    actions = read ?? actions
  }
}

extension Action {
  fileprivate static func read(
    stage: ValueDecoder<String>, region: ValueDecoder<String>, _ reader: inout MappingDecoder
  ) -> Action? {
    let (type, title) = (reader.required("type", .text), reader.required("title", .text))
    var action = Action(type: type ?? "", title: title ?? "")
    reader.value("subtitle", .optional(.note), into: &action.subtitle)
    reader.value("icon", .optional(.text), into: &action.icon)
    reader.value("icon_file", .optional(.text), into: &action.iconFile)
    reader.dictionary("user_info", of: .note, into: &action.userInfo)
    reader.mapping("on") { reader in
      action.trigger = ActionTrigger.read(stage: stage, region: region, &reader)
    }
    return type.map { _ in action }
  }
}

extension ActionTrigger {
  package static func read(
    stage: ValueDecoder<String>, region: ValueDecoder<String>, _ reader: inout MappingDecoder
  ) -> ActionTrigger? {
    let press = reader.required("press", stage)
    var trigger = ActionTrigger(stage: press ?? "")
    reader.value("fingers", .fingers, into: &trigger.fingers)
    reader.value("region", .optional(region), into: &trigger.region)
    reader.value("device", .glob, into: &trigger.device)
    return press.map { _ in trigger }
  }
}
