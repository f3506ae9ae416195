import PressureSettings
import PressureTestSupport

@testable import PressureKit
@testable import PressureProtocol

/// A readable test case: recorded events above a line `---`, expected output lines below it.
///
/// Each line is a frame, followed by a SYN_REPORT unless the line ends with `unfinished`:
///
///     # The reason for the behavior, in a sentence.
///     device slots=5 x=0..1216@12 y=0..680@12 pressure=0..255
///     settings press: { fingers: 2 }, regions: [{ name: left, x: 0, y: 0, width: 0.5, height: 1 }]
///     only press: time state stage
///     0       slot=0 id=45 x=608 y=170 pressure=51
///     8000    dropped pressure=60
///     lost 30000
///     ---
///     {"event":"contact",…}
///
/// `settings` is the content of a configuration file in YAML; without stages or a feel in it, the stages are fixed.
///
/// Times are in microseconds. `only` and `without` select the events to compare; without either, all are compared. With fields after a
/// colon, only these are compared: a scenario claims what its name states. Without them, all fields are compared that any
/// expected line of the event has, so that a new field of an event changes no scenario. `from 7000000` compares no event before that
/// time: what an engine has learned by then is the claim of another scenario. `until` lets time pass, `lost` removes the device. Without
/// `slots` the device is a single-touch one. `repeat 5 16000` plays all lines before it five times, each time later by 16 ms. `DeviceDescription(words:)` parses the words of a device, `words` those of a frame.
/// `tare 30000` and similar lines are requests to the scale; an error is printed as a line of its own.
struct Scenario {
  enum Step: Equatable {
    case event(InputEvent)
    /// Time passes without input.
    case until(Timestamp)
    /// The device is removed.
    case lost(Timestamp)
    case request(ScaleRequest, Timestamp)

    func delayed(by delay: Int64) -> Step {
      switch self {
      case .event(var event):
        event.time = event.time.advanced(byMicroseconds: delay)
        return .event(event)
      case .until(let time): return .until(time.advanced(byMicroseconds: delay))
      case .lost(let time): return .lost(time.advanced(byMicroseconds: delay))
      case .request(let request, let time):
        return .request(request, time.advanced(byMicroseconds: delay))
      }
    }
  }

  let surface: Surface
  let configuration: Configuration
  let heard: Set<EventName>

  /// The fields to compare besides the name of the event; nil for all.
  let fields: [Substring]?

  /// The time of the first event to compare; nil for all.
  let start: Timestamp?
  let steps: [Step]
  let expected: [String]

  init(_ text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let rule = lines.firstIndex(of: "---") else {
      throw WordError(description: "no line ---")
    }
    var frames = lines[..<rule].map { $0.prefix { $0 != "#" }.split(separator: " ") }
      .filter { !$0.isEmpty }[...]
    guard let device = frames.popFirst(), device.first == "device" else {
      throw WordError(description: "the first line is not that of the device")
    }
    let description = try DeviceDescription(words: device.dropFirst())
    configuration = try Scenario.configuration(Scenario.popLine("settings", &frames) ?? [])
    surface = try Surface(
      description, settings: configuration.settings(for: DeviceID(description).text))
    (heard, fields) = try Scenario.popSelection(&frames)
    start = try Scenario.popLine("from", &frames)?.first.map {
      Timestamp(microseconds: try wordNumber($0))
    }
    steps = try frames.reduce(into: []) { steps, line in
      if line.first == "repeat", line.count == 3 {
        let (count, period): (Int, Int64) = (try wordNumber(line[1]), try wordNumber(line[2]))
        steps += (1..<Int64(count)).flatMap { [steps] turn in
          steps.map { $0.delayed(by: turn * period) }
        }
      } else {
        steps += try Scenario.steps(line)
      }
    }
    expected = lines[(rule + 1)...].filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(String.init)
  }

  /// The engine's output lines, with the times of the scenario, if all times are later by microseconds for the engine.
  func run(delayedBy delay: Int64 = 0) -> [String] {
    var engine = Engine(surface: surface, configuration: configuration)
    var buffer = EventBuffer()
    var lines = JSONLinesWriter()
    let id = DeviceID(surface.description)
    let start = self.start?.advanced(byMicroseconds: delay)
    for step in steps.map({ $0.delayed(by: delay) }) {
      var rejection: ScaleError?
      switch step {
      case .event(let event): engine.receive(event, into: &buffer)
      case .until(let time): engine.advance(to: time, into: &buffer)
      case .lost(let time): engine.cancelAll(at: time, into: &buffer)
      case .request(let request, let time):
        do throws(ScaleError) {
          try engine.perform(request, at: time, into: &buffer)
        } catch {
          rejection = error
        }
      }
      let device = Device(id: id, node: "/dev/input/event5", surface: engine.surface)
      for event in buffer.events where heard.contains(event.name) {
        if let start, event.time < start { continue }
        lines.append(event, of: device.id, device: device)
      }
      buffer.removeAll()
      if let rejection {
        lines.append(plain: "refused: \(RequestError(rejection).message)\n")
      }
    }
    let text = lines.text.split(separator: "\n").map { Scenario.line($0, earlierBy: delay) }
    if fields == nil, text.elementsEqual(expected, by: ==) { return expected }
    let claimed = claimedFields
    return text.map { line in
      let event = Scenario.members(of: line).first ?? ""
      return Scenario.line(line, reducedTo: fields ?? claimed[event] ?? [])
    }
  }

  /// By the event, the fields that any of its expected lines has: a field that none of them has is not claimed.
  private var claimedFields: [Substring: [Substring]] {
    expected.reduce(into: [:]) { claimed, line in
      let members = Scenario.members(of: line[...])
      guard let event = members.first else { return }
      claimed[event, default: []] += members.map { Scenario.name(of: $0) }
    }
  }

  /// A line with another time.
  private static func line(_ line: Substring, earlierBy delay: Int64) -> Substring {
    guard delay != 0, let name = line.firstRange(of: "\"time\":"),
      let time = Int64(line[name.upperBound...].prefix { $0 != "," })
    else { return line }
    let rest = line[name.upperBound...].drop { $0 != "," }
    return "\(line[..<name.upperBound])\(time - delay)\(rest)"
  }
}

// MARK: - Settings and selection

extension Scenario {
  /// Decodes settings in YAML, the content of a flow mapping.
  static func configuration(_ words: [Substring]) throws -> Configuration {
    let text = "{ " + words.joined(separator: " ") + " }"
    do {
      let configuration = try ConfigurationFile.read(text: Array(text.utf8), name: "settings")
      return text.contains("feel:") ? configuration : configuration.withFixedStages
    } catch {
      throw WordError(description: error.sentences.joined(separator: "; "))
    }
  }

  private static func popLine(_ name: String, _ frames: inout ArraySlice<[Substring]>)
    -> [Substring]?
  {
    guard frames.first?.first == name[...] else { return nil }
    return frames.removeFirst().dropFirst().map { $0 }
  }

  /// The selected events, and the fields to compare.
  private static func popSelection(
    _ frames: inout ArraySlice<[Substring]>
  ) throws -> (Set<EventName>, [Substring]?) {
    let all = Set(EventName.allCases)
    guard let line = frames.first, line.first == "only" || line.first == "without" else {
      return (all, nil)
    }
    frames.removeFirst()
    let colon = line.firstIndex { $0.hasSuffix(":") }
    let names = try line[1..<(colon.map { $0 + 1 } ?? line.count)].map { word in
      let word = word.prefix { $0 != ":" }
      guard let name = EventName(rawValue: String(word)) else {
        throw WordError(description: "\(word) is no event")
      }
      return name
    }
    let heard = line.first == "only" ? Set(names) : all.subtracting(names)
    return (heard, colon.map { Array(line[($0 + 1)...]) })
  }

  /// A line of JSON with the event's name and some fields only.
  static func line(_ line: Substring, reducedTo fields: [Substring]) -> String {
    let members = members(of: line)
    let wanted = members.filter { name(of: $0) == "event" || fields.contains(name(of: $0)) }
    return members.isEmpty ? String(line) : "{" + wanted.joined(separator: ",") + "}"
  }

  private static func name(of member: Substring) -> Substring {
    member.dropFirst().prefix { $0 != "\"" }
  }

  /// The members of an object in JSON.
  private static func members(of line: Substring) -> [Substring] {
    var members: [Substring] = []
    var (depth, isQuoted, start) = (0, false, line.startIndex)
    for index in line.indices {
      switch line[index] {
      // No text in an event of a scenario contains a quote.
      case "\"": isQuoted.toggle()
      case "{" where !isQuoted, "[" where !isQuoted:
        depth += 1
        if depth == 1 { start = line.index(after: index) }
      case "}" where !isQuoted, "]" where !isQuoted:
        depth -= 1
        if depth == 0 { members.append(line[start..<index]) }
      case "," where !isQuoted && depth == 1:
        members.append(line[start..<index])
        start = line.index(after: index)
      default: break
      }
    }
    return members
  }
}

// MARK: - The words of a frame

extension Scenario {
  private static let words: [Substring: EventCode] = [
    "slot": .slot, "id": .trackingID, "x": .positionX, "y": .positionY, "pressure": .pressure,
    "tool": .toolType, "distance": .distance, "major": .touchMajor,
    "minor": .touchMinor, "width": .widthMajor, "orientation": .orientation, "single_x": .x,
    "single_y": .y,
    "single_pressure": .singlePressure, "touch": .touch, "button": .leftButton,
    "finger": .toolFinger,
    "doubletap": .toolDoubleTap, "tripletap": .toolTripleTap, "quadtap": .toolQuadTap,
    "quinttap": .toolQuintTap,
  ]

  private static func steps(_ line: [Substring]) throws -> [Step] {
    if let time = line.dropFirst().first, line.first == "lost" || line.first == "until" {
      let time = Timestamp(microseconds: try wordNumber(time))
      return [line.first == "lost" ? .lost(time) : .until(time)]
    }
    if let request = try ScaleRequest(words: line), line.count > 1 {
      return [.request(request, Timestamp(microseconds: try wordNumber(line[1])))]
    }
    let time = Timestamp(microseconds: try wordNumber(line.first ?? ""))
    let isUnfinished = line.last == "unfinished"
    var steps = try line.dropFirst().filter { $0 != "unfinished" }.map { word in
      Step.event(try event(word, at: time))
    }
    if !isUnfinished { steps.append(.event(InputEvent(time: time, code: .report, value: 0))) }
    return steps
  }

  private static func event(_ word: Substring, at time: Timestamp) throws -> InputEvent {
    if word == "dropped" { return InputEvent(time: time, code: .dropped, value: 0) }
    let (key, value) = try wordPair(word)
    guard let code = words[key] else {
      throw WordError(description: "\(key) is no word of a frame")
    }
    return InputEvent(time: time, code: code, value: try wordNumber(value))
  }
}

extension ScaleRequest {
  /// A request such as `tare 1000` or `target 1000 100 5`, in which the first number is the time.
  fileprivate init?(words: [Substring]) throws {
    let numbers = words.dropFirst(2)
    switch words.first {
    case "tare": self = .tare
    case "untare": self = .clearTare
    case "zero": self = .zero
    case "hold": self = .hold
    case "release": self = .release
    case "target":
      let (grams, tolerance) = (numbers.first ?? "", numbers.last ?? "")
      self = .aim(
        ScaleTarget(
          grams: try wordNumber(grams), tolerance: try wordNumber(tolerance)))
    case "count": self = .sample(pieces: try wordNumber(numbers.first ?? ""))
    default: return nil
    }
  }
}

extension Configuration {
  /// The configuration with fixed stages in place of the default ones, so that a test can state at which values they begin.
  var withFixedStages: Configuration {
    var other = self
    other.press.fixStages()
    for index in devices.indices { other.devices[index].press?.fixStages() }
    return other
  }
}

extension PressConfiguration {
  static var fixed: PressConfiguration { Configuration().withFixedStages.press }

  fileprivate mutating func fixStages() {
    let (usual, fixed) = (PressFeel.medium, PressFeel.fixed)
    if stages == usual.clickStages { stages = fixed.clickStages }
    if gramStages == usual.gramStages { gramStages = fixed.gramStages }
  }
}
