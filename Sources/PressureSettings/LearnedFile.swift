internal import PressureKit

/// A file with what was learned of a device, in YAML with a checksum, as that of a calibration.
struct LearnedFile {
  /// The only version so far; files of other versions are ignored.
  static let version = 1

  /// The most bytes; a file takes a tenth.
  static let sizeLimit = 1 << 13

  var device: String

  /// The pressure axis, to whose units the values belong.
  var axis: Axis

  var learned: Learned

  var bytes: [UInt8] {
    let evidence = learned.evidence
    func line(_ key: String, _ value: (some Any)?) -> String {
      value.map { "\(key): \($0)\n" } ?? ""
    }
    let text =
      """
      # What pressured has learned of a device from its touches. Delete this file to have it learn again.
      version: \(LearnedFile.version)
      device: "\(device)"
      axis: { minimum: \(axis.minimum), maximum: \(axis.maximum), resolution: \(axis.resolution) }

      """ + line("clicks", learned.clicks.values.isEmpty ? nil : learned.clicks.values)
      + line("maximum", evidence.usedMaximum)
      + line("carries_total", evidence.carriesTotal)
      + line("follows_area", evidence.followsArea)
    return ChecksumLine.appended(to: text)
  }

  /// Decodes a file; `name` identifies it in messages.
  init(_ bytes: [UInt8], name: String) throws(CalibrationFileError) {
    self = try StoredFile.read(bytes, name: name, version: LearnedFile.version) {
      LearnedFile(&$0)
    }
  }

  init(device: String, axis: Axis, learned: Learned) {
    (self.device, self.axis, self.learned) = (device, axis, learned)
  }

  private init?(_ reader: inout MappingDecoder) {
    let device = reader.required("device", .text)
    let axis = reader.axis()
    let clicks = reader.list("clicks", of: .whole(Int32.min...Int32.max)) ?? []
    var evidence = StreamEvidence()
    reader.value("maximum", .optional(.whole(Int32.min...Int32.max)), into: &evidence.usedMaximum)
    reader.value("carries_total", .optional(.truth), into: &evidence.carriesTotal)
    reader.value("follows_area", .optional(.truth), into: &evidence.followsArea)
    guard let device, let axis else { return nil }
    if let maximum = evidence.usedMaximum, maximum <= axis.minimum { evidence.usedMaximum = nil }
    let plausible = clicks.filter { $0 > axis.minimum }
    self.init(
      device: device, axis: axis,
      learned: Learned(clicks: ClickForce(plausible), evidence: evidence))
  }
}
