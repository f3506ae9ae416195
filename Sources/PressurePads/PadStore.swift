internal import Glibc
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// What is stored about pads: saved settings, and what was set since the pad appeared.
///
///     STATE/093a-4f05-CHECKSUM.json    saved: values of a model with this descriptor
///     RUNTIME/hidraw0/pad.json         what was set since it appeared, readable by all users
package struct PadStore: Sendable {
  /// The folder of saved settings of the service.
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
}

/// The file of the saved settings of a model with one descriptor.
struct SavedFile: Codable, Hashable {
  var version = SavedFile.currentVersion
  var model: String
  var descriptor: String

  /// Values in the descriptor's own units.
  var values: [String: Int64]

  /// The values that the pad came with, as far as it returned them before it was first set.
  var originals: [String: Int64]?

  static let currentVersion = 1
}

/// What is saved for a pad.
package struct SavedSettings: Hashable, Sendable {
  /// The values that are sent whenever the pad appears.
  package var values: [PadSetting: Int64] = [:]

  /// The values that it came with.
  ///
  /// They are saved, too: later it may return what it was set to, as a pad can keep its power while the machine starts again.
  package var originals: [PadSetting: Int64] = [:]

  package init() {}
}

/// What was set since the pad appeared.
package struct PadRecord: Codable, Hashable, Sendable {
  var version = SavedFile.currentVersion
  var instance: String
  var descriptor: String
  var values: [String: Int64] = [:]
  var originals: [String: Int64] = [:]
  var confirmations: [String: Int64] = [:]

  /// The settings that were sent, also if the pad may have lost them; nil in a record of an earlier version.
  var touched: [String]?
  var saved: [String: Int64] = [:]

  /// What a person should know, such as that settings of another firmware were not applied.
  var note: String?

  init(_ pad: PadDevice) {
    (instance, descriptor) = (pad.instance, pad.checksum)
  }

  /// What is known of the pad's values.
  package var knowledge: PadKnowledge {
    get {
      var knowledge = PadKnowledge()
      knowledge.values = PadRecord.settings(values)
      knowledge.originals = PadRecord.settings(originals)
      knowledge.confirmations = PadRecord.settings(confirmations)
      knowledge.touched = Set((touched ?? Array(values.keys)).compactMap(PadSetting.init))
      return knowledge
    }
    set {
      values = PadRecord.texts(newValue.values)
      originals = PadRecord.texts(newValue.originals)
      confirmations = PadRecord.texts(newValue.confirmations)
      touched = newValue.touched.map(\.rawValue).sorted()
    }
  }

  /// Whether the pad may have another value than the one that it came with, and it is not known which.
  func isUnknown(_ setting: PadSetting) -> Bool {
    let key = setting.rawValue
    return values[key] == nil && (knowledge.touched.contains(setting) || saved[key] != nil)
  }

  static func settings(_ texts: [String: Int64]) -> [PadSetting: Int64] {
    texts.reduce(into: [:]) { values, entry in
      if let setting = PadSetting(rawValue: entry.key) { values[setting] = entry.value }
    }
  }

  static func texts(_ values: [PadSetting: Int64]) -> [String: Int64] {
    values.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value }
  }
}

// MARK: - Saved settings

extension PadStore {
  private func path(of pad: PadDevice) -> String { "\(state)/\(pad.model)-\(pad.checksum).json" }

  /// What is saved for a pad, as far as it is in the range of its descriptor.
  ///
  /// - Parameters:
  ///   - pad: the pad.
  ///   - warn: called with what is wrong with the file.
  /// - Returns: the values; empty if there are none.
  package func saved(_ pad: PadDevice, warn: (String) -> Void = { _ in }) -> SavedSettings {
    var saved = SavedSettings()
    let bytes: [UInt8]
    do throws(AtomicFile.ReadError) {
      bytes = try AtomicFile.read(
        path(of: pad), limit: PadStore.sizeLimit, accepting: .regularWithoutLinks)
    } catch .missing {
      return saved
    } catch {
      warn("cannot read \(path(of: pad)): \(error.reason)")
      return saved
    }
    guard let file = PadStore.parse(bytes), file.model == pad.model,
      file.descriptor == pad.checksum
    else {
      warn("\(path(of: pad)) is damaged and not used; set the pad again")
      return saved
    }
    saved.values = PadRecord.settings(file.values).filter { entry in
      let isInRange = pad.isInRange(entry)
      if !isInRange {
        warn("\(path(of: pad)): \(entry.key.rawValue) is not in the range of the pad")
      }
      return isInRange
    }
    saved.originals = PadRecord.settings(file.originals ?? [:]).filter(pad.isInRange)
    return saved
  }

  /// Decodes a file of saved settings; nil if it is damaged or of another version.
  static func parse(_ bytes: [UInt8]) -> SavedFile? {
    guard let file = try? LineDecoder.decode(SavedFile.self, from: bytes),
      file.version == SavedFile.currentVersion
    else { return nil }
    return file
  }

  /// Whether settings are saved for this model with another descriptor.
  ///
  /// - Parameters:
  ///   - pad: the pad.
  ///   - present: checksums of the descriptors of pads that are there: those of another interface of the same device are not of
  ///     another firmware.
  /// - Returns: whether there are some.
  package func hasOtherFirmware(_ pad: PadDevice, present: Set<String> = []) -> Bool {
    FileNames.names(in: state).contains { name in
      guard name.hasPrefix("\(pad.model)-"), name.hasSuffix(".json") else { return false }
      let checksum = String(name.dropFirst(pad.model.count + 1).dropLast(5))
      return checksum != pad.checksum && !present.contains(checksum)
    }
  }

  /// Replaces what is saved for a pad; without values the file is removed.
  package func save(_ saved: SavedSettings, of pad: PadDevice) throws(SystemError) {
    let path = path(of: pad)
    guard !saved.values.isEmpty else {
      if unlink(path) != 0, errno != ENOENT {
        throw SystemError(attempt: "remove \(path)", number: errno)
      }
      return
    }
    try AtomicFile.createFolders(state)
    let originals = saved.originals.isEmpty ? nil : PadRecord.texts(saved.originals)
    let file = SavedFile(
      model: pad.model, descriptor: pad.checksum, values: PadRecord.texts(saved.values),
      originals: originals)
    try AtomicFile.write(PadStore.encode(file), to: path)
  }

  static func encode(_ value: some Encodable) -> [UInt8] {
    (try? JSONText.text(of: value, isIndented: false)).map { Array("\($0)\n".utf8) } ?? []
  }
}

// MARK: - The record since the pad appeared

extension PadStore {
  private func folder(of pad: PadDevice) -> String { "\(runtime)/\(pad.node)" }

  /// What was set since the pad appeared; nil if nothing was, or if the record is of another device.
  package func record(_ pad: PadDevice) -> PadRecord? {
    let path = "\(folder(of: pad))/pad.json"
    guard
      let bytes = try? AtomicFile.read(
        path, limit: PadStore.sizeLimit, accepting: .regularWithoutLinks),
      let record = PadStore.parseRecord(bytes), record.instance == pad.instance,
      record.descriptor == pad.checksum
    else { return nil }
    return record
  }

  /// Decodes a record; nil if it is damaged or of another version.
  static func parseRecord(_ bytes: [UInt8]) -> PadRecord? {
    guard let record = try? LineDecoder.decode(PadRecord.self, from: bytes),
      record.version == SavedFile.currentVersion
    else { return nil }
    return record
  }

  /// Replaces the record, which all users may read.
  package func write(_ record: PadRecord, of pad: PadDevice) throws(SystemError) {
    // Not set afterwards: a file that was replaced by a link could be anybody's.
    let mask = umask(0o022)
    defer { umask(mask) }
    try AtomicFile.createFolders(folder(of: pad))
    try AtomicFile.write(PadStore.encode(record), to: "\(folder(of: pad))/pad.json")
  }
}
