import Glibc
import PressureTestSupport
import Testing

@testable import PressureKit

/// A pad on which loads are placed, and its scale.
struct ScaleBench {
  static let device = "slots=5 x=0..1000 y=0..1000 pressure=0..2000 property=7"

  var engine: Engine
  var buffer = EventBuffer()
  var now: Int64 = 1_000_000

  /// A pad, calibrated with points if there are any, on which contacts have rested for two seconds.
  init(
    _ words: String = ScaleBench.device, fit points: [CalibrationPoint]? = nil,
    resting raws: [Int32] = []
  ) throws {
    let description = try DeviceDescription(words: words.split(separator: " "))
    let axis = description.axis(.pressure) ?? description.axis(.singlePressure)
    let fit = try points.map { try CalibrationFit($0, axis: try #require(axis)) }
    engine = Engine(surface: try Surface(description, calibration: fit))
    guard !raws.isEmpty else { return }
    lay(raws)
    wait(2)
  }

  mutating func send(_ values: [(EventCode, Int32)]) {
    engine.receive(frame: values, at: now, into: &buffer)
    buffer.removeAll()
  }

  /// Puts down contacts in the first slots.
  mutating func lay(_ raws: [Int32]) {
    send(
      raws.enumerated().flatMap { slot, raw in
        [(EventCode.slot, Int32(slot)), (.trackingID, Int32(slot + 1)), (.pressure, raw)]
      })
  }

  mutating func press(_ raw: Int32, slot: Int32 = 0) { send([(.slot, slot), (.pressure, raw)]) }

  mutating func wait(_ seconds: Double) {
    now += Int64(seconds * 1_000_000)
    engine.advance(to: Timestamp(microseconds: now), into: &buffer)
    buffer.removeAll()
  }

  /// Sends a value every 10 ms.
  mutating func run(_ seconds: Double, _ raw: (Double) -> Double) {
    for step in 0..<Int(seconds * 100) {
      now += 10_000
      press(Int32(raw(Double(step) / 100).rounded()))
    }
  }

  mutating func check(_ grams: Double) throws -> CalibrationCheck {
    try engine.recordCheck(grams, at: Timestamp(microseconds: now), into: &buffer)
  }

  mutating func takeBackCheck() -> CalibrationCheck? {
    engine.takeBackCheck(at: Timestamp(microseconds: now), into: &buffer)
  }

  mutating func request(_ request: ScaleRequest) throws {
    try engine.perform(request, at: Timestamp(microseconds: now), into: &buffer)
  }
}

/// Points of a sensor with an offset at touch; the zero is assumed, as the pad is silent when bare.
func points(
  _ weights: [Double], offset: Double, slope: Double, spread: Double = 0.2, isAssumed: Bool = true
) -> [CalibrationPoint] {
  var zero = CalibrationPoint(
    grams: 0, raw: isAssumed ? 0 : offset, spread: 0, count: 1, greatest: 0)
  zero.isAssumed = isAssumed
  return [zero]
    + weights.map {
      let raw = offset + slope * $0
      return CalibrationPoint(
        grams: $0, raw: raw, spread: spread, count: 100, greatest: Int32(raw))
    }
}

extension TinyRandom {
  mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * fraction }

  /// Mean 0 and standard deviation 1, by the Box-Muller transform.
  var normal: Double {
    mutating get { (-2 * log(1 - fraction)).squareRoot() * cos(2 * .pi * fraction) }
  }
}
