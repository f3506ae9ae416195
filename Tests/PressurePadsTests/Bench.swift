import Glibc
import PressureDevices
import PressureSettings
import PressureSystem
import PressureTestSupport
import Testing

@testable import PressurePads

/// A pad that records what arrives, byte for byte, and answers as it is told to.
final class TestPad: FeatureNode {
  /// What arrived, in order: "set 08 02" and "get 08".
  private(set) var log: [String] = []

  /// The reports by their numbers.
  var reports: [UInt8: [UInt8]]

  /// What it returns in place of a report; nil for an error.
  var answers: [UInt8: [UInt8]?] = [:]

  /// Errors of the writes, by their index from 0.
  var errors: [Int: PadError] = [:]

  private var writeCount = 0

  init(_ reports: [UInt8: [UInt8]] = [:]) {
    self.reports = reports
  }

  /// The writes alone.
  var writes: [String] { log.filter { $0.hasPrefix("set") } }

  func set(_ bytes: [UInt8], report id: UInt8?) throws(PadError) {
    log.append("set \(TestPad.hexadecimal([id ?? 0] + bytes))")
    defer { writeCount += 1 }
    if let error = errors[writeCount] { throw error }
    reports[id ?? 0] = bytes
  }

  func get(report id: UInt8?, count: Int) throws(PadError) -> [UInt8] {
    log.append("get \(TestPad.hexadecimal([id ?? 0]))")
    guard let answer = answers[id ?? 0] ?? reports[id ?? 0] else { throw .refused(EIO) }
    return answer
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}

/// A controller of a pad whose files are in a folder of the test.
final class Bench {
  let pad = TestPad([8: [2], 9: [50]])
  let folder: String
  var descriptor = PadDescriptors.haptic
  var instance = "0018:093A:4F05.0001"

  /// The checksums of the descriptors of the pads that are there.
  var present: Set<String> = []

  /// In memory, as each request writes its files to the disk.
  init() throws {
    folder = try TemporaryDirectory.make(in: "/dev/shm")
  }

  deinit { Files.removeAll(folder) }

  /// Gives the pad both settings in one report.
  func share(neighbor: Bool = false) {
    descriptor = DescriptorBytes.touchpad(
      pressure: { _ in }, features: { $0.both(report: 8, neighbor: neighbor) })
    pad.reports = [8: [0b10, 50] + (neighbor ? [25] : [])]
  }

  var device: PadDevice {
    get throws {
      PadDevice(
        node: "hidraw0", name: "Pad", id: "0018-093a-4f05", model: "093a-4f05", instance: instance,
        descriptor: descriptor,
        layout: try #require(PadLayout(try ReportDescriptor(descriptor))))
    }
  }

  var store: PadStore { PadStore(state: "\(folder)/state", runtime: "\(folder)/run") }

  var controller: PadController {
    get throws {
      PadController(
        try device, store: store, present: { [present] in present }, open: { [pad] in pad })
    }
  }

  var state: PadState {
    get throws { PadState(try device, store.record(try device)) }
  }

  func set(_ words: String..., isSaved: Bool = true) throws -> [String] {
    try controller.set(PadRequest.targets(words), isSaved: isSaved)
  }

  func failure(_ words: String...) -> PadError? {
    #expect(throws: PadError.self) {
      _ = try controller.set(PadRequest.targets(words), isSaved: true)
    }
  }

  /// The writes of a restoration, and its warnings.
  func restore() throws -> (sent: [String], warnings: [String]) {
    var warnings: [String] = []
    let sent = try writes { _ = try controller.restore { warnings.append($0) } }
    return (sent, warnings)
  }

  /// The writes at the start of the service.
  func start() throws -> [String] {
    try writes { _ = try controller.restoreAtStart { _ in } }
  }

  /// The line of a setting in the listing.
  func line(_ setting: PadSetting) throws -> String {
    try state.lines.first { $0.hasPrefix("  \(setting.name): ") } ?? ""
  }

  var files: [String] { FileNames.names(in: "\(folder)/state") }

  func writes(_ body: () throws -> Void) rethrows -> [String] {
    let count = pad.writes.count
    try body()
    return Array(pad.writes.dropFirst(count))
  }
}

/// A touchpad with these features.
func layout(_ features: (inout DescriptorBytes) -> Void) throws -> PadLayout {
  let bytes = DescriptorBytes.touchpad(pressure: { _ in }, features: features)
  return try #require(PadLayout(try ReportDescriptor(bytes)))
}

extension DescriptorBytes {
  /// A field of a feature report of the current number and page.
  mutating func field(_ usage: Int, _ minimum: Int, _ maximum: Int, size: Int = 8, flags: Int = 2) {
    self.usage(usage)
    logical(minimum, maximum)
    self.size(size)
    feature(flags)
  }

  /// A setting in a report of its own.
  mutating func setting(
    _ setting: PadSetting, _ minimum: Int, _ maximum: Int, size: Int = 8, flags: Int = 2,
    physical: (Int, Int)? = nil, padding: Int = 0
  ) {
    let isForce = setting == .clickForce
    page(isForce ? 0x0d : 0x0e)
    report(isForce ? 8 : 9)
    if let physical { self.physical(physical.0, physical.1) }
    field(isForce ? 0xb0 : 0x23, minimum, maximum, size: size, flags: flags)
    for count in [padding / 2, padding - padding / 2] where count > 0 {
      self.size(8, count: count)
      feature(3)
    }
  }

  /// Both settings in one report, with bits of padding between them, and another field.
  mutating func both(
    report id: Int, neighbor: Bool = false, vendor: Bool = false, and usage: Int? = nil,
    flags: Int = 2
  ) {
    page(0x0d)
    report(id)
    physical(110, 190)
    unit(0x0101)
    field(0xb0, 1, 3, size: 2)
    physical(0, 0)
    unit(0)
    size(6)
    feature(3)
    page(0x0e)
    self.usage(0x01)
    begin(2)
    field(0x23, 0, 100, size: 7)
    size(1)
    feature(3)
    // The time between repetitions.
    if neighbor { field(0x25, 0, 50) }
    end()
    if let usage { field(usage, 0, 255, flags: flags) }
    if vendor {
      page(0xff00)
      field(0x01, 0, 255)
    }
  }
}
