import PressureDevices
import PressureSystem
import PressureTestSupport

@testable import PressurePads

/// Files about pads, which another program may have written: they are damaged, or can be listed and written again.
func fuzzPadStore(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)
  guard let record = PadStore.parse(bytes) else { return }
  require(record.version == PadRecord.currentVersion, "a file of another version is not read")
  require(
    PadStore.parse(JSONText.line(of: record)) == record, "a written file can be read: \(record)")
  let state = PadState(FuzzedPad.device, record)
  Array("\(state.json)\n".utf8).withUnsafeBufferPointer(JSONValidator.hold)
  require(state.lines.count >= 3, "a line for each setting")
  for setting in PadSetting.allCases where record[setting].isUnknown {
    require(record[setting].value == nil, "a value that is known is not unknown")
  }
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
