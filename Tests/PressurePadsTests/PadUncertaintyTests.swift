import Glibc
import PressureDevices
import PressureTestSupport
import Testing

@testable import PressurePads

/// What is not known is neither claimed nor written.
@Suite struct PadUncertaintyTests {
  private let bench: Bench

  init() throws {
    bench = try Bench()
  }

  /// Both settings in one report.
  private func share() {
    bench.descriptor = DescriptorBytes.touchpad(
      pressure: { _ in }, features: { $0.both(report: 8) })
    bench.pad.reports = [8: [0b10, 50]]
  }

  // MARK: - What the pad came with

  /// A pad may keep its power while the machine starts again, or while its driver is loaded again.
  @Test func aSavedValueIsNotTakenForThatOfThePad() throws {
    bench.pad.answering = .withError(.refused(5))
    _ = try bench.set("click-force=firm")
    bench.pad.answering = .honestly
    bench.instance = "0018:093A:4F05.0002"
    #expect(try bench.restore() == ["set 08 03"])
    var sentences: [String] = []
    #expect(try bench.writes { sentences = try bench.controller.reset() }.isEmpty)
    #expect(
      sentences.contains {
        $0.contains("what the pad came with is not known, so it stays at 190 g (firm)")
      })
  }

  /// Without a record, as after a boot without the service, the file alone shows that the pad was set.
  @Test func whatIsSavedIsUnknownWithoutARecord() throws {
    bench.pad.answering = .withError(.refused(5))
    _ = try bench.set("click-force=firm")
    bench.pad.answering = .honestly
    bench.instance = "0018:093A:4F05.0002"
    var sentences: [String] = []
    #expect(try bench.writes { sentences = try bench.controller.reset() }.isEmpty)
    #expect(
      sentences.contains {
        $0.contains("what the pad came with is not known, so it stays as it is")
      })
    _ = try bench.set("click-force=light")
    #expect(try bench.writes { _ = try bench.controller.reset() }.isEmpty)
  }

  /// One answer in range may be no answer.
  @Test func theOtherSettingIsNotTakenFromOneAnswer() throws {
    share()
    bench.pad.answering = .inTurn([[3, 93], [1, 5]])
    let error = #expect(throws: PadError.self) { _ = try bench.set("click-force=firm") }
    #expect(error?.code == .unknownValue)
    #expect(bench.pad.writes.isEmpty)
  }

  @Test func oneAnswerIsNotWrittenBack() throws {
    bench.pad.answering = .inTurn([[3], [1]])
    bench.pad.errors = [0: .refused(5)]
    let error = #expect(throws: PadError.self) { _ = try bench.set("click-force=light") }
    #expect(error?.message.contains("the click force may have changed") == true)
    #expect(bench.pad.writes == ["set 08 01"])
  }

  @Test func whatThePadCameWithIsKnownAfterABoot() throws {
    _ = try bench.set("click-force=firm", "haptics=40")
    bench.instance = "0018:093A:4F05.0002"
    #expect(try bench.restore() == ["set 08 03", "set 09 28"])
    #expect(try bench.writes { _ = try bench.controller.reset() } == ["set 08 02", "set 09 32"])
    #expect(bench.files.isEmpty)
  }

  @Test func whatItCameWithFirstCounts() throws {
    _ = try bench.set("click-force=firm")
    bench.instance = "0018:093A:4F05.0002"
    bench.pad.reports[8] = [1]
    _ = try bench.restore()
    #expect(try bench.writes { _ = try bench.controller.reset() } == ["set 08 02"])
  }

  /// What a failed request may have left is not what it came with.
  @Test func whatMayBeOursIsNotTakenForThatOfThePad() throws {
    bench.pad.answering = .withError(.refused(5))
    bench.pad.errors = [0: .refused(5)]
    #expect(throws: PadError.self) { _ = try bench.set("click-force=firm") }
    bench.pad.reports[8] = [3]
    bench.pad.answering = .honestly
    _ = try bench.set("click-force=light")
    #expect(try bench.writes { _ = try bench.controller.reset() }.isEmpty)
  }

  // MARK: - What it has now

  @Test func whatMayHaveChangedIsUnknown() throws {
    bench.pad.answering = .withError(.refused(5))
    bench.pad.errors = [0: .refused(5)]
    let error = #expect(throws: PadError.self) { _ = try bench.set("click-force=firm") }
    #expect(error?.message.contains("the click force may have changed") == true)
    #expect(
      bench.line(.clickForce)
        == "  click force: unknown, as it may have changed; it can be 110, 150 or 190 g")
    #expect(bench.controller.state.json.contains(#""unknown":true"#))
    #expect(bench.line(.haptics).contains("as the pad came"))
  }

  @Test func whatCouldNotBeRestoredIsUnknown() throws {
    _ = try bench.set("click-force=firm")
    bench.instance = "0018:093A:4F05.0002"
    bench.pad.errors = [bench.pad.writes.count: .refused(32)]
    #expect(throws: PadError.self) { _ = try bench.restore() }
    #expect(bench.line(.clickForce).contains("unknown, 190 g (firm) is saved;"))
    #expect(try bench.restore() == ["set 08 03"])
    #expect(bench.line(.clickForce).contains("190 g (firm), saved;"))
  }

  @Test func resetStatesWhatIsUnknown() throws {
    bench.pad.answering = .withError(.refused(5))
    _ = try bench.set("click-force=firm", isSaved: false)
    _ = try bench.restore()
    let sentences = try bench.controller.reset()
    #expect(
      sentences.contains {
        $0.hasPrefix("click force: ")
          && $0.hasSuffix("so it stays as it is until the pad loses power")
      })
    #expect(sentences.contains("haptic strength: as the pad came"))
    #expect(bench.line(.clickForce).contains("unknown"))
  }

  // MARK: - Two settings in one report

  @Test func aSettingThatIsSavedAloneCanBeRestored() throws {
    share()
    bench.pad.answering = .withError(.refused(5))
    _ = try bench.set("click-force=light", "haptics=40", isSaved: false)
    let sentences = try bench.set("click-force=firm")
    #expect(
      sentences.contains {
        $0.hasPrefix("saved with it, ") && $0.hasSuffix("haptic strength: 40 %")
      })
    bench.instance = "0018:093A:4F05.0002"
    #expect(try bench.restore() == ["set 08 03 28"])
  }

  @Test func aSettingThatThePadReturnsIsNotSavedWithAnother() throws {
    share()
    _ = try bench.set("click-force=light", "haptics=40", isSaved: false)
    #expect(try bench.set("click-force=firm").count == 2)
    bench.instance = "0018:093A:4F05.0002"
    bench.pad.reports = [8: [0b10, 50]]
    #expect(try bench.restore() == ["set 08 03 32"])
  }

  // MARK: - Reset

  @Test func aFailedResetStatesWhatItHasDone() throws {
    _ = try bench.set("click-force=firm")
    bench.pad.errors = [bench.pad.writes.count: .refused(32)]
    let error = #expect(throws: PadError.self) { _ = try bench.controller.reset() }
    #expect(
      error?.message
        == "nothing is saved for this pad any more, but the click force was not set: the pad answered with an error: "
        + "Broken pipe; nothing was changed")
    #expect(bench.files.isEmpty)
    #expect(bench.line(.clickForce).contains("190 g (firm), not saved;"))
    #expect(try bench.writes { _ = try bench.controller.reset() } == ["set 08 02"])
    #expect(bench.line(.clickForce).contains("as the pad came;"))
  }

  @Test func aResetThatIsNotConfirmedIsStated() throws {
    _ = try bench.set("click-force=firm")
    bench.pad.answering = .withError(.refused(5))
    #expect(
      try bench.controller.reset().last
        == "click force: 150 g (medium), as the pad came; sent, but the pad does not confirm it")
    #expect(bench.line(.clickForce).contains("150 g (medium), not saved, not confirmed by the pad"))
  }

  // MARK: - A pad that does not answer

  /// An error once is not one for ever, and of one report not one of the other.
  @Test func aPadIsAskedAgainAtTheNextRequest() throws {
    bench.pad.answering = .withError(.refused(5))
    _ = try bench.set("click-force=light")
    bench.pad.answering = .honestly
    #expect(try bench.set("haptics=40")[0] == "haptic strength: 40 %")
    #expect(try bench.set("click-force=firm")[0] == "click force: 190 g (firm)")
    _ = try bench.restore()
    #expect(bench.line(.clickForce).contains("190 g (firm), saved;"))
  }

  @Test func oneReportWithGarbageDoesNotSilenceTheOther() throws {
    bench.pad.reports = [8: [9], 9: [50]]
    #expect(
      try bench.set("click-force=firm", "haptics=40").prefix(2)
        == [
          "click force: 190 g (firm); sent, but the pad does not confirm it",
          "haptic strength: 40 %",
        ]
    )
  }
}
