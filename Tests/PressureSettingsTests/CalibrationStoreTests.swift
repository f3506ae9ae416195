import Glibc
import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureSettings
@testable import PressureSystem

struct CalibrationStoreTests {
  private let folder: StateFolderForTests
  private let device = DeviceID(uniqueID: "a/b:c")

  init() throws { folder = try StateFolderForTests() }

  private var store: CalibrationStore { CalibrationStore(stateFolder: folder.path) }
  private var path: String { "\(folder.path)/calibration/0018-06cb-cd41-a%2fb%3ac.yaml" }

  private func fit(_ slope: Double) throws -> CalibrationFit {
    try CalibrationFit(
      [0, 100, 200.5].map {
        CalibrationPoint(
          grams: $0, raw: $0 * slope, spread: 0.25, count: 40, greatest: Int32($0 * slope))
      }, axis: Axis(minimum: 0, maximum: 1000, resolution: 3))
  }

  private var names: [String] { FileNames.names(in: "\(folder.path)/calibration") }

  @Test func `a file is readable by people`() throws {
    try store.keep(try fit(2), of: device)
    let lines = String(decoding: try Files.bytes(path), as: UTF8.self).split(separator: "\n")
    #expect(
      lines.dropFirst(2).dropLast() == [
        "version: 1", "device: \"0018-06cb-cd41-a/b:c\"",
        "axis: { minimum: 0, maximum: 1000, resolution: 3 }", "points:",
        "  - { grams: 0.0, raw: 0.0, spread: 0.25, count: 40, greatest: 0 }",
        "  - { grams: 100.0, raw: 200.0, spread: 0.25, count: 40, greatest: 200 }",
        "  - { grams: 200.5, raw: 401.0, spread: 0.25, count: 40, greatest: 401 }",
      ])
    #expect(lines.last?.hasPrefix("checksum: ") == true)
  }

  @Test func `a stored calibration is found, with its checks and dates`() throws {
    #expect(store.find(device).fit == nil)
    #expect(store.find(device).warnings == [])
    let check = CalibrationCheck(
      grams: 150, shown: 150.4, tolerance: 0.005, place: 0.5, seconds: 4.5, heaviest: 200, date: 9)
    let undated = CalibrationCheck(grams: 20, shown: 19)
    let plain = try fit(2)
    let fit = try CalibrationFit(plain.points, axis: plain.axis, date: 7).adding(check).adding(
      undated)
    try store.keep(fit, of: device)
    #expect(store.find(device).fit == fit)
    #expect(store.find(device).fit?.checks == [check, undated])
    #expect(store.find(device).fit?.date == 7)
    #expect(store.find(device).warnings == [])
    #expect(names == ["0018-06cb-cd41-a%2fb%3ac.yaml"])
  }

  @Test func `the points of older files that did not determine the fit are checks`() throws {
    try store.keep(try fit(2), of: device)
    let text = String(decoding: try Files.bytes(path), as: UTF8.self)
    let head =
      text[..<(text.ranges(of: "checksum:").last?.lowerBound ?? text.endIndex)]
      + "  - { grams: 100.0, raw: 206.0, spread: 0, count: 9, greatest: 206, condition: corner }\n"
    try Files.write((head + "checksum: \"\(head.utf8.checksum)\"\n").utf8, to: path)
    let found = store.find(device)
    #expect(found.warnings == [])
    #expect(found.fit?.points == (try fit(2)).points)
    #expect(found.fit?.checks.map(\.grams) == [100])
    #expect(found.fit.map { ($0.checks[0].deviation - 3).magnitude < 0.01 } == true)
  }

  @Test func `a file truncated at any byte is detected and the previous one is used`() throws {
    try store.keep(try fit(2), of: device)
    try store.keep(try fit(3), of: device)
    let whole = try Files.bytes(path)
    for length in 0..<whole.count {
      try Files.write(whole.prefix(length), to: path)
      let finding = store.find(device)
      #expect(finding.fit == (try fit(2)), "cut at \(length)")
      #expect(finding.warnings.count == 3)
      #expect(finding.warnings[0].hasPrefix(path))
      #expect(finding.warnings[1] == "\(path) was renamed to \(path).damaged-1")
      #expect(
        finding.warnings[2]
          == "\(device.text): the previous calibration is used, from \(path).before")
      // It is reported once.
      #expect(store.find(device).fit == (try fit(2)))
      #expect(store.find(device).warnings == [])
      unlink(path + ".damaged-1")
    }
    try Files.write(whole, to: path)
    #expect(store.find(device).fit == (try fit(3)))
  }

  @Test func `without a previous one no calibration is used`() throws {
    try store.keep(try fit(2), of: device)
    let whole = try Files.bytes(path)
    for length in 0..<whole.count {
      try Files.write(whole.prefix(length), to: path)
      let finding = store.find(device)
      #expect(finding.fit == nil)
      #expect(finding.warnings.last == "\(device.text): no calibration is used")
      unlink(path + ".damaged-1")
    }
  }

  @Test func `any changed byte is detected`() throws {
    try store.keep(try fit(2), of: device)
    let whole = try Files.bytes(path)
    for place in whole.indices {
      for bit in 0..<8 {
        var damaged = whole
        damaged[place] ^= 1 << UInt8(bit)
        #expect(throws: CalibrationFileError.self) { try CalibrationFile(damaged, name: "x") }
      }
    }
  }

  @Test func `each damaged file is renamed to a unique name`() throws {
    try store.keep(try fit(2), of: device)
    try store.keep(try fit(3), of: device)
    for _ in 0..<3 {
      try Files.write("nonsense".utf8, to: path)
      _ = store.find(device)
    }
    try Files.write([], to: path + ".before")
    let finding = store.find(device)
    #expect(finding.fit == nil)
    #expect(finding.warnings.last == "\(device.text): no calibration is used")
    let name = "0018-06cb-cd41-a%2fb%3ac.yaml"
    #expect(
      names == [
        name + ".before.damaged-1", name + ".damaged-1", name + ".damaged-2", name + ".damaged-3",
      ])
  }

  @Test func `a failed write leaves the old calibration in effect`() throws {
    try store.keep(try fit(2), of: device)
    mkdir(path + ".new", 0o755)
    #expect(throws: SystemError.self) { try store.keep(try fit(3), of: device) }
    #expect(store.find(device).fit == (try fit(2)))
  }

  @Test func `a damaged file is not kept as the previous one`() throws {
    try store.keep(try fit(2), of: device)
    try store.keep(try fit(3), of: device)
    try Files.write("nonsense".utf8, to: path)
    try store.keep(try fit(4), of: device)
    #expect(try CalibrationFile(try Files.bytes(path + ".before"), name: "x").fit == (try fit(2)))
  }

  @Test func `a file of another device or of another version is not used`() throws {
    try store.keep(try fit(2), of: DeviceID(uniqueID: "other"))
    let other = try Files.bytes("\(folder.path)/calibration/0018-06cb-cd41-other.yaml")
    try Files.write(other, to: path)
    #expect(store.find(device).fit == nil)

    let text = String(decoding: other, as: UTF8.self)
      .replacing("version: 1", with: "version: 2")
    let head = text[..<(text.ranges(of: "checksum:").last?.lowerBound ?? text.endIndex)]
    try Files.write((head + "checksum: \"\(head.utf8.checksum)\"\n").utf8, to: path)
    let finding = store.find(device)
    #expect(finding.fit == nil)
    // It is kept for a newer pressured.
    #expect(
      finding.warnings == [
        "\(path): version 2 is not supported by this pressured",
        "\(device.text): no calibration is used",
      ])
  }

  @Test func `names are safe and unique`() {
    let ids = ["", "a/b", "a%2fb", "a:b", "..", "/../x", String(repeating: "x/", count: 300)]
    let names = ids.map { CalibrationStore.fileName(of: DeviceID(uniqueID: $0)) }
    let long = CalibrationStore.fileName(
      of: DeviceID(uniqueID: String(repeating: "x/", count: 299)))
    #expect(Set(names + [long]).count == ids.count + 1)
    #expect(names.allSatisfy { !$0.contains("/") && $0.utf8.count < 220 })
    #expect(names[0] == "0018-06cb-cd41")
  }
}

struct StateFolderTests {
  @Test func `the first configured directory is used`() {
    let environment = ["STATE_DIRECTORY": "/s:/t", "XDG_STATE_HOME": "/x", "HOME": "/h"]
    func first(_ path: String? = nil, without names: [String] = [], userID: UInt32 = 7) -> String? {
      StateFolder.first(
        path: path, environment: environment.filter { !names.contains($0.key) }, userID: userID)
    }
    #expect(first("here") == "here")
    #expect(first() == "/s")
    #expect(first(without: ["STATE_DIRECTORY"]) == "/x/pressured")
    #expect(first(without: ["STATE_DIRECTORY"], userID: 0) == "/var/lib/pressured")
    #expect(first(without: ["STATE_DIRECTORY", "XDG_STATE_HOME"]) == "/h/.local/state/pressured")
    #expect(first(without: ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"]) == nil)
  }
}

/// A temporary directory that is removed with its last reference.
final class StateFolderForTests {
  let path: String

  init() throws {
    // On a busy disk, fsync may take a minute.
    path = try TemporaryDirectory.make(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
  }

  deinit { Files.removeAll(path) }
}

extension DeviceID {
  init(uniqueID: String) {
    var description = DeviceDescription()
    (description.bus, description.vendor, description.product) = (0x18, 0x06cb, 0xcd41)
    description.uniqueID = uniqueID
    self.init(description)
  }
}
