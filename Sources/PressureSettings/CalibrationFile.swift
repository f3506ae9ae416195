package import PressureKit
internal import PressureYAML

/// A calibration as it is stored: the points, of which the law is made anew each time.
///
/// YAML, as people look into it, and closed by a checksum of all lines above it, as half a file may
/// be right YAML and wrong.
package struct CalibrationFile {
  /// The only version so far; a file of another one is not understood.
  package static let version = 1

  /// Bytes; the most points that there may be need a tenth of it.
  package static let sizeLimit = 1 << 16

  /// The device that the weights were laid on.
  package var device: String

  package var fit: CalibrationFit
}

// MARK: - Writing

extension CalibrationFile {
  /// The file's bytes.
  package var bytes: [UInt8] {
    let axis = fit.axis
    var text = """
      # Known weights on a device, and what it said of them. A change makes the checksum wrong:
      # rather calibrate again.
      version: \(CalibrationFile.version)
      device: "\(device)"
      axis: { minimum: \(axis.minimum), maximum: \(axis.maximum), resolution: \(axis.resolution) }
      points:

      """
    for point in fit.points {
      text +=
        "  - { grams: \(point.grams), raw: \(point.raw), spread: \(point.spread), "
        + "count: \(point.count), greatest: \(point.greatest) }\n"
    }
    text += CalibrationFile.checksumLine(Array(text.utf8))
    return Array(text.utf8)
  }

  private static func checksumLine(_ bytes: some Sequence<UInt8>) -> String {
    "checksum: \"\(Checksum(bytes).text)\"\n"
  }
}

// MARK: - Reading

extension CalibrationFile {
  /// Reads a file's bytes; the name is what to call the file in sentences.
  package init(_ bytes: [UInt8], name: String) throws(CalibrationFileError) {
    try CalibrationFile.check(bytes, name)
    let faults = DiagnosticList(file: name)
    var version: Int?
    var file: (device: String?, axis: Axis?, points: [CalibrationPoint])?
    do throws(YAMLError) {
      if let root = try YAMLTree.root(of: bytes, faults: faults) {
        MappingDecoder.read(root, named: "the file", faults: faults) { reader in
          version = reader.required("version", .whole(1...Int.max))
          file = reader.calibration()
        }
      }
    } catch {
      faults.add(error.reason, at: error.mark)
    }
    if let version, version != CalibrationFile.version {
      throw .unreadable("\(name): its version \(version) is of another pressured")
    }
    if let fault = faults.sorted.first { throw .wrong(fault.sentence) }
    guard let file, let device = file.device, let axis = file.axis else {
      throw .wrong("\(name): it says nothing")
    }
    self.device = device
    do throws(CalibrationError) {
      fit = try CalibrationFit(file.points, axis: axis)
    } catch {
      throw .wrong("\(name): \(error.sentence)")
    }
  }

  /// Compares the last line with those above it.
  private static func check(_ bytes: [UInt8], _ name: String) throws(CalibrationFileError) {
    guard bytes.last == UInt8(ascii: "\n") else { throw .wrong("\(name): it is cut short") }
    let start = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    guard bytes[start...].elementsEqual(checksumLine(bytes[..<start]).utf8) else {
      throw .wrong("\(name): its checksum is missing or wrong")
    }
  }
}

/// Why a stored calibration is not in force.
package enum CalibrationFileError: Error, Hashable {
  /// The file is damaged, or says what cannot be; a sentence with the file's name.
  case wrong(String)
  /// The file cannot be read, but is not damaged; a sentence with its name.
  case unreadable(String)

  package var sentence: String {
    switch self {
    case .wrong(let sentence), .unreadable(let sentence): sentence
    }
  }
}

extension MappingDecoder {
  fileprivate mutating func calibration() -> (String?, Axis?, [CalibrationPoint]) {
    _ = required("checksum", .note)
    let device = required("device", .text)
    var axis: Axis?
    mapping("axis") { reader in
      guard let minimum = reader.required("minimum", .whole(Int32.min...Int32.max)),
        let maximum = reader.required("maximum", .whole(Int32.min...Int32.max)),
        let resolution = reader.required("resolution", .whole(Int32.min...Int32.max))
      else { return }
      axis = Axis(minimum: minimum, maximum: maximum, resolution: resolution)
    }
    let points = entries("points") { $0.point() }
    return (device, axis, points ?? [])
  }

  private mutating func point() -> CalibrationPoint? {
    let whole = Double(Int32.min)...Double(Int32.max)
    guard let grams = required("grams", .number(ConfigurationLimits.grams)),
      let raw = required("raw", .number(whole)),
      let spread = required("spread", .number(0...whole.upperBound)),
      let count = required("count", .whole(1...Int.max)),
      let greatest = required("greatest", .whole(Int32.min...Int32.max))
    else { return nil }
    return CalibrationPoint(
      grams: grams, raw: raw, spread: spread, count: count, greatest: greatest)
  }
}

/// A number that is another one where a byte is: for accidents, not against enemies (FNV-1a, 64 bits).
struct Checksum: Hashable {
  let value: UInt64

  init(_ bytes: some Sequence<UInt8>) {
    value = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Sixteen digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
