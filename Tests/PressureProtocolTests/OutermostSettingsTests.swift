import FoundationEssentials
import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureProtocol

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
      let id: Int32 = place + 1 == times.count ? -1 : 7
      engine.receive(frame: [(.trackingID, id), (.pressure, 100)], at: time, into: &buffer)
      let time = Timestamp(microseconds: time)
      let soon = time.advanced(byMicroseconds: 5_000_000)
      engine.advance(to: place + 1 == times.count ? time : soon, into: &buffer)
      _ = (engine.scaleSettledAt, engine.deadline)
    }
  }

  @Test(arguments: [true, false], ["pressure=0..255", "pressure=0..6000@10", ""])
  func `no valid number of milliseconds traps`(isGreatest: Bool, axis: String) throws {
    func bound(_ limits: ClosedRange<Int>) -> Int {
      isGreatest ? limits.upperBound : limits.lowerBound
    }
    var configuration = Configuration()
    configuration.press.holdMilliseconds = bound(ConfigurationLimits.holdMilliseconds)
    configuration.press.simulation = .always
    configuration.scale.windowMilliseconds = bound(ConfigurationLimits.scaleWindowMilliseconds)
    configuration.scale.filterMilliseconds = bound(ConfigurationLimits.scaleFilterMilliseconds)
    var engine = Engine(surface: try surface(axis), configuration: configuration)
    touch(&engine, [0, 6_000_000, 12_000_000])
  }

  @Test(arguments: ["pressure=0..255", "pressure=0..6000@10", ""])
  func `no timestamp traps`(axis: String) throws {
    for times in [
      [Int64.min, .min + 1, 0], [.min, 0, .max], [0, .max, .max], [.min, .max, .min],
      [.max, .max, .max],
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

  private static let numbers: [Double] = [
    .nan, .infinity, -.infinity, 0, -0.0, -1, 1e308, -1e308, .leastNonzeroMagnitude, 1,
  ]

  @Test(arguments: numbers, ["pressure=0..255", "pressure=0..6000@10", ""])
  func `no number traps, and no line is broken by it`(number: Double, axis: String) throws {
    var configuration = Configuration()
    configuration.nominalFullScaleGrams = number
    configuration.scale.rangeGrams = number
    configuration.scale.zeroGrams = number
    configuration.devices = [DeviceConfiguration(match: "*")]
    for maximum in [Int32.min, -1, 0, 1, .max] {
      configuration.devices[0].effectiveMaximum = maximum
      for simulation in PressConfiguration.Simulation.allCases {
        configuration.press.simulation = simulation
        let settings = configuration.settings(for: "0000-0000-0000")
        let description = try surface(axis).description
        var engine = Engine(
          surface: try Surface(description, settings: settings), configuration: configuration)
        touch(&engine, [0, 6_000_000, 12_000_000])
        var output = EventBuffer()
        let target = ScaleTarget(grams: number, tolerance: number)
        for request in [ScaleRequest.aim(target), .tare, .zero, .hold, .sample(pieces: .min)] {
          _ = try? engine.perform(
            request, at: Timestamp(microseconds: 20_000_000), into: &output)
        }
        let device = Device(id: DeviceID(description), node: "", surface: engine.surface)
        var lines = JSONLinesWriter()
        for event in output.events { lines.append(event, of: device.id, device: device) }
        lines.append("{\"event\":\"other\",\"state\":")
        lines.append(stateOf: engine, device: device)
        lines.append("}\n")
        for line in lines.text.split(separator: "\n") {
          _ = try BothDecoders.decode(ReceivedEvent.self, from: Data(line.utf8))
        }
      }
    }
  }

  @Test(arguments: numbers, numbers)
  func `values that contradict each other are rejected`(first: Double, second: Double) {
    if let threshold = try? Threshold(press: first, release: second) {
      #expect(threshold.release < threshold.press)
      for unit in PressStage.Unit.allCases {
        let stage = PressStage(name: "", threshold: threshold, unit: unit)
        guard let ladder = try? StageLadder([stage]) else { continue }
        #expect(unit.limits.contains(ladder.stages[0].threshold.press))
        #expect(unit.limits.contains(ladder.stages[0].threshold.release))
      }
    }
    if let curve = try? ResponseCurve([.init(ratio: first, output: second)]) {
      for ratio in Self.numbers.map({ min(max($0, 0), 1) }) where !ratio.isNaN {
        #expect((0...1).contains(curve.output(of: ratio)))
      }
    }
    if let region = try? Region(name: "", x: first, y: 0, width: second, height: 1) {
      #expect(region.x >= 0 && region.width > 0 && region.x + region.width <= 1.001)
    }
    let points = [(0, 0), (first, second), (second, first), (1e3, 200)].map {
      CalibrationPoint(grams: $0, raw: $1, spread: second, count: .max, greatest: 200)
    }
    if let fit = try? CalibrationFit(points, axis: Axis(minimum: 0, maximum: 255)) {
      _ = (fit.greatestError, fit.pointResiduals, fit.error(atGrams: first))
    }
  }

  @Test(arguments: numbers)
  func `a subscription of any numbers is a line`(number: Double) throws {
    var lines = JSONLinesWriter()
    lines.append(.subscribe(maximumRate: number, minimumChange: number))
    var arguments: (rate: Double?, change: Double?)
    let request = try Request(line: Array(lines.text.dropLast().utf8))
    #expect(request.verb == "subscribe")
    arguments = (
      request.arguments["max_hz"]?.double(isWords: false),
      request.arguments["min_change_grams"]?.double(isWords: false)
    )
    // Numbers without a decimal form are null, which selects the default.
    if !number.isFinite { #expect(arguments == (nil, nil)) }
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
