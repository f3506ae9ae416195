import Testing

@testable import PressureKit

/// Programs can set values that no file may contain; none of them may trap, then or later.
struct OutermostSettingsTests {
  private func surface(_ axis: String) throws -> Surface {
    let words = "slots=2 x=0..9 y=0..9 \(axis)"
    return try Surface(try DeviceDescription(words: words.split(separator: " ")))
  }

  /// A finger that begins, rests through deadlines and ends.
  private func touch(_ engine: inout Engine, _ times: [Int64]) {
    var buffer = EventBuffer()
    for (place, time) in times.enumerated() {
      let time = Timestamp(microseconds: time)
      let id: Int32 = place + 1 == times.count ? -1 : 7
      for (code, value) in [(EventCode.trackingID, id), (.pressure, 100), (.report, 0)] {
        engine.receive(InputEvent(time: time, code: code, value: value), into: &buffer)
      }
      let soon = time.advanced(byMicroseconds: 5_000_000)
      engine.advance(to: place + 1 == times.count ? time : soon, into: &buffer)
      _ = engine.scaleSettledAt
    }
  }

  @Test(arguments: [Int.max, .min, 0], ["pressure=0..255", "pressure=0..6000@10", ""])
  func `no number of milliseconds traps`(number: Int, axis: String) throws {
    var configuration = Configuration()
    configuration.press.holdMilliseconds = number
    configuration.press.simulation = .always
    configuration.scale.windowMilliseconds = number
    configuration.scale.filterMilliseconds = number
    configuration.scale.holdMilliseconds = number
    var engine = Engine(surface: try surface(axis), configuration: configuration)
    touch(&engine, [0, 6_000_000, 12_000_000])
    #expect(configuration.scale.filter <= 10_000_000 && configuration.scale.filter >= 0)
    #expect(configuration.scale.window <= 60_000_000 && configuration.scale.window >= 1000)
    #expect(configuration.press.hold <= 60_000_000 && configuration.press.hold >= 0)
  }

  @Test(arguments: ["pressure=0..255", "pressure=0..6000@10", ""])
  func `no timestamp traps`(axis: String) throws {
    for times in [
      [Int64.min, .min + 1, 0], [.min, 0, .max], [0, .max, .max], [.min, .max, .min],
    ] {
      var engine = Engine(surface: try surface(axis))
      touch(&engine, times)
      var output = EventBuffer()
      for time in [Int64.min, .max] {
        for request in [ScaleRequest.tare, .zero, .hold, .release, .sample(pieces: .max)] {
          _ = try? engine.perform(request, at: Timestamp(microseconds: time), into: &output)
        }
        engine.configure(
          Configuration(), at: Timestamp(microseconds: time), into: &output)
      }
    }
  }

  @Test func `a calibration accepts any time without a trap`() throws {
    var engine = Engine(surface: try surface("pressure=0..255"))
    touch(&engine, [.min, 0, 1])
    var session = try CalibrationSession(engine.surface, frame: engine.frame)
    session.update(with: engine.frame)
    for time in [Int64.min, .max] {
      _ = try? session.measure(10, at: Timestamp(microseconds: time))
    }
  }

  @Test func `timestamps saturate`() {
    let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
    #expect(last.advanced(byMicroseconds: 1) == last)
    #expect(first.advanced(byMicroseconds: -1) == first)
    #expect(last.microseconds(since: first) == .max)
    #expect(first.microseconds(since: last) == .min)
  }
}
