import Glibc
import PressureDevices
import PressureTestSupport
import Testing

@testable import PressurePads

@Suite struct PadTransactionTests {
  private let pad = TestPad([8: [2], 9: [50]])

  private func run(
    _ layout: PadLayout, _ wanted: [PadSetting: Int64], _ knowledge: PadKnowledge = PadKnowledge()
  ) throws(PadError) -> PadKnowledge {
    var transaction = PadTransaction(layout, pad, knowledge)
    try transaction.run(wanted)
    return transaction.knowledge
  }

  private func failure(
    _ layout: PadLayout, _ wanted: [PadSetting: Int64], _ knowledge: PadKnowledge = PadKnowledge()
  ) -> PadError? {
    #expect(throws: PadError.self) { _ = try run(layout, wanted, knowledge) }
  }

  @Test func oneSettingIsOneReport() throws {
    let knowledge = try run(PadLayoutTests.haptic, [.clickForce: 3])
    #expect(pad.log == ["get 08", "get 08", "set 08 03", "get 08"])
    #expect(knowledge.values == [.clickForce: 3])
    #expect(knowledge.originals == [.clickForce: 2])
    #expect(knowledge.confirmations == [.clickForce: 3])
  }

  @Test func twoReportsAreWrittenInOrder() throws {
    _ = try run(PadLayoutTests.haptic, [.haptics: 10, .clickForce: 1])
    #expect(pad.writes == ["set 08 01", "set 09 0a"])
  }

  @Test func bothInOneReportAreWrittenOnce() throws {
    pad.reports = [8: [0b10, 50]]
    _ = try run(try layout { $0.both(report: 8) }, [.haptics: 100, .clickForce: 3])
    #expect(pad.writes == ["set 08 03 64"])
  }

  @Test func theOtherSettingOfTheReportIsKept() throws {
    pad.reports = [8: [0b10, 50]]
    let layout = try layout { $0.both(report: 8) }
    let knowledge = try run(layout, [.haptics: 99])
    #expect(pad.writes == ["set 08 02 63"])
    #expect(knowledge.originals == [.clickForce: 2, .haptics: 50])
  }

  @Test func anUnknownOtherSettingIsRefused() throws {
    pad.answering = .withError(.refused(5))
    let layout = try layout { $0.both(report: 8) }
    let error = try #require(failure(layout, [.haptics: 99]))
    #expect(error.code == .unknownValue)
    #expect(error.message.contains("set both: click-force=… haptics=…"))
    #expect(pad.writes.isEmpty)
    // Both together need no earlier value.
    _ = try run(layout, [.haptics: 99, .clickForce: 1])
    #expect(pad.writes == ["set 08 01 63"])
  }

  @Test func aValueOfAnotherUsageIsKept() throws {
    pad.reports = [8: [0b10, 50, 25]]
    _ = try run(try layout { $0.both(report: 8, neighbor: true) }, [.haptics: 1, .clickForce: 1])
    #expect(pad.writes == ["set 08 01 01 19"])
  }

  /// The pad returns 51 for a value of 0 to 50.
  @Test func anImplausibleValueOfAnotherUsageIsRefused() throws {
    pad.reports = [8: [0b10, 50, 51]]
    let error = failure(
      try layout { $0.both(report: 8, neighbor: true) }, [.haptics: 1, .clickForce: 1])
    #expect(error?.code == .unknownValue)
    #expect(pad.writes.isEmpty)
  }

  /// Its range fills its bits, so that all garbage is in it.
  @Test func anotherUsageIsKeptIfThePadReturnsTheSameTwice() throws {
    let layout = try layout {
      $0.both(report: 8)
      $0.page(0x0e)
      $0.field(0x25, 0, 255)
    }
    pad.reports = [8: [0b10, 50, 200]]
    _ = try run(layout, [.clickForce: 3])
    #expect(pad.writes == ["set 08 03 32 c8"])
    pad.answering = .inTurn([[0b10, 50, 17], [0b10, 50, 201]])
    #expect(failure(layout, [.clickForce: 1])?.code == .unknownValue)
    #expect(pad.writes.count == 1)
  }

  @Test func garbageIsNotBelieved() throws {
    pad.answering = .with([0xff, 0xff, 0xff])
    let knowledge = try run(PadLayoutTests.haptic, [.clickForce: 1])
    // It is not asked again.
    #expect(pad.log == ["get 08", "set 08 01"])
    #expect(knowledge.originals.isEmpty && knowledge.confirmations.isEmpty)
    #expect(knowledge.values == [.clickForce: 1])
  }

  @Test(arguments: [[], [2] as [UInt8]])
  func aShortAnswerIsNotBelieved(_ bytes: [UInt8]) throws {
    pad.answering = .with(bytes)
    let layout = try layout { $0.both(report: 8) }
    #expect(failure(layout, [.haptics: 1])?.code == .unknownValue)
  }

  @Test func anotherValueThanWasSetIsNoted() throws {
    pad.answering = .with([2])
    let knowledge = try run(PadLayoutTests.haptic, [.clickForce: 1])
    #expect(knowledge.values == [.clickForce: 1])
    #expect(knowledge.confirmations == [.clickForce: 2])
  }

  @Test func aFailedSecondWriteRestoresTheFirst() throws {
    pad.errors = [1: .refused(32)]
    let error = failure(PadLayoutTests.haptic, [.clickForce: 3, .haptics: 10])
    #expect(pad.writes == ["set 08 03", "set 09 0a", "set 08 02"])
    #expect(pad.reports == [8: [2], 9: [50]])
    #expect(error?.code == .padError)
    #expect(
      error?.message
        == "the haptic strength was not set: the pad answered with an error: Broken pipe; the earlier values were written back"
    )
  }

  /// Some drivers report all errors as EIO, and an acknowledgement may be lost after the report has arrived.
  @Test(arguments: [EIO, EPROTO, EILSEQ, EREMOTEIO, ETIMEDOUT, EOVERFLOW])
  func aReportThatMayHaveArrivedIsRestored(_ number: Int32) throws {
    pad.errors = [0: .refused(number)]
    let error = failure(PadLayoutTests.haptic, [.clickForce: 3])
    #expect(pad.writes == ["set 08 03", "set 08 02"])
    #expect(error?.message.hasSuffix("; the earlier values were written back") == true)
  }

  @Test(arguments: [EPIPE, EINVAL])
  func aReportThatWasRefusedIsNotWrittenBack(_ number: Int32) throws {
    pad.errors = [0: .refused(number)]
    let error = failure(PadLayoutTests.haptic, [.clickForce: 3])
    #expect(pad.writes == ["set 08 03"])
    #expect(error?.message.hasSuffix("; nothing was changed") == true)
  }

  /// Only what the report would have changed may have changed.
  @Test func theOtherSettingOfAFailedReportIsStillKnown() throws {
    pad.reports = [8: [0b10, 50]]
    let layout = try layout { $0.both(report: 8) }
    let known = try run(layout, [.haptics: 40, .clickForce: 1])
    pad.errors = [1: .refused(EIO), 2: .refused(EIO)]
    var transaction = PadTransaction(layout, pad, known)
    #expect(throws: PadError.self) { try transaction.run([.haptics: 50]) }
    #expect(transaction.knowledge.values == [.clickForce: 1])
  }

  @Test func aWriteWithoutAnAnswerIsRestored() throws {
    pad.errors = [1: .noAnswer(seconds: 5)]
    let error = failure(PadLayoutTests.haptic, [.clickForce: 3, .haptics: 10])
    // In reverse: the one that may have arrived, then the one before.
    #expect(pad.writes == ["set 08 03", "set 09 0a", "set 09 32", "set 08 02"])
    #expect(error?.code == .noAnswer)
  }

  @Test func whatCannotBeRestoredIsStated() throws {
    pad.answering = .withError(.refused(5))
    pad.errors = [1: .refused(EPIPE)]
    let error = failure(PadLayoutTests.haptic, [.clickForce: 3, .haptics: 10])
    #expect(pad.writes == ["set 08 03", "set 09 0a"])
    #expect(error?.message.contains("the click force may have changed") == true)
  }

  @Test func theValueThatWasSetLastIsRestored() throws {
    pad.answering = .withError(.refused(5))
    let knowledge = try run(PadLayoutTests.haptic, [.clickForce: 1, .haptics: 20])
    pad.errors = [3: .refused(5)]
    _ = failure(PadLayoutTests.haptic, [.clickForce: 3, .haptics: 10], knowledge)
    #expect(pad.writes.suffix(4) == ["set 08 03", "set 09 0a", "set 09 14", "set 08 01"])
  }

  @Test func aPadThatVanishesIsGone() throws {
    pad.errors = [1: .gone, 2: .gone]
    let error = failure(PadLayoutTests.haptic, [.clickForce: 3, .haptics: 10])
    #expect(error?.code == .gone)
    #expect(
      error?.message.hasSuffix("the pad is gone; it forgets its settings without power") == true)
  }

  /// The driver reports another error first.
  @Test func aPadThatIsGoneWhenAReportIsWrittenBackIsGone() throws {
    pad.errors = [1: .refused(EIO), 2: .gone, 3: .gone]
    let error = failure(PadLayoutTests.haptic, [.clickForce: 3, .haptics: 10])
    #expect(error?.code == .gone)
  }

  @Test func aPadThatIsBeingRemovedIsGone() throws {
    pad.errors = [1: .refused(EIO), 2: .refused(EIO), 3: .refused(EIO)]
    pad.isGone = true
    let error = failure(PadLayoutTests.haptic, [.clickForce: 3, .haptics: 10])
    #expect(error?.code == .gone)
  }

  @Test(arguments: [
    (
      FeatureError.stuck(seconds: 6), PadError.Code.noAnswer,
      "did not answer an earlier request within 6 seconds"
    ),
    (.notSent(EAGAIN), .failed, "could not be sent a request: Resource temporarily unavailable"),
  ])
  func whatWasNotSentHasChangedNothing(
    _ error: FeatureError, _ code: PadError.Code, _ reason: String
  ) {
    pad.errors = [0: error]
    let failure = failure(PadLayoutTests.haptic, [.clickForce: 3])
    #expect(failure?.code == code)
    #expect(
      failure?.message == "the click force was not set: the pad \(reason); nothing was changed")
  }

  @Test func reportsWithoutNumbersBeginWithZero() throws {
    var bytes = DescriptorBytes()
    bytes.page(0x0d)
    bytes.usage(0x05)
    bytes.begin(1)
    bytes.field(0xb0, 110, 190)
    bytes.end()
    let layout = try #require(PadLayout(try ReportDescriptor(bytes.bytes)))
    pad.reports = [0: [150]]
    _ = try run(layout, [.clickForce: 190])
    #expect(pad.writes == ["set 00 be"])
  }

  @Test func signedValuesAreWrittenAsSuch() throws {
    let layout = try layout {
      $0.page(0x0e)
      $0.report(9)
      $0.field(0x23, -50, 50)
    }
    pad.reports = [9: [0xce]]
    let control = try layout.control(.haptics)
    let knowledge = try run(layout, [.haptics: try control.value(for: .number(25))])
    #expect(pad.writes == ["set 09 e7"])
    #expect(knowledge.originals == [.haptics: -50])
  }

  @Test func anInvertedRangeArrivesAsItsValues() throws {
    let layout = try layout {
      $0.page(0x0e)
      $0.report(9)
      $0.field(0x23, 100, 1)
    }
    for (percent, bytes) in [(0.0, "set 09 64"), (100, "set 09 01")] {
      _ = try run(layout, [.haptics: try layout.control(.haptics).value(for: .number(percent))])
      #expect(pad.writes.last == bytes)
    }
  }
}
