internal import PressureKit
internal import PressureProtocol

struct Panel: Equatable {
  struct Span: Equatable {
    var text: String
    var role = SurfaceDrawing.ColorRole.plain
  }

  typealias Line = [Span]

  private(set) var lines: [Line] = []

  private let width: Int
  private let hasBlankLines: Bool

  private static let minimumRowsForBlankLines = 28

  /// Lays out the state of a device in a number of columns and rows.
  ///
  /// Sections keep their positions while values change: contacts come last and fill the remaining rows.
  init(_ watched: WatchedDevice, width: Int, rows: Int) {
    self.width = width
    hasBlankLines = rows >= Panel.minimumRowsForBlankLines
    lines.append([Span(text: watched.device.name, role: .strong)])
    lines.append([Span(text: watched.device.device, role: .faint)])
    if hasBlankLines { lines.append([]) }
    addTotal(of: watched)
    addSection("SCALE", scaleLines(watched.scale, watched.device.isEstimate))
    addSection("PRESS", pressLines(watched))
    let capabilities = watched.device.capabilityTexts.flatMap { $0.wrapped(to: width) }
    let contactRows = max(min(watched.device.slots, Panel.maxContacts), 1)
    // Three sections follow, each with a heading and possibly a blank line.
    let rest = rows - lines.count - capabilities.count - (hasBlankLines ? 6 : 3)
    addSection("LAST PRESSES", lastPressLines(watched, rows: min(max(rest - contactRows, 1), 6)))
    // The capabilities are omitted if there are more contacts than rows below them.
    let below = rows - lines.count - 1
    let needsAllRows = watched.contacts.count > below - capabilities.count - (hasBlankLines ? 2 : 1)
    if !needsAllRows { addSection("DEVICE", capabilities.map { [Span(text: $0)] }) }
    guard lines.count + 1 < rows else { return }
    addSection("CONTACTS", Panel.contactLines(watched, width: width, rows: rows - lines.count - 1))
    while lines.last == [] { lines.removeLast() }
  }

  private static let maxContacts = 10

  private mutating func addSection(_ heading: String, _ content: [Line]) {
    lines.append([Span(text: heading, role: .faint)])
    lines += content
    if hasBlankLines { lines.append([]) }
  }

  // MARK: - Weights

  private mutating func addTotal(of watched: WatchedDevice) {
    let count = watched.contacts.count
    let contacts = count == 1 ? "1 contact" : "\(count) contacts"
    guard watched.device.weightSource != .none else {
      return addSection("TOTAL", [[Span(text: contacts)]])
    }
    let total = watched.totalGrams?.weight(
      decimals: 1, isSaturated: watched.contacts.contains(where: \.isSaturated),
      watched.device.isEstimate)
    let text = Span(text: total ?? "–", role: .strong)
    addSection("TOTAL", [[text, Span(text: "  \(contacts)", role: .faint)]])
  }

  private func scaleLines(_ scale: ReceivedScale?, _ isEstimate: Bool) -> [Line] {
    guard let scale else { return [[Span(text: "no reading yet", role: .faint)], []] }
    let text = scale.grams == nil ? "–" : scale.text(in: .grams, isEstimate: isEstimate)
    let isAtRest = scale.status == .stable || scale.status == .stableZero
    // Zero is not an estimate.
    let tare = "tare " + scale.tareGrams.weight(decimals: 1, isEstimate && scale.tareGrams != 0)
    let target = scale.target.map {
      ", target \($0.grams.text(decimals: 1)) g\($0.within ? " reached" : "")"
    }
    return [
      [Span(text: text, role: .strong)],
      [
        Span(text: "\(scale.advice.prefix { $0 != ":" })", role: isAtRest ? .press : .faint),
        Span(text: "  " + tare + (target ?? ""), role: .faint),
      ],
    ]
  }

  private static func contactLines(_ watched: WatchedDevice, width: Int, rows: Int) -> [Line] {
    let shown = watched.contacts.count > rows ? rows - 1 : rows
    var lines = watched.contacts.prefix(shown).map { contact in
      let role = watched.role(of: contact)
      let label = watched.label(of: contact).joined(separator: "  ")
      let number = String(contact.contact)
      let bar = max(width - number.columns - label.columns - 3, 0)
      return [
        Span(text: "\(number) ", role: .faint),
        Span(text: (contact.ratio ?? 0).bar(bar), role: role),
        Span(text: "  \(label)", role: role == .contact ? .plain : role),
      ]
    }
    let rest = watched.contacts.count - lines.count
    if rest > 0 { lines.append([Span(text: "… \(rest) more", role: .faint)]) }
    return lines
  }

  // MARK: - Presses

  private func pressLines(_ watched: WatchedDevice) -> [Line] {
    guard let press = watched.leadingPress?.latest else {
      return [[Span(text: "none", role: .faint)], []]
    }
    let isSimulated = press.simulated == true
    let role = isSimulated ? SurfaceDrawing.ColorRole.simulated : .press
    let maximum = press.state == .maximumReached ? ", maximum reached" : ""
    let target = press.target.map { ", on \($0)" } ?? ""
    let note = isSimulated ? ", simulated" : ""
    let ratio = press.ratio ?? 0
    return [
      [Span(text: "\(press.stage ?? "pressed")\(note)\(maximum)\(target)", role: role)],
      [Span(text: ratio.bar(width - 7), role: role), Span(text: " \(ratio.percent)", role: role)],
    ]
  }

  private func lastPressLines(_ watched: WatchedDevice, rows: Int) -> [Line] {
    guard !watched.lastPresses.isEmpty else {
      return [[Span(text: "none yet", role: .faint)]] + Array(repeating: [], count: rows - 1)
    }
    let lines = watched.lastPresses.prefix(rows).map { press -> Line in
      let seconds = (Double(press.duration) / 1_000_000).text(decimals: 1)
      let grams = press.grams.map {
        "  " + $0.weight(decimals: 0, isSaturated: press.isSaturated, watched.device.isEstimate)
      }
      let isSimulated = press.latest.simulated == true
      let isCancelled = press.latest.state == .cancelled
      let note = isCancelled ? "  cancelled" : isSimulated ? "  simulated" : ""
      return [
        Span(text: press.stage, role: isSimulated ? .simulated : .press),
        Span(text: "  \(press.ratio.percent)\(grams ?? "")  \(seconds) s\(note)"),
      ]
    }
    return lines + Array(repeating: [], count: rows - lines.count)
  }
}

extension ReceivedDevice {
  var capabilityTexts: [String] {
    var texts: [String] = []
    if case .known(let capability) = capability {
      let simulation = simulatesPress ? "; presses are simulated" : ""
      let sharing = isPerContact ? "" : " One sensor for all contacts."
      texts.append("It \(capability.meaning)\(simulation).\(sharing)")
    }
    if case .known(let source) = weightSource, source != .none {
      texts.append("Grams are \(source.meaning).")
    }
    return texts + (sizeMillimeters == nil ? ["Its size is unknown."] : [])
  }
}

extension Double {
  /// A bar of a number of columns, filled in proportion to a value of 0…1 with the resolution of 1/8 column.
  fileprivate func bar(_ columns: Int) -> String {
    let eighths = Int((clamped(to: 0...1) * Double(columns * 8)).rounded())
    let (whole, part) = eighths.quotientAndRemainder(dividingBy: 8)
    let end = part > 0 ? String(Array(" ▏▎▍▌▋▊▉")[part]) : ""
    let filled = String(repeating: "█", count: whole) + end
    return filled + .blanks(columns - filled.columns)
  }

  /// The nearest number in a range; its lower bound for NaN.
  func clamped(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }

  /// The number as a weight: `≈ 385+ g` is an estimate, and may be more as the sensor is saturated.
  func weight(decimals: Int, isSaturated: Bool = false, _ isEstimate: Bool) -> String {
    "\(text(decimals: decimals))\(isSaturated ? "+" : "") g".estimated(isEstimate)
  }

  var percent: String { "\((self * 100).text(decimals: 0)) %" }
}
