internal import PressurePads

extension PadFolder {
  /// What can be set of the click of a touch device, in a sentence.
  ///
  /// - Parameter input: the path of its evdev node.
  /// - Returns: what `pressured pad` sets, or why it sets nothing; nil for a device whose HID report descriptor declares no touch
  ///   device, or that has none.
  static func settingsSentence(ofInput input: String) -> String? {
    guard let pad = pad(ofInput: input) else { return nil }
    let names = pad.layout.controls.map(\.setting.name)
    return names.isEmpty
      ? pad.remarks.joined(separator: "; ")
      : "pressured pad sets its \(names.joined(separator: " and "))"
  }
}
