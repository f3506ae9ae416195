import Glibc
import PressureDevices
import PressureKit
import PressureSettings
import PressureSystem
import PressureTestSupport
import Testing

@testable import PressurePads

@Suite struct PadControllerTests {
  private let bench: Bench

  init() throws {
    bench = try Bench()
  }

  private func set(_ words: String..., isSaved: Bool = true) throws -> [String] {
    try bench.controller.set(PadRequest.wishes(words), isSaved: isSaved)
  }

  private func restore() throws -> (sent: [String], warnings: [String]) {
    var warnings: [String] = []
    let writes = try bench.writes { _ = try bench.controller.restore { warnings.append($0) } }
    return (writes, warnings)
  }

  @Test func whatIsSavedIsSentToTheNextDevice() throws {
    let sentences = try set("click-force=firm", "haptics=40")
    #expect(
      sentences == [
        "click force: 190 g (firm)", "haptic strength: 40 %",
        "saved: it is set again when the pad appears and after a suspend",
      ])
    #expect(bench.files == ["093a-4f05-\(bench.device.checksum).json"])
    #expect(bench.controller.isApplied)
    bench.instance = "0018:093A:4F05.0002"
    #expect(!bench.controller.isApplied)
    #expect(try restore().sent == ["set 08 03", "set 09 28"])
    #expect(bench.controller.isApplied)
    #expect(bench.controller.state.json.contains(#""level":"firm""#))
  }

  @Test func settingsAreSavedOneByOne() throws {
    _ = try set("click-force=firm")
    _ = try set("haptics=40")
    #expect(try restore().sent == ["set 08 03", "set 09 28"])
  }

  @Test func whatIsSetOnceIsUnknownAfterASuspend() throws {
    _ = try set("haptics=20")
    #expect(try set("click-force=firm", isSaved: false) == ["click force: 190 g (firm)"])
    #expect(try restore().sent == ["set 09 14"])
    let lines = PadState.lines(bench.device, bench.store.record(bench.device))
    #expect(
      lines[1] == "  click force: unknown, as it may have changed; it can be 110, 150 or 190 g")
    #expect(lines[2] == "  haptic strength: 20 %, saved; it can be 0 to 100 %")
  }

  @Test func whatThePadRefusedAfterASuspendIsSentAgain() throws {
    _ = try set("click-force=firm", "haptics=40")
    #expect(bench.controller.isApplied)
    bench.pad.errors = [bench.pad.writes.count: .refused(32)]
    #expect(throws: PadError.self) { _ = try restore() }
    #expect(!bench.controller.isApplied)
    #expect(try restore().sent == ["set 08 03", "set 09 28"])
    #expect(bench.controller.isApplied)
  }

  @Test func nothingIsSavedAfterAnError() throws {
    bench.pad.errors = [0: .refused(32)]
    #expect(throws: PadError.self) { _ = try set("click-force=firm") }
    #expect(bench.files.isEmpty)
  }

  @Test func oneValueOutOfRangeWritesNothing() throws {
    let error = #expect(throws: PadError.self) { _ = try set("haptics=10", "click-force=5") }
    #expect(error?.code == .outOfRange)
    #expect(bench.pad.log.isEmpty)
  }

  @Test func anotherFirmwareGetsNothing() throws {
    _ = try set("click-force=firm")
    bench.descriptor = PadDescriptors.pixart
    let restored = try restore()
    #expect(restored.sent.isEmpty)
    #expect(restored.warnings.first?.contains("another report descriptor") == true)
    #expect(bench.controller.state.remarks.last?.contains("set the pad again") == true)
    _ = try set("click-force=light")
    #expect(bench.controller.state.remarks.isEmpty)
    #expect(bench.files.count == 2)
  }

  /// Two interfaces of a device have descriptors of their own.
  @Test func anotherInterfaceIsNoOtherFirmware() throws {
    _ = try set("click-force=firm")
    bench.present = [bench.device.checksum]
    bench.descriptor = PadDescriptors.pixart
    #expect(try restore().warnings.isEmpty)
    #expect(bench.controller.state.remarks.isEmpty)
  }

  @Test func aDamagedFileIsStatedWhenItIsReplaced() throws {
    _ = try set("click-force=firm", "haptics=40")
    try AtomicFile.write(Array("{".utf8), to: "\(bench.folder)/state/\(bench.files[0])")
    let sentences = try set("haptics=20")
    #expect(sentences[0].hasSuffix("is damaged and not used; set the pad again"))
    #expect(try restore().sent == ["set 09 14"])
  }

  @Test(arguments: [
    "", "{", "[]",
    #"{"version":2,"model":"093a-4f05","descriptor":"D","values":{"click-force":3}}"#,
    #"{"version":1,"model":"093a-4f06","descriptor":"D","values":{"click-force":3}}"#,
    #"{"version":1,"model":"093a-4f05","descriptor":"0","values":{"click-force":3}}"#,
    #"{"version":1,"model":"093a-4f05","descriptor":"D","values":{"click-force":"3"}}"#,
    #"{"version":1,"model":"093a-4f05","descriptor":"D","values":{"click-force":4}}"#,
    #"{"version":1,"model":"093a-4f05","descriptor":"D","values":{"click-force":-9223372036854775808}}"#,
    #"{"version":1,"model":"093a-4f05","descriptor":"D","values":{"click-force":1e300}}"#,
    String(repeating: " ", count: 5000),
  ])
  func aDamagedFileIsNotSent(_ text: String) throws {
    let checksum = bench.device.checksum
    mkdir("\(bench.folder)/state", 0o755)
    let bytes = Array(text.replacing("\"D\"", with: "\"\(checksum)\"").utf8)
    try AtomicFile.write(bytes, to: "\(bench.folder)/state/093a-4f05-\(checksum).json")
    let restored = try restore()
    #expect(restored.sent.isEmpty)
    #expect(!restored.warnings.isEmpty)
  }

  @Test func aSettingOfALaterVersionIsIgnored() throws {
    let checksum = bench.device.checksum
    mkdir("\(bench.folder)/state", 0o755)
    let text =
      #"{"version":1,"model":"093a-4f05","descriptor":"\#(checksum)","values":{"click-force":3,"color":7}}"#
    try AtomicFile.write(
      Array(text.utf8), to: "\(bench.folder)/state/093a-4f05-\(checksum).json")
    #expect(try restore().sent == ["set 08 03"])
  }

  @Test func resetWritesWhatThePadCameWith() throws {
    _ = try set("click-force=firm", "haptics=40")
    var sentences: [String] = []
    let writes = try bench.writes { sentences = try bench.controller.reset() }
    #expect(
      sentences == [
        "nothing is saved for this pad any more", "click force: 150 g (medium), as the pad came",
        "haptic strength: 50 %, as the pad came",
      ])
    #expect(writes == ["set 08 02", "set 09 32"])
    #expect(bench.files.isEmpty)
    #expect(bench.controller.state.clickForce?.grams == nil)
    // The second time there is nothing to do.
    let more = try bench.writes { _ = try bench.controller.reset() }
    #expect(more.isEmpty)
  }

  @Test func resetWritesWhatIsKnownAlsoAfterASuspend() throws {
    _ = try set("click-force=firm", isSaved: false)
    #expect(try restore().sent == [])
    #expect(try bench.writes { _ = try bench.controller.reset() } == ["set 08 02"])
  }

  @Test func resetStatesWhatItCannotKnow() throws {
    bench.pad.answering = .withError(.refused(5))
    _ = try set("click-force=firm")
    let sentences = try bench.controller.reset()
    #expect(sentences[1].contains("so it stays at 190 g (firm) until the pad loses power"))
    #expect(bench.pad.writes == ["set 08 03"])
    #expect(bench.files.isEmpty)
  }

  @Test func aPadThatIsNotConfirmedIsListedAsSuch() throws {
    bench.pad.answering = .with([9, 9])
    #expect(
      try set("click-force=firm")[0]
        == "click force: 190 g (firm); sent, but the pad does not confirm it")
    #expect(bench.controller.state.clickForce?.confirmed == false)
    bench.pad.answering = .with([2])
    #expect(bench.pad.log.count { $0.hasPrefix("get") } == 1)
  }

  @Test func aPadThatRoundsIsListedAsSuch() throws {
    bench.pad.answering = .with([25])
    #expect(try set("haptics=30")[0] == "haptic strength: 30 %; the pad reports 25 %")
  }

  /// In a process of its own: the mask is that of all threads.
  @Test func theRecordMayBeReadByAll() async {
    await #expect(processExitsWith: .success) {
      umask(0o077)
      let bench = try Bench()
      _ = try bench.controller.set(PadRequest.wishes(["haptics=30"]), isSaved: true)
      var status = stat()
      #expect(stat("\(bench.folder)/run/hidraw0/pad.json", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o644)
    }
  }

  @Test func whatCannotBeSavedIsStillSet() throws {
    try AtomicFile.write([], to: "\(bench.folder)/state")
    defer { unlink("\(bench.folder)/state") }
    let error = #expect(throws: PadError.self) { _ = try set("haptics=30") }
    #expect(error?.code == .notSaved)
    #expect(error?.message.hasSuffix("what was set stays until the pad loses power") == true)
    #expect(bench.controller.state.haptics?.percent == 30)
    #expect(bench.controller.state.haptics?.savedPercent == nil)
  }
}

@Suite struct PadRequestTests {
  @Test func requestsAreParsed() throws {
    #expect(try PadRequest("reset".utf8) == .reset)
    #expect(try PadRequest("restore".utf8) == .restore)
    #expect(
      try PadRequest("set haptics=5 click-force=light once".utf8)
        == .set([.haptics: .number(5), .clickForce: .level(.light)], isSaved: false))
    #expect(try PadRequest("set haptics=5".utf8) == .set([.haptics: .number(5)], isSaved: true))
  }

  @Test(arguments: [
    "", " ", "set", "set once", "set haptics=5 haptics=6", "reset now", "restore 1",
    "SET haptics=5", "set once haptics=5",
    "set haptics=5 once once", "set haptics=5\u{0}", "set haptics=5\t", "set haptics=5\r", "sät",
    "get",
  ])
  func othersAreRefused(_ line: String) {
    let error = #expect(throws: PadError.self) { _ = try PadRequest(line.utf8) }
    #expect(error?.code == .badRequest)
  }

  @Test func aLineHasALimit() throws {
    let line = Array("set haptics=5".utf8)
    let padding = { Array(repeating: UInt8(ascii: " "), count: $0 - line.count) }
    _ = try PadRequest(line + padding(PadRequest.maximumLength))
    #expect(throws: PadError.self) {
      _ = try PadRequest(line + padding(PadRequest.maximumLength + 1))
    }
  }

  /// Whatever a descriptor declares, only values in its range and reports of its size are written.
  @Test func everyByteOfADescriptorMayBeWrong() throws {
    let original = DescriptorBytes.touchpad(
      pressure: { _ in },
      features: { $0.both(report: 8) })
    var written = 0
    for index in original.indices {
      for value in [0, 1, 0x7f, 0x80, 0xff, original[index] ^ 1, original[index] ^ 0x10] as [UInt8]
      {
        var bytes = original
        bytes[index] = value
        guard let descriptor = try? ReportDescriptor(bytes), let layout = PadLayout(descriptor)
        else {
          continue
        }
        for control in layout.controls {
          for level in PadWish.Level.allCases {
            #expect(control.values.contains(control.value(of: level)))
          }
          if let amounts = control.amounts {
            for amount in [amounts.lowerBound, amounts.upperBound] {
              #expect(control.values.contains(try control.value(for: .number(amount))))
            }
          }
          _ = control.sentence(of: control.values.lowerBound)
          let pad = TestPad()
          pad.answering = .withError(.refused(5))
          var transaction = PadTransaction(layout, pad, PadKnowledge())
          let wanted = layout.controls.reduce(into: [:]) { $0[$1.setting] = $1.values.upperBound }
          guard (try? transaction.run(wanted)) != nil else { continue }
          written += pad.writes.count
          let lengths = layout.reports.map { $0.byteCount + 1 }
          #expect(
            pad.writes.allSatisfy { lengths.contains(($0.count - 3) / 3) },
            "of the size of a report")
        }
      }
    }
    #expect(written > 100)
  }
}
