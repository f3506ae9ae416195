internal import Glibc
package import PressureKit
package import PressureSystem

/// Stores what the daemon has learned of each device from its touches, in one file per device in a folder: `ID.yaml`.
///
/// Unlike a calibration it can be learned again: a file that is damaged or of another version is ignored, and replaced later.
package struct LearnedStore {
  /// The most files; the one that was written first makes room.
  ///
  /// IDs come from devices, which may have random ones.
  static let capacity = 64

  private let folder: String

  init(stateFolder: String) {
    folder = stateFolder + "/learned"
  }

  /// Finds what was learned of a device on this pressure axis, and why a file is ignored.
  package func find(_ device: DeviceID, on axis: Axis) -> (learned: Learned, warning: String?) {
    let name = name(of: device)
    do throws(CalibrationFileError) {
      let bytes = try StoredFile.bytes(of: name, in: folder, limit: LearnedFile.sizeLimit)
      guard let bytes else { return (Learned(), nil) }
      let file = try StoredFile.read(
        bytes, name: "\(folder)/\(name)", version: LearnedFile.version, body: LearnedFile.read)
      let isOfThis = file.device == device.text && file.axis == axis
      return (isOfThis ? file.learned : Learned(), nil)
    } catch {
      return (Learned(), "\(error.sentence); \(device.text) is learned again")
    }
  }

  /// Stores what is known of a device, unless that follows from its file already.
  package func keep(
    _ learned: Learned, of device: DeviceID, on axis: Axis
  ) throws(SystemError) {
    let lasting = learned.lasting
    guard !lasting.concludes(as: find(device, on: axis).learned) else { return }
    let path = "\(folder)/\(name(of: device))"
    guard lasting != Learned() else {
      unlink(path)
      return
    }
    if access(path, F_OK) != 0 { makeRoom() }
    // Between two frames, for which a slow disk must not delay all clients; a file that a power failure has cut is learned again.
    try AtomicFile.write(
      LearnedFile(device: device.text, axis: axis, learned: lasting).bytes, to: path,
      waitsForDisk: false)
  }

  /// Removes the files that were written first, so that there is room for another one.
  ///
  /// The folder belongs to the service, and root may run the program: no link is followed, and only files of this kind are removed.
  private func makeRoom() {
    guard let opened = try? InputFile.openFolder(folder) else { return }
    let names = FileNames.names(in: opened, limit: CalibrationStore.maximumNames) ?? []
    let dated = names.filter { $0.hasSuffix(LearnedStore.fileExtension) }.map { name in
      var status = stat()
      fstatat(opened.number, name, &status, AT_SYMLINK_NOFOLLOW)
      return (name: name, time: status.st_mtim)
    }
    .sorted { ($0.time.tv_sec, $0.time.tv_nsec) < ($1.time.tv_sec, $1.time.tv_nsec) }
    for file in dated.prefix(max(dated.count - LearnedStore.capacity + 1, 0)) {
      unlinkat(opened.number, file.name, 0)
    }
  }

  private static let fileExtension = ".yaml"

  private func name(of device: DeviceID) -> String {
    CalibrationStore.fileName(of: device) + LearnedStore.fileExtension
  }
}

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
      + line("click_strengths", learned.clicks.strengths.isEmpty ? nil : learned.clicks.strengths)
      + line("maximum", evidence.usedMaximum)
      + line("carries_total", evidence.carriesTotal)
      + line("follows_area", evidence.followsArea)
    return StoredFile.bytes(of: text)
  }

  fileprivate static func read(_ reader: inout MappingDecoder) -> LearnedFile? {
    let device = reader.required("device", .text)
    let axis = reader.axis()
    let clicks = reader.list("clicks", of: .whole(Int32.min...Int32.max)) ?? []
    let strengths = reader.list("click_strengths", of: .number(0...4e9)) ?? []
    var evidence = StreamEvidence()
    reader.value("maximum", .optional(.whole(Int32.min...Int32.max)), into: &evidence.usedMaximum)
    reader.value("carries_total", .optional(.truth), into: &evidence.carriesTotal)
    reader.value("follows_area", .optional(.truth), into: &evidence.followsArea)
    guard let device, let axis else { return nil }
    if let maximum = evidence.usedMaximum, maximum <= axis.minimum { evidence.usedMaximum = nil }
    let known = ClickForce(
      clicks.filter { $0 > axis.minimum }, strengths: strengths.filter { $0 > 0 })
    return LearnedFile(
      device: device, axis: axis, learned: Learned(clicks: known, evidence: evidence))
  }
}
