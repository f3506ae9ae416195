internal import CEvdev
internal import Glibc
internal import PressureKit

/// Measures the engine alone, with events in memory; `engine.c` is the C counterpart.
///
/// Usage: EngineBenchmark FILE, which contains raw input events.
/// Prints: input events per second, events emitted in one pass without those of the scale, total milligrams of one pass.
@main
struct EngineBenchmark {
  static let passes = 40

  static func main() throws {
    guard CommandLine.arguments.count == 2 else { exit(64) }
    let events = load(CommandLine.arguments[1])
    let surface = try surface()
    // The counterpart has fixed stages, and no rules beyond them.
    var configuration = Configuration()
    configuration.press.stages = PressFeel.fixed.clickStages
    configuration.press.gramStages = PressFeel.fixed.gramStages
    configuration.press.rules = .none
    var output = EventBuffer()
    let frames = frames(of: events)
    var emitted = 0
    var grams = 0.0
    let begin = now()
    for _ in 0..<passes {
      var engine = Engine(surface: surface, configuration: configuration)
      for frame in frames {
        engine.receive(events.span.extracting(frame), into: &output)
        for index in output.events.indices {
          switch output.events[index].kind {
          case .weight(let report): grams += report.total?.grams ?? 0
          // The counterpart has no scale.
          case .scale: emitted -= 1
          default: break
          }
        }
        emitted += output.events.count
        output.removeAll()
      }
    }
    let speed = Double(passes * events.count) / (now() - begin)
    print(Int(speed), emitted / passes, Int((1000 * grams / Double(passes)).rounded()))
  }

  /// The device that `feed` simulates.
  private static func surface() throws -> Surface {
    var description = DeviceDescription()
    description.axes = [
      EventCode.slot.code: Axis(minimum: 0, maximum: 9),
      EventCode.positionX.code: Axis(minimum: 0, maximum: 1000, resolution: 10),
      EventCode.positionY.code: Axis(minimum: 0, maximum: 600, resolution: 10),
      EventCode.trackingID.code: Axis(minimum: 0, maximum: 65535),
      EventCode.pressure.code: Axis(minimum: 0, maximum: 255),
    ]
    return try Surface(description)
  }

  private static func load(_ path: String) -> [InputEvent] {
    let file = open(path, O_RDONLY)
    var records: [InputEvent] = []
    var record = input_event()
    while read(file, &record, MemoryLayout<input_event>.size) > 0 {
      let time = Timestamp(
        microseconds: Int64(record.time.tv_sec) * 1_000_000 + Int64(record.time.tv_usec))
      records.append(
        InputEvent(
          time: time, code: EventCode(type: record.type, code: record.code), value: record.value))
    }
    close(file)
    return records
  }

  /// The events of each frame, which the daemon passes to the engine at once.
  private static func frames(of events: [InputEvent]) -> [Range<Int>] {
    var frames: [Range<Int>] = []
    for index in events.indices where events[index].code == .report {
      frames.append((frames.last?.upperBound ?? 0)..<index + 1)
    }
    return frames
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
