internal import Glibc
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// What is stored about pads: saved settings, and what was set since the pad appeared.
///
///     STATE/093a-4f05-CHECKSUM.json    saved: values of a model with this descriptor
///     RUNTIME/hidraw0/pad.json         what was set since it appeared, readable by all users
package struct PadStore: Sendable {
  package static let systemState = "/var/lib/pressured-pad"

  /// The folder that holds a folder for each node.
  package static let systemRuntime = "/run/pressured-pad"

  private let state: String
  private let runtime: String

  /// The most bytes of a file; one with both settings needs a tenth.
  static let sizeLimit = 4096

  package init(state: String = systemState, runtime: String = systemRuntime) {
    (self.state, self.runtime) = (state, runtime)
  }

  /// Decodes a file; nil if it is damaged or of another version.
  static func parse(_ bytes: [UInt8]) -> PadRecord? {
    let record = try? LineDecoder.decode(PadRecord.self, from: bytes)
    return record?.version == PadRecord.currentVersion ? record : nil
  }

  /// Reads a file about a pad, as far as its values are in the range of the descriptor; nil if there is none.
  ///
  /// `warn` is called for one that is damaged or about another pad, which is not used.
  private func read(
    _ path: String, about device: String, _ pad: PadDevice, warn: (String) -> Void
  ) -> PadRecord? {
    let bytes: [UInt8]
    do throws(InputFile.ReadError) {
      bytes = try InputFile.read(
        path, limit: PadStore.sizeLimit, accepting: .regularWithoutLinks)
    } catch .missing {
      return nil
    } catch {
      warn("cannot read \(path): \(error.reason)")
      return nil
    }
    guard var record = PadStore.parse(bytes), record.device == device,
      record.descriptor == pad.checksum
    else {
      warn("\(path) is damaged and not used; set the pad again")
      return nil
    }
    for control in pad.layout.controls {
      for kind in [\PadRecord.Setting.value, \.returned, \.original, \.saved] {
        let value = record[control.setting][keyPath: kind]
        guard let value, !control.values.contains(value) else { continue }
        record[control.setting][keyPath: kind] = nil
        warn("\(path): \(control.setting.rawValue) is not in the range of the pad")
      }
    }
    return record
  }

  // MARK: - Saved settings

  private func path(of pad: PadDevice) -> String { "\(state)/\(pad.model)-\(pad.checksum).json" }

  func saved(_ pad: PadDevice, warn: (String) -> Void) -> PadRecord? {
    read(path(of: pad), about: pad.model, pad, warn: warn)
  }

  /// Whether settings are saved for this model with another descriptor.
  ///
  /// Those of pads that are there, such as another interface of the same device, are not of another firmware.
  func hasOtherFirmware(_ pad: PadDevice, present: Set<String>) -> Bool {
    FileNames.names(in: state).contains { name in
      guard name.hasPrefix("\(pad.model)-"), name.hasSuffix(".json") else { return false }
      let checksum = String(name.dropFirst(pad.model.count + 1).dropLast(5))
      return checksum != pad.checksum && !present.contains(checksum)
    }
  }

  /// Saves the values of a record that are to be saved, and what the pad came with; without the former the file is removed.
  func save(_ record: PadRecord, of pad: PadDevice) throws(PadError) {
    let path = path(of: pad)
    guard !record.values(\.saved).isEmpty else {
      guard unlink(path) == 0 || errno == ENOENT else {
        throw PadError(.notSaved, SystemError(attempt: "remove \(path)", number: errno).sentence)
      }
      return
    }
    var file = PadRecord(device: pad.model, descriptor: pad.checksum)
    for setting in PadSetting.allCases {
      file[setting] = .init(original: record[setting].original, saved: record[setting].saved)
    }
    try PadStore.write(file, to: path, .notSaved)
  }

  private static func write(
    _ record: PadRecord, to path: String, _ code: PadError.Code
  ) throws(PadError) {
    do throws(SystemError) {
      try AtomicFile.write(JSONText.line(of: record), to: path)
    } catch {
      throw PadError(code, error.sentence)
    }
  }

  // MARK: - The record since the pad appeared

  private func folder(of pad: PadDevice) -> String { "\(runtime)/\(pad.node)" }

  /// What was set since the pad appeared; nil if nothing was, or if the record is of another device.
  package func record(_ pad: PadDevice) -> PadRecord? {
    read("\(folder(of: pad))/pad.json", about: pad.instance, pad) { _ in }
  }

  /// Replaces the record, which all users may read.
  func write(_ record: PadRecord, of pad: PadDevice) throws(PadError) {
    // Not set afterwards: a file that was replaced by a link could be anybody's.
    let mask = umask(0o022)
    defer { umask(mask) }
    try PadStore.write(record, to: "\(folder(of: pad))/pad.json", .failed)
  }
}

/// What is known of the settings of a pad, in the descriptor's own units.
package struct PadRecord: Codable, Hashable, Sendable {
  struct Setting: Codable, Hashable {
    /// The value that was set last since the pad appeared; nil if none was, or if it is not known whether the pad has it.
    var value: Int64?

    /// What the pad returned after that; nil if that was not believable.
    var returned: Int64?

    /// What the pad returned before it was first set; nil if that was not believable, or may be what was saved.
    var original: Int64?

    /// The value that is sent when the pad appears.
    var saved: Int64?

    /// Whether it was sent, also if the pad may have lost or not accepted it; nil for false.
    var isTouched: Bool?

    /// Whether the pad may have another value than the one that it came with, and it is not known which.
    var isUnknown: Bool { value == nil && (isTouched == true || saved != nil) }
  }

  static let currentVersion = 2

  var version = currentVersion

  /// The model in the file of what is saved, the HID device of the kernel in that of what was set.
  var device: String

  var descriptor: String

  private var clickForce: Setting?
  private var haptics: Setting?

  /// What a person should know, such as that settings of another firmware were not applied.
  var note: String?

  init(device: String, descriptor: String) {
    (self.device, self.descriptor) = (device, descriptor)
  }

  subscript(setting: PadSetting) -> Setting {
    get { self[keyPath: PadRecord.path(of: setting)] ?? Setting() }
    set { self[keyPath: PadRecord.path(of: setting)] = newValue }
  }

  private static func path(of setting: PadSetting) -> WritableKeyPath<PadRecord, Setting?> {
    switch setting {
    case .clickForce: \.clickForce
    case .haptics: \.haptics
    }
  }

  func values(_ kind: KeyPath<Setting, Int64?>) -> [PadSetting: Int64] {
    PadSetting.allCases.reduce(into: [:]) { $0[$1] = self[$1][keyPath: kind] }
  }
}
