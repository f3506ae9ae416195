internal import PressureDevices
internal import PressureKit
internal import PressureRecordings
internal import PressureSystem

/// One file for a bug report: a recording of touches, with the report descriptor and the verdict as comments.
///
/// It contains nothing that identifies a person: no serial number, no host name, no key, and no name of a Bluetooth device, as
/// that may be its owner's.
struct DeviceReport: RecordingWriter {
  private static let bluetooth: UInt16 = 0x05

  /// The format of the file, whose other lines are comments.
  private let format: any RecordingWriter

  /// Comments that follow the description.
  private let comments: [String]

  /// Makes the report of a device.
  ///
  /// - Parameters:
  ///   - format: a writer of the evemu format.
  ///   - node: the path of its node.
  ///   - surface: the device with its quirks.
  ///   - machine: the kernel.
  init(_ format: any RecordingWriter, _ node: String, _ surface: Surface, _ machine: Machine) {
    self.format = format
    let verdict = surface.verdict
    var comments = [
      "pressured \(Version.current), Linux \(machine.kernel), \(machine.processor)",
      "Pressure: \(verdict.measure.rawValue), \(verdict.certainty?.rawValue ?? "no claim"); grams: "
        + verdict.weightSource.rawValue,
    ]
    comments += verdict.reasons.map { "Because \($0)" }
    if let quirk = surface.description.quirk?.title { comments.append("Quirk: \(quirk)") }
    if let bytes = DeviceFolder.descriptor(of: node) {
      let text = bytes.map { $0.hexadecimal(2) }
      comments.append("Report descriptor, as of hid-recorder:")
      comments.append("R: \(bytes.count) \(text.joined(separator: " "))")
    }
    self.comments = comments
  }

  func header(of device: DeviceDescription, at node: String) -> String {
    var device = device
    if device.bus == DeviceReport.bluetooth { device.name = "Bluetooth device" }
    return format.header(of: device, at: node) + comments.map { "# \($0)\n" }.joined()
  }

  func text(of frame: RecordedFrame) -> String { format.text(of: frame) }
}
