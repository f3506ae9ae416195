import Glibc
import PressureDevices
import PressureSettings
import PressureSystem
import PressureTestSupport
import Testing

@testable import PressurePads

/// A report is read, changed, written and read back, in order; the first error ends the request.
///
/// What is saved, what the pad came with, and what is not known is neither claimed nor written.
@Suite struct PadControllerTests {
  private let bench: Bench

  init() throws {
    bench = try Bench()
  }

  // MARK: - Reports

  @Test func `each report is read written and read back`() throws {
    let sentences = try bench.set("haptics=40", "click-force=firm")
    #expect(
      bench.pad.log == ["get 08", "get 09", "set 08 03", "get 08", "set 09 28", "get 09"])
    #expect(
      sentences == [
        "click force: 190 g (firm)", "haptic strength: 40 %",
        "saved: it is set again when the pad appears and after a suspend",
      ])
  }

  @Test func `other values of a report are kept`() throws {
    bench.share(neighbor: true)
    _ = try bench.set("haptics=100")
    _ = try bench.set("click-force=firm")
    #expect(bench.pad.writes == ["set 08 02 64 19", "set 08 03 64 19"])
  }

  /// The pad returns nothing, too little, or 51 for a value of 0 to 50.
  @Test(arguments: [nil, [], [2], [2, 50, 51]] as [[UInt8]?])
  func `a report with an unknown value is not written`(_ answer: [UInt8]?) throws {
    bench.share(neighbor: true)
    bench.pad.answers[8] = .some(answer)
    let error = bench.failure("haptics=1", "click-force=light")
    #expect(error?.code == .unknownValue)
    #expect(error?.message.contains("the pad does not return it") == true)
    #expect(error?.message.contains("set both") == false, "the other value is not a setting")
    #expect(bench.pad.writes.isEmpty && bench.files.isEmpty)
  }

  @Test func `two settings in a report that is not returned are set together`() throws {
    bench.share()
    bench.pad.answers[8] = .some(nil)
    let error = bench.failure("haptics=99")
    #expect(error?.code == .unknownValue)
    #expect(
      error?.message.contains(
        "another value, click force, and the pad does not return it; nothing was written, as that value would change; "
          + "set both: click-force=… haptics=…") == true)
    #expect(bench.pad.writes.isEmpty)
    _ = try bench.set("haptics=99", "click-force=light")
    #expect(bench.pad.writes == ["set 08 01 63"])
    #expect(try bench.restore().sent == ["set 08 01 63"])
  }

  @Test func `one value out of range writes nothing`() throws {
    #expect(bench.failure("haptics=10", "click-force=5")?.code == .outOfRange)
    #expect(bench.pad.log.isEmpty)
  }

  @Test func `a pad that returns garbage is not asked again`() throws {
    bench.pad.answers = [8: [0xff]]
    #expect(
      try bench.set("click-force=light")[0]
        == "click force: 110 g (light); sent, but the pad does not confirm it")
    #expect(bench.pad.log == ["get 08", "set 08 01"])
    #expect(try bench.line(.clickForce).contains("not confirmed by the pad"))
    bench.pad.answers = [:]
    #expect(try bench.set("click-force=firm")[0] == "click force: 190 g (firm)")
  }

  @Test func `a pad that rounds is listed as such`() throws {
    bench.pad.answers = [9: [25]]
    #expect(try bench.set("haptics=30")[0] == "haptic strength: 30 %; the pad reports 25 %")
  }

  @Test(arguments: [
    PadError.refused(EPIPE), PadError(.noAnswer, "did not answer within 5 seconds"),
    PadError(.gone, "is gone"),
  ])
  func `the first error ends the request`(_ error: PadError) throws {
    let reason = error.message
    bench.pad.errors = [0: error]
    let first = bench.failure("click-force=firm", "haptics=10")
    #expect(first?.message == "the click force was not set: the pad \(reason)")
    #expect(bench.pad.writes == ["set 08 03"])
    bench.pad.errors = [2: error]
    let second = bench.failure("click-force=firm", "haptics=10")
    #expect(second?.code == error.code)
    #expect(
      second?.message
        == "the haptic strength was not set: the pad \(reason); the click force was set before")
    #expect(bench.files.isEmpty)
    #expect(try bench.line(.clickForce).contains("190 g (firm), not saved; it can be"))
    #expect(try bench.line(.haptics).contains("unknown, as it may have changed; it can be"))
  }

  @Test func `a failed write leaves the other setting of the report known`() throws {
    bench.share()
    _ = try bench.set("haptics=40", "click-force=light")
    bench.pad.errors = [1: .refused(EIO)]
    #expect(bench.failure("haptics=50")?.code == .padError)
    #expect(try bench.line(.clickForce).contains("110 g (light), saved;"))
    #expect(try bench.line(.haptics).contains("unknown, 40 % is saved;"))
  }

  @Test func `reports without numbers begin with zero`() throws {
    var bytes = DescriptorBytes()
    bytes.page(0x0d)
    bytes.usage(0x05)
    bytes.begin(1)
    bytes.field(0xb0, 110, 190)
    bytes.end()
    bench.descriptor = bytes.bytes
    bench.pad.reports = [0: [150]]
    _ = try bench.set("click-force=190")
    #expect(bench.pad.writes == ["set 00 be"])
  }

  @Test func `signed values are written as such`() throws {
    bench.descriptor = DescriptorBytes.touchpad(
      pressure: { _ in },
      features: {
        $0.page(0x0e)
        $0.report(9)
        $0.field(0x23, -50, 50)
      })
    bench.pad.reports = [9: [0xce]]
    _ = try bench.set("haptics=25")
    _ = try bench.controller.reset()
    #expect(bench.pad.writes == ["set 09 e7", "set 09 ce"])
  }

  /// Whatever a descriptor declares, only values in its range and reports of its size are written.
  @Test func `every byte of a descriptor may be wrong`() throws {
    let original = DescriptorBytes.touchpad(
      pressure: { _ in },
      features: { $0.both(report: 8) })
    var written = 0
    for index in original.indices {
      for value in [0, 1, 0x7f, 0x80, 0xff, original[index] ^ 1, original[index] ^ 0x10] as [UInt8]
      {
        bench.descriptor = original
        bench.descriptor[index] = value
        guard let descriptor = try? ReportDescriptor(bench.descriptor),
          let layout = PadLayout(descriptor)
        else { continue }
        var targets: [PadSetting: PadTarget] = [:]
        for control in layout.controls {
          for level in PadTarget.Level.allCases {
            #expect(control.values.contains(control.value(of: level)))
          }
          for amount in control.amounts.map({ [$0.lowerBound, $0.upperBound] }) ?? [] {
            #expect(control.values.contains(try control.value(for: .number(amount))))
          }
          _ = control.sentence(of: control.values.lowerBound)
          targets[control.setting] = control.amounts.map { .number($0.upperBound) } ?? .level(.firm)
        }
        let writes = bench.writes {
          _ = try? bench.controller.set(targets, isSaved: false)
        }
        let lengths = layout.reports.map { $0.byteCount + 1 }
        #expect(writes.allSatisfy { lengths.contains(($0.count - 3) / 3) }, "of a report's size")
        written += writes.count
      }
    }
    #expect(written > 100)
  }

  // MARK: - What is saved

  @Test func `saved settings are sent to the next device`() throws {
    _ = try bench.set("click-force=firm")
    _ = try bench.set("haptics=40")
    #expect(bench.files == ["093a-4f05-\(try bench.device.checksum).json"])
    #expect(try bench.start() == [])
    bench.instance = "0018:093A:4F05.0002"
    #expect(try bench.start() == ["set 08 03", "set 09 28"])
    #expect(try bench.start() == [])
    #expect(try bench.state.json.contains(#""level":"firm""#))
  }

  @Test func `a setting that is not saved is unknown after a suspend`() throws {
    _ = try bench.set("haptics=20")
    #expect(try bench.set("click-force=firm", isSaved: false) == ["click force: 190 g (firm)"])
    #expect(try bench.restore().sent == ["set 09 14"])
    #expect(
      try bench.line(.clickForce)
        == "  click force: unknown, as it may have changed; it can be 110, 150 or 190 g")
    #expect(try bench.line(.haptics) == "  haptic strength: 20 %, saved; it can be 0 to 100 %")
    #expect(try bench.state.json.contains(#""unknown":true"#))
  }

  @Test func `a setting that the pad refused after a suspend is sent again`() throws {
    _ = try bench.set("click-force=firm", "haptics=40")
    bench.pad.errors = [bench.pad.writes.count: .refused(EPIPE)]
    #expect(throws: PadError.self) { _ = try bench.restore() }
    #expect(try bench.line(.clickForce).contains("unknown, 190 g (firm) is saved;"))
    // What a person sets meanwhile stays.
    _ = try bench.set("haptics=10", isSaved: false)
    #expect(try bench.writes { _ = try bench.controller.restoreMissing() } == ["set 08 03"])
    #expect(try bench.writes { _ = try bench.controller.restoreMissing() }.isEmpty)
  }

  /// The service ends when idle, and starts again at the next request.
  @Test func `a restart of the service sends only what is missing`() throws {
    _ = try bench.set("click-force=light", "haptics=40")
    bench.pad.errors = [bench.pad.writes.count: .refused(EPIPE)]
    #expect(bench.failure("haptics=80")?.code == .padError)
    _ = try bench.set("click-force=firm", isSaved: false)
    #expect(try bench.start() == ["set 09 28"])
    #expect(try bench.line(.clickForce).contains("190 g (firm), not saved (110 g (light) is);"))
    #expect(try bench.start() == [])
  }

  @Test func `the other setting of a report that is returned is not saved`() throws {
    bench.share()
    _ = try bench.set("haptics=40", isSaved: false)
    #expect(try bench.set("click-force=firm").count == 2)
    bench.pad.reports[8] = [2, 50]
    #expect(try bench.restore().sent == ["set 08 03 32"])
  }

  @Test func `another firmware gets nothing`() throws {
    _ = try bench.set("click-force=firm")
    bench.descriptor = PadDescriptors.pixart
    let restored = try bench.restore()
    #expect(restored.sent.isEmpty)
    #expect(restored.warnings.first?.contains("another report descriptor") == true)
    #expect(try bench.state.lines.last?.hasSuffix("set the pad again") == true)
    _ = try bench.set("click-force=light")
    #expect(try bench.state.lines.count == 3)
    #expect(bench.files.count == 2)
  }

  /// Two interfaces of a device have descriptors of their own.
  @Test func `another interface is not another firmware`() throws {
    _ = try bench.set("click-force=firm")
    bench.present = [try bench.device.checksum]
    bench.descriptor = PadDescriptors.pixart
    #expect(try bench.restore().warnings.isEmpty)
  }

  @Test func `the replacement of a damaged file is reported`() throws {
    _ = try bench.set("click-force=firm", "haptics=40")
    try AtomicFile.write(Array("{".utf8), to: "\(bench.folder)/state/\(bench.files[0])")
    let sentences = try bench.set("haptics=20")
    #expect(sentences[0].hasSuffix("is damaged and not used; set the pad again"))
    #expect(try bench.restore().sent == ["set 09 14"])
  }

  @Test(arguments: [
    "", "{", "[]",
    #"{"version":1,"device":"093a-4f05","descriptor":"D","clickForce":{"saved":3}}"#,
    #"{"version":2,"device":"093a-4f06","descriptor":"D","clickForce":{"saved":3}}"#,
    #"{"version":2,"device":"093a-4f05","descriptor":"0","clickForce":{"saved":3}}"#,
    #"{"version":2,"device":"093a-4f05","descriptor":"D","clickForce":{"saved":"3"}}"#,
    #"{"version":2,"device":"093a-4f05","descriptor":"D","clickForce":{"saved":4}}"#,
    #"{"version":2,"device":"093a-4f05","descriptor":"D","clickForce":{"saved":-9223372036854775808}}"#,
    #"{"version":2,"device":"093a-4f05","descriptor":"D","clickForce":{"saved":1e300}}"#,
    String(repeating: " ", count: PadStore.sizeLimit + 1),
  ])
  func `a damaged file is not sent`(_ text: String) throws {
    let restored = try restore(from: text)
    #expect(restored.sent.isEmpty)
    #expect(!restored.warnings.isEmpty)
  }

  @Test func `a file may have settings of a later version`() throws {
    let text =
      #"{"version":2,"device":"093a-4f05","descriptor":"D","clickForce":{"saved":3},"color":{"saved":7}}"#
    let padding = String(repeating: " ", count: PadStore.sizeLimit - text.utf8.count - 15)
    let restored = try restore(from: text + padding)
    #expect(restored.sent == ["set 08 03"])
    #expect(restored.warnings.isEmpty)
  }

  private func restore(from text: String) throws -> (sent: [String], warnings: [String]) {
    let checksum = try bench.device.checksum
    mkdir("\(bench.folder)/state", 0o755)
    try AtomicFile.write(
      Array(text.replacing("\"D\"", with: "\"\(checksum)\"").utf8),
      to: "\(bench.folder)/state/093a-4f05-\(checksum).json")
    return try bench.restore()
  }

  @Test func `a setting that cannot be saved is still set`() throws {
    try AtomicFile.write([], to: "\(bench.folder)/state")
    defer { unlink("\(bench.folder)/state") }
    let error = bench.failure("haptics=30")
    #expect(error?.code == .notSaved)
    #expect(error?.message.hasSuffix("the setting stays until the pad loses power") == true)
    #expect(try bench.line(.haptics).contains("30 %, not saved;"))
  }

  /// In a process of its own: the mask is that of all threads.
  @Test func `all users may read the record`() async {
    await #expect(processExitsWith: .success) {
      umask(0o077)
      let bench = try Bench()
      _ = try bench.set("haptics=30")
      var status = stat()
      #expect(stat("\(bench.folder)/run/hidraw0/pad.json", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o644)
    }
  }

  // MARK: - Reset

  /// Also when another device with the same descriptor has appeared, which may return something else.
  @Test func `reset writes the values that the pad first had`() throws {
    _ = try bench.set("click-force=firm", "haptics=40")
    bench.instance = "0018:093A:4F05.0002"
    bench.pad.reports = [8: [1], 9: [40]]
    _ = try bench.restore()
    var sentences: [String] = []
    let writes = try bench.writes { sentences = try bench.controller.reset() }
    #expect(
      sentences == [
        "the saved settings of this pad are deleted",
        "click force: 150 g (medium), as the pad came",
        "haptic strength: 50 %, as the pad came",
      ])
    #expect(writes == ["set 08 02", "set 09 32"])
    #expect(bench.files.isEmpty)
    #expect(try bench.line(.clickForce).contains("as the pad came;"))
    // The second time there is nothing to do.
    #expect(try bench.writes { _ = try bench.controller.reset() }.isEmpty)
  }

  @Test func `reset writes the known values after a suspend, too`() throws {
    _ = try bench.set("click-force=firm", isSaved: false)
    #expect(try bench.restore().sent == [])
    #expect(try bench.writes { _ = try bench.controller.reset() } == ["set 08 02"])
  }

  /// A pad may keep its power while the machine starts again, or while its driver is loaded again.
  @Test(arguments: [true, false])
  func `a saved value is not taken for the pad's`(_ isRestored: Bool) throws {
    bench.pad.answers[8] = .some(nil)
    _ = try bench.set("click-force=firm")
    bench.pad.answers = [:]
    bench.instance = "0018:093A:4F05.0002"
    if isRestored { #expect(try bench.restore().sent == ["set 08 03"]) }
    var sentences: [String] = []
    #expect(try bench.writes { sentences = try bench.controller.reset() }.isEmpty)
    let now = isRestored ? "at 190 g (firm)" : "as it is"
    #expect(
      sentences[1]
        == "click force: the descriptor has no neutral value, and the original one is not known, "
        + "so it stays \(now) until the pad loses power")
    #expect(sentences[2] == "haptic strength: as the pad came")
    #expect(bench.files.isEmpty)
    // What was set is not what it came with.
    _ = try bench.set("click-force=light")
    #expect(try bench.writes { _ = try bench.controller.reset() }.isEmpty)
  }

  /// What a failed request may have left is not what it came with.
  @Test func `a value that may be ours is not taken for the pad's`() throws {
    bench.pad.answers[8] = .some(nil)
    bench.pad.errors = [0: .refused(EIO)]
    #expect(bench.failure("click-force=firm")?.code == .padError)
    bench.pad.reports[8] = [3]
    bench.pad.answers = [:]
    _ = try bench.set("click-force=light")
    #expect(try bench.writes { _ = try bench.controller.reset() }.isEmpty)
  }

  @Test func `a failed reset reports what it has done`() throws {
    _ = try bench.set("click-force=firm")
    bench.pad.errors = [bench.pad.writes.count: .refused(EPIPE)]
    let error = #expect(throws: PadError.self) { _ = try bench.controller.reset() }
    #expect(
      error?.message
        == "the saved settings of this pad are deleted, but the click force was not set: the pad answered with an error: "
        + "Broken pipe")
    #expect(bench.files.isEmpty)
    #expect(try bench.line(.clickForce).contains("unknown, as it may have changed;"))
    #expect(try bench.writes { _ = try bench.controller.reset() } == ["set 08 02"])
    #expect(try bench.line(.clickForce).contains("as the pad came;"))
  }

  @Test func `a reset that is not confirmed is reported`() throws {
    _ = try bench.set("click-force=firm")
    bench.pad.answers[8] = .some(nil)
    #expect(
      try bench.controller.reset().last
        == "click force: 150 g (medium), as the pad came; sent, but the pad does not confirm it")
    #expect(
      try bench.line(.clickForce).contains("150 g (medium), not saved, not confirmed by the pad"))
  }

  // MARK: - The listing

  @Test func `the listing compares what was set with what is saved`() throws {
    _ = try bench.set("click-force=medium", "haptics=40")
    bench.pad.answers[8] = .some(nil)
    _ = try bench.set("click-force=light", isSaved: false)
    #expect(
      try bench.state.lines == [
        "/dev/hidraw0: Pad (0018-093a-4f05)",
        "  click force: 110 g (light), not saved (150 g (medium) is), not confirmed by the pad; "
          + "it can be 110, 150 or 190 g",
        "  haptic strength: 40 %, saved; it can be 0 to 100 %",
      ])
    #expect(
      try bench.state.json
        == #"{"click_force":{"confirmed":false,"grams":110,"level":"light","maximum_grams":190,"minimum_grams":110,"#
        + #""saved_grams":150,"saved_level":"medium","steps":3,"steps_grams":[110,150,190]},"#
        + #""descriptor":"\#(bench.device.checksum)","device":"0018-093a-4f05","#
        + #""haptics":{"confirmed":true,"percent":40,"saved_percent":40,"steps":101},"#
        + #""name":"Pad","node":"/dev/hidraw0","remarks":[]}"#)
    // Another device has the node by now.
    bench.instance = "0018:093A:4F05.0002"
    #expect(try bench.line(.clickForce).contains("as the pad came;"))
  }
}
