internal import PressureClient
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

struct SensorFinding: Encodable {
  var device: String

  /// The number of frames with a pressure, and their rate while there were any.
  var frames = 0
  var framesPerSecond: Double?

  /// The noise of a value and the smallest change, in units of the axis and, if they are known, in grams.
  var noise: Double?
  var noiseGrams: Double?
  var smallestStep: Double?
  var smallestStepGrams: Double?

  /// The change of the mean from the first to the last fifth of the time, in units per minute.
  var driftPerMinute: Double?
  var driftGramsPerMinute: Double?
  var isSaturated = false

  /// The maximum number of contacts at a time, and whether they share one sensor; nil for a single contact.
  var contacts = 0
  var contactsShareSensor: Bool?

  var lines: [String] {
    func number(_ value: Double?) -> String { value?.shortDescription(decimals: 2) ?? "unknown" }
    func pair(_ units: Double?, _ grams: Double?) -> String {
      number(units) + " units" + (grams.map { " (\(number($0)) g)" } ?? "")
    }
    let sharing =
      switch contactsShareSensor {
      case true?: "share one sensor"
      case false?: "have a pressure each"
      case nil: "only one was seen; touch with two fingers to find out whether they share a sensor"
      }
    return [
      "\(device):", "  noise            \(pair(noise, noiseGrams)), one standard deviation",
      "  smallest step    \(pair(smallestStep, smallestStepGrams))",
      "  rate             \(number(framesPerSecond)) frames per second in \(frames) frames",
      "  drift at rest    \(pair(driftPerMinute, driftGramsPerMinute)) per minute",
      "  saturated        \(isSaturated ? "yes: use a lighter weight" : "no")",
      "  contacts         \(contacts)\(contactsShareSensor == nil ? ":" : "; they") \(sharing)",
    ]
  }

  // MARK: - Measuring

  private static let duration = 10.0

  private static let capacity = 65_536
  private static let maximumDevices = 64

  /// Measures a device, by name or the one that is touched most.
  static func measure(
    _ name: String?, over connection: Connection
  ) throws(ExitError) -> SensorFinding {
    var requests = JSONLinesWriter()
    requests.append(.subscribe(events: [.device, .weight]))
    var devices: [String: ReceivedDevice] = [:]
    var values: [String: SensorValues] = [:]
    let deadline = Deadline(seconds: duration)
    do throws(ConnectionError) {
      try connection.send(requests)
      while true {
        for line in try connection.nextLines(before: deadline) {
          switch ReceivedEvent(line: line) {
          case .device(let device) where devices.count < maximumDevices:
            devices[device.device] = device
          case .weight(let weight) where devices[weight.device] != nil:
            values[weight.device, default: SensorValues()].add(weight, upTo: capacity)
          default: break
          }
        }
      }
    } catch .timedOut {
      // All has been measured.
    } catch {
      throw ExitError(error)
    }
    let measured = name ?? values.max { $0.value.count < $1.value.count }?.key
    guard let chosen = measured ?? devices.keys.min(), let device = devices[chosen] else {
      throw ExitError(
        name.map { "the daemon reads no device \($0)" } ?? "the daemon reads no touch device",
        .noInput)
    }
    return (values[chosen] ?? SensorValues()).finding(of: device)
  }
}

private struct SensorValues {
  private var values: [(time: Int64, raw: Double, grams: Double?)] = []
  private var isSaturated = false
  private var contacts = 0
  private var equalFrames = 0
  private var differentFrames = 0

  var count: Int { values.count }

  mutating func add(_ weight: ReceivedWeight, upTo limit: Int) {
    contacts = max(contacts, weight.contacts.count)
    isSaturated = isSaturated || weight.contacts.contains(where: \.isSaturated)
    let raws = weight.contacts.compactMap(\.raw)
    if raws.count > 1 {
      if Set(raws).count == 1 { equalFrames += 1 } else { differentFrames += 1 }
    }
    guard let raw = raws.first, raws.count == 1, values.count < limit else { return }
    values.append((weight.time, Double(raw), weight.totalGrams))
  }

  func finding(of device: ReceivedDevice) -> SensorFinding {
    var finding = SensorFinding(device: device.device)
    finding.frames = values.count
    (finding.isSaturated, finding.contacts) = (isSaturated, contacts)
    if contacts > 1 {
      // Eight equal frames of several contacts are no coincidence.
      finding.contactsShareSensor = !device.isPerContact || differentFrames == 0 && equalFrames >= 8
    }
    guard let first = values.first, let last = values.last, last.time > first.time else {
      return finding
    }
    let seconds = Double(last.time - first.time) / 1_000_000
    finding.framesPerSecond = Double(values.count - 1) / seconds
    // Differences of successive values contain neither a drift nor the placing of the load.
    let raws = values.map(\.raw)
    let steps = zip(raws, raws.dropFirst()).map { $1 - $0 }
    let sizes = steps.map(\.magnitude).sorted()
    finding.smallestStep = sizes.first { $0 > 0 }
    // The median, as placing a load makes a few large differences.
    let squares = sizes.prefix(sizes.count * 19 / 20).reduce(0) { $0 + $1 * $1 }
    let number = Double(max(sizes.count * 19 / 20, 1))
    finding.noise = (squares / number / 2).squareRoot()
    let fifth = max(values.count / 5, 1)
    let settled = values.dropFirst(fifth)
    let half = max(settled.count / 4, 1)
    let (early, late) = (settled.prefix(half), settled.suffix(half))
    let minutes = (mean(late.map { Double($0.time) }) - mean(early.map { Double($0.time) })) / 60e6
    if minutes > 0 {
      finding.driftPerMinute = (mean(late.map(\.raw)) - mean(early.map(\.raw))) / minutes
    }
    guard let scale = gramsPerUnit else { return finding }
    finding.noiseGrams = finding.noise.map { $0 * scale }
    finding.smallestStepGrams = finding.smallestStep.map { $0 * scale }
    finding.driftGramsPerMinute = finding.driftPerMinute.map { $0 * scale }
    return finding
  }

  /// Grams per unit between two different values; nil without grams.
  private var gramsPerUnit: Double? {
    guard let low = values.min(by: { $0.raw < $1.raw }),
      let high = values.max(by: { $0.raw < $1.raw }),
      let lowGrams = low.grams, let highGrams = high.grams, high.raw > low.raw
    else { return nil }
    return (highGrams - lowGrams) / (high.raw - low.raw)
  }

  private func mean(_ numbers: [Double]) -> Double {
    numbers.reduce(0, +) / Double(max(numbers.count, 1))
  }
}
