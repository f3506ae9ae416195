internal import PressureConnection
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// What is said beside the picture: lines of words, each with its ink.
struct Panel: Equatable {
  /// Some words of a line.
  struct Words: Equatable {
    var text: String
    var ink = SurfaceDrawing.ColorRole.plain
  }

  typealias Line = [Words]

  private(set) var lines: [Line] = []

  private let width: Int

  /// Whether there is room for lines that say nothing.
  private let isAiry: Bool

  /// Rows from which on there is.
  private static let airyFrom = 28

  /// Puts together what is known of a device, in so many columns and rows.
  ///
  /// What changes keeps its place: contacts come last, and have the room that is left.
  init(_ watched: WatchedDevice, width: Int, rows: Int) {
    self.width = width
    isAiry = rows >= Panel.airyFrom
    say(watched.device.name, .strong)
    say(watched.device.device, .faint)
    if isAiry { lines.append([]) }
    total(of: watched)
    section("SCALE", scale(of: watched.scale, watched.device.isEstimate))
    section("PRESS", press(of: watched))
    let abilities = watched.device.abilities.flatMap { $0.wrapped(to: width) }
    let wanted = max(min(watched.device.slots, Panel.maxContacts), 1)
    // What follows has three headings, each with an empty line where there is room for it.
    let left = rows - lines.count - abilities.count - (isAiry ? 6 : 3)
    let room = left - wanted
    section(
      "LAST PRESSES",
      past(watched.lastPresses, watched.device.isEstimate, room: min(max(room, 1), 6)))
    // What a device can do gives way to more contacts than would have room below it.
    let below = rows - lines.count - 1
    let takesAll = watched.contacts.count > below - abilities.count - (isAiry ? 2 : 1)
    if !takesAll { section("DEVICE", abilities.map { [Words(text: $0)] }) }
    guard lines.count + 1 < rows else { return }
    let contacts = rows - lines.count - 1
    section("CONTACTS", Panel.contacts(of: watched, width: width, room: contacts))
    while lines.last == [] { lines.removeLast() }
  }

  private static let maxContacts = 10

  private mutating func say(_ text: String, _ ink: SurfaceDrawing.ColorRole) {
    lines.append([Words(text: text, ink: ink)])
  }

  private mutating func section(_ heading: String, _ content: [Line]) {
    say(heading, .faint)
    lines += content
    if isAiry { lines.append([]) }
  }
}

// MARK: - Weights

extension Panel {
  private mutating func total(of watched: WatchedDevice) {
    let count = watched.contacts.count
    let contacts = count == 1 ? "1 contact" : "\(count) contacts"
    guard let grams = watched.totalGrams else { return section("TOTAL", [[Words(text: contacts)]]) }
    let more = watched.contacts.contains(where: \.isSaturated) ? "+" : ""
    let text = "\(grams.text(decimals: 1))\(more) g".estimated(watched.device.isEstimate)
    section(
      "TOTAL", [[Words(text: text, ink: .strong), Words(text: "  \(contacts)", ink: .faint)]])
  }

  private func scale(of scale: ReceivedScale?, _ isEstimate: Bool) -> [Line] {
    guard let scale else { return [[Words(text: "not read yet", ink: .faint)], []] }
    let grams = scale.grams.map { "\($0.text(decimals: 1)) g".estimated(isEstimate) } ?? "—"
    let error = scale.errorGrams.map { " ± \($0.text(decimals: 1))" } ?? ""
    let held = scale.isHeld ? "held, " : scale.isDecaying ? "decaying, " : ""
    let isTared = scale.tareGrams != 0
    let tare = "tare " + "\(scale.tareGrams.text(decimals: 1)) g".estimated(isEstimate && isTared)
    let target = scale.target.map {
      ", target \($0.grams.text(decimals: 1)) g\($0.within ? " reached" : "")"
    }
    return [
      [
        Words(text: grams + error, ink: .strong),
        Words(text: "  \(held)\(scale.words)", ink: scale.isAtRest ? .press : .faint),
      ],
      [Words(text: tare + (target ?? ""), ink: .faint)],
    ]
  }

  /// One line for each: its number, a bar, percent and grams.
  private static func contacts(of watched: WatchedDevice, width: Int, room: Int) -> [Line] {
    let shown = watched.contacts.count > room ? room - 1 : room
    var lines = watched.contacts.prefix(shown).map { contact in
      let ink = watched.ink(of: contact)
      let words = watched.label(of: contact).joined(separator: "  ")
      let number = String(contact.contact)
      let bar = max(width - number.columns - words.columns - 3, 0)
      return [
        Words(text: "\(number) ", ink: .faint), Words(text: contact.ratio.bar(bar), ink: ink),
        Words(text: "  \(words)", ink: ink == .usual ? .plain : ink),
      ]
    }
    let rest = watched.contacts.count - lines.count
    if rest > 0 { lines.append([Words(text: "… \(rest) more", ink: .faint)]) }
    return lines
  }
}

// MARK: - Presses

extension Panel {
  private func press(of watched: WatchedDevice) -> [Line] {
    guard let press = watched.leadingPress?.latest else {
      return [[Words(text: "none", ink: .faint)], []]
    }
    let isSimulated = press.simulated == true
    let ink = isSimulated ? SurfaceDrawing.ColorRole.simulated : .press
    let fixed = press.state == .maximumReached ? ", to the full" : ""
    let target = press.target.map { ", on \($0)" } ?? ""
    let note = isSimulated ? ", simulated" : ""
    let ratio = press.ratio ?? 0
    return [
      [Words(text: "\(press.stage ?? "pressed")\(note)\(fixed)\(target)", ink: ink)],
      [Words(text: ratio.bar(width - 7), ink: ink), Words(text: " \(ratio.percent)", ink: ink)],
    ]
  }

  private func past(
    _ presses: [WatchedDevice.PastPress], _ isEstimate: Bool, room: Int
  ) -> [Line] {
    guard !presses.isEmpty else {
      return [[Words(text: "none yet", ink: .faint)]] + Array(repeating: [], count: room - 1)
    }
    let lines = presses.prefix(room).map { press -> Line in
      let seconds = (Double(press.duration) / 1_000_000).text(decimals: 1)
      let more = press.isSaturated ? "+" : ""
      let grams =
        press.grams.map { "  " + "\($0.text(decimals: 0))\(more) g".estimated(isEstimate) } ?? ""
      let note = press.isCancelled ? "  cancelled" : press.isSimulated ? "  simulated" : ""
      return [
        Words(text: press.stage, ink: press.isSimulated ? .simulated : .press),
        Words(text: "  \(press.ratio.percent)\(grams)  \(seconds) s\(note)"),
      ]
    }
    return lines + Array(repeating: [], count: room - lines.count)
  }
}

extension Double {
  /// A bar of so many columns that is filled up to a part, to an eighth of a column.
  fileprivate func bar(_ columns: Int) -> String {
    let eighths = Int((clamped(to: 0...1) * Double(columns * 8)).rounded())
    let (whole, part) = eighths.quotientAndRemainder(dividingBy: 8)
    let end = part > 0 ? String(Array(" ▏▎▍▌▋▊▉")[part]) : ""
    let filled = String(repeating: "█", count: whole) + end
    return filled + String(repeating: " ", count: Swift.max(columns - filled.columns, 0))
  }
}

extension String {
  /// The text in lines of so many columns at most, cut between words where there are any.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ") {
      if let last = lines.last, last.columns + 1 + word.columns <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension ReceivedScale {
  /// Its status for people.
  package var words: String {
    switch status {
    case .known(.fault): "cannot weigh"
    case .known(.stableZero): "zero"
    case .known(.inMotion): "in motion"
    case .known(.stable): "at rest"
    case .known(.underZero): "under zero"
    case .known(.overWeight): "too heavy"
    case .known(.calibrationNeeded): "not calibrated"
    case .known(.rezeroNeeded): "zero has drifted"
    case .unknown: "something new"
    }
  }

  var isAtRest: Bool { status == .stable || status == .stableZero }
}

extension ReceivedDevice {
  /// What it can do, in honest words, a sentence each.
  var abilities: [String] {
    [meaning, source].compactMap(\.self)
      + (sizeMillimeters == nil ? ["It does not say how large it is."] : [])
  }

  private var meaning: String {
    let sharing = isPerContact ? "" : " One sensor for all contacts."
    return switch capability {
    case .known(.force): "It feels force.\(sharing)"
    case .known(.size): "It feels how large a contact is, not force.\(sharing)"
    case .known(.broken): "Its axis of pressure says nothing."
    case .known(.none):
      simulatesPress ? "It feels no pressure; presses are simulated." : "It feels no pressure."
    case .unknown: "It feels something new."
    }
  }

  private var source: String? {
    switch weightSource {
    case .known(.calibrated): "Grams are calibrated by weights."
    case .known(.kernel): "Grams are the kernel's."
    case .known(.nominal): "Grams are an estimate."
    case .known(.none), .unknown: nil
    }
  }
}

extension Double {
  /// The number with exactly so many decimals, 0 or 1, as a label that does not jump.
  package func text(decimals: Int) -> String {
    guard magnitude < 1e12 else { return "?" }
    let scale = decimals > 0 ? 10.0 : 1
    let rounded = Int64((self * scale).rounded())
    guard decimals > 0 else { return String(rounded) }
    let sign = rounded < 0 ? "-" : ""
    return "\(sign)\(rounded.magnitude / 10).\(rounded.magnitude % 10)"
  }

  /// The nearest number of a range; its lower end for what is no number.
  func clamped(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }

  /// A part as percent.
  var percent: String { "\((self * 100).text(decimals: 0)) %" }
}
