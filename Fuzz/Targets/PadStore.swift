import PressureDevices
import PressureTestSupport

@testable import PressurePads

/// Files about pads, which another program may have written: they are damaged, or what is listed of them is in range.
func fuzzPadStore(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)
  if let file = PadStore.parse(bytes) {
    require(file.version == SavedFile.currentVersion, "a file of another version is not read")
    require(PadStore.parse(PadStore.encode(file)) == file, "a written file can be read: \(file)")
  }
  if let record = PadStore.parseRecord(bytes) {
    let written = PadStore.encode(record)
    require(PadStore.parseRecord(written) == record, "a written record can be read: \(record)")
    hold(record)
  }
}

private func hold(_ record: PadRecord) {
  let pad = FuzzedPad.device
  let state = PadState(pad, record)
  Array("\(state.json)\n".utf8).withUnsafeBufferPointer(JSONValidator.hold)
  if let grams = state.clickForce?.grams { require((110...190).contains(grams), "grams in range") }
  if let percent = state.haptics?.percent {
    require((0...100).contains(percent), "percent in range")
  }
  for control in pad.layout.controls where record.isUnknown(control.setting) {
    require(
      record.knowledge.values[control.setting] == nil, "a value that is known is not unknown")
  }
  require(
    PadState.lines(pad, record).count >= 1 + pad.layout.controls.count, "a line for each setting")
}

/// A pad with both settings.
enum FuzzedPad {
  static let device: PadDevice = {
    guard let descriptor = try? ReportDescriptor(PadDescriptors.haptic),
      let layout = PadLayout(descriptor)
    else { fatalError("the descriptor of the target is malformed") }
    return PadDevice(
      node: "hidraw0", name: "Pad", id: "0018-093a-4f05", model: "093a-4f05",
      instance: "0018:093A:4F05.0001", descriptor: PadDescriptors.haptic, layout: layout)
  }()
}
