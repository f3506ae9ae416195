internal import Glibc
package import PressureKit
internal import PressureProtocol
package import PressureSystem

/// Stores one calibration file per device in a folder.
///
///     ID.yaml            the current calibration
///     ID.yaml.before     the previous one, used if the current one is damaged
///     ID.yaml.damaged-1  a damaged file that was renamed
package struct CalibrationStore {
  package typealias Finding = (fit: CalibrationFit?, warnings: [String])

  private let folder: String
  package let learned: LearnedStore

  /// Uses a folder below the state folder; it need not exist yet.
  package init(stateFolder: String) {
    folder = CalibrationStore.folder(in: stateFolder)
    learned = LearnedStore(stateFolder: stateFolder)
  }

  package static func folder(in stateFolder: String) -> String { stateFolder + "/calibration" }

  /// Finds a calibration; a damaged file is never fatal, and renamed unless only reading.
  package func find(_ device: DeviceID, settingAside: Bool = true) -> Finding {
    var finding: Finding = (nil, [])
    let current = path(of: device)
    for path in [current, current + ".before"] {
      do throws(CalibrationFileError) {
        guard let fit = try read(path, device) else { continue }
        finding.fit = fit
        if !finding.warnings.isEmpty {
          finding.warnings.append(
            "\(device.text): the previous calibration is used, from \(path)")
        }
        return finding
      } catch {
        finding.warnings.append(error.sentence)
        if settingAside, case .wrong = error { finding.warnings.append(quarantine(path)) }
      }
    }
    if !finding.warnings.isEmpty {
      finding.warnings.append("\(device.text): no calibration is used")
    }
    return finding
  }

  /// All stored calibrations in the order of their file names, and the errors in other files.
  package func all() -> (files: [CalibrationFile], errors: [CalibrationFileError]) {
    var found: (files: [CalibrationFile], errors: [CalibrationFileError]) = ([], [])
    let names: [String]?
    do throws(InputFile.ReadError) {
      names = FileNames.names(
        in: try InputFile.openFolder(folder), limit: CalibrationStore.maximumNames)
    } catch .missing {
      return found
    } catch {
      return ([], [.unreadable("cannot read \(folder): \(error.reason)")])
    }
    guard let names else {
      let problem = "contains more than \(CalibrationStore.maximumNames) files and is not searched"
      return ([], [.unreadable("\(folder) \(problem)")])
    }
    for name in names where name.hasSuffix(".yaml") {
      do throws(CalibrationFileError) {
        guard let file = try file("\(folder)/\(name)") else { continue }
        found.files.append(file)
      } catch {
        found.errors.append(error)
      }
    }
    return found
  }

  /// Stores a calibration; on an error the old one stays.
  package func keep(_ fit: CalibrationFit, of device: DeviceID) throws(SystemError) {
    let path = path(of: device)
    let before = path + ".before"
    let isOldValid = ((try? read(path, device)) ?? nil) != nil
    let file = CalibrationFile(device: device.text, fit: fit)
    try AtomicFile.write(file.bytes, to: path) { () throws(SystemError) in
      guard isOldValid else { return }
      // Give the old file a second name before the rename replaces it.
      let second = before + ".new"
      unlink(second)
      try SystemError.checkErrno(link(path, second), "keep \(path)")
      try SystemError.checkErrno(rename(second, before), "keep \(path)")
    }
  }

  private func read(_ path: String, _ device: DeviceID) throws(CalibrationFileError)
    -> CalibrationFit?
  {
    guard let file = try file(path) else { return nil }
    guard file.device == device.text else {
      throw .wrong("\(path): it is the calibration of \(file.device)")
    }
    return file.fit
  }

  /// The most entries to read in the folder; a machine has a handful of pads.
  static let maximumNames = 1024

  /// The calibration in a file, or nil if it does not exist.
  private func file(_ path: String) throws(CalibrationFileError) -> CalibrationFile? {
    let name = String(path.dropFirst(folder.count + 1))
    let bytes = try StoredFile.bytes(of: name, in: folder, limit: CalibrationFile.sizeLimit)
    guard let bytes else { return nil }
    return try CalibrationFile(bytes, name: path)
  }

  /// Renames a damaged file, so that it is reported once; returns a message with the new name.
  private func quarantine(_ path: String) -> String {
    let names = (1...99).map { "\(path).damaged-\($0)" }
    let free = names.first { access($0, F_OK) != 0 } ?? names[names.count - 1]
    return rename(path, free) == 0
      ? "\(path) was renamed to \(free)"
      : "cannot rename \(path): \(String(cString: strerror(errno)))"
  }

  // MARK: - Names

  private func path(of device: DeviceID) -> String {
    "\(folder)/\(CalibrationStore.fileName(of: device)).yaml"
  }

  /// Encodes a device's identifier: letters, digits, `.`, `_` and `-` unchanged, other bytes as `%` and their number.
  ///
  /// A name that is too long for a file name ends in a checksum of the identifier.
  static func fileName(of device: DeviceID) -> String {
    var name = ""
    for byte in device.text.utf8 {
      let character = Character(UnicodeScalar(byte))
      let isWordPart = character.isASCII && (character.isLetter || character.isNumber)
      let isPlain = isWordPart || "._-".contains(character)
      name += isPlain ? String(character) : "%" + byte.hexadecimal(2)
    }
    guard name.utf8.count > longestName else { return name }
    return "\(name.prefix(longestName))~\(device.text.utf8.checksum)"
  }

  /// Bytes; with suffixes it stays below the 255 that file systems allow.
  private static let longestName = 180
}

package enum StateFolder {
  package static let system = "/var/lib/pressured"

  /// The folder to use, by the variables and the user of this process.
  package static func usual(named path: String? = nil) -> String? {
    let variables = Environment.values(["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"])
    return first(path: path, environment: variables, userID: geteuid())
  }

  /// The folder to use: the given one, systemd's `StateDirectory=`, for root the service's, or the user's own.
  ///
  /// `path` is the argument of `--state`, `userID` the effective user ID. Returns nil if there is no such folder.
  package static func first(
    path: String?, environment: [String: String], userID: UInt32
  ) -> String? {
    if let path { return path }
    if let service = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return String(service)
    }
    if userID == 0 { return system }
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return folder + "/pressured"
    }
    return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/state/pressured" : nil }
  }
}
