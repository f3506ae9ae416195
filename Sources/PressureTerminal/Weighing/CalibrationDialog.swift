package import PressureClient
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// `pressured calibrate`: the dialog that creates a calibration, and checks it.
///
///     select device ──▶ zero ──▶ weight ──▶ … ──▶ done ──▶ accept? ──▶ in force ──▶ checks
///                        ▲         │ ▲  │            │
///                        └─ again ─┘ └──┘ drop ──────┘
///
/// The daemon discards the points when the connection is closed, and the calibration is in effect only after it was
/// accepted: leaving the dialog earlier changes nothing.
package final class CalibrationDialog {
  /// How long a weight has to be at rest before it is measured, in microseconds; the daemon averages the last second.
  private static let restDuration: Int64 = 1_500_000

  /// How long no weight may be detected before a hint is printed, in microseconds.
  private static let hintDelay: Int64 = 5_000_000

  /// The time limit in microseconds for a weight if standard input is not interactive or has ended.
  private static let scriptTimeout: Int64 = 60_000_000

  private let prompter: Prompter
  private var console: Console { prompter.console }
  private let device: String?

  /// The tolerance of the known weights in percent; nil for that of coins.
  private let weightsPercent: Double?
  private var load: LoadTracker?
  private var list = DeviceList()
  private var isHintPrinted = false

  /// Whether the calibration is in effect, so that the dialog may end at any question.
  private var isFinished = false

  package init(device: String?, weightsPercent: Double?, over connection: Connection) {
    self.device = device
    self.weightsPercent = weightsPercent
    prompter = Prompter(connection)
  }

  package func run() throws(ExitError) {
    let selected = try start(\.measuresPressure)
    console.print(CalibrationText.greeting(selected))
    var fit: ReceivedCalibration
    repeat {
      try begin()
      fit = try collect()
    } while !(try isAccepted(fit))
    let finished = try prompter.result(of: request("finish"), as: ReceivedCalibration.self)
    console.print(CalibrationText.done(isStored: finished.stored ?? true))
    isFinished = true
    try collectChecks()
  }

  /// Compares a known weight with the current calibration: `pressured calibrate --check`.
  ///
  /// Nil takes the last check back.
  package func check(_ grams: Double?) throws(ExitError) {
    isFinished = true
    let device = try start { $0.weightSource == .calibrated }
    guard device.weightSource == .calibrated else {
      throw ExitError(
        "\(device.device) is not calibrated; calibrate it with pressured calibrate", .noInput)
    }
    if let grams, !(try waitForRest(grams)) { return }
    let step = request(grams == nil ? "drop" : "check", grams)
    let checked = try prompter.result(of: step, as: ReceivedCalibration.self)
    console.print(CalibrationText.checked(checked))
  }

  /// Subscribes, and selects the device: of several, one that is suitable.
  private func start(_ isSuitable: (ReceivedDevice) -> Bool) throws(ExitError) -> ReceivedDevice {
    prompter.handler = { [weak self] in self?.update(with: $0) }
    // The daemon announces its devices before it replies.
    let answer = try prompter.send(.subscribe(events: [.weight, .scale], maximumRate: 20))
    guard answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
    try checkPermission()
    let selected = try selectDevice(isSuitable)
    for state in try prompter.result(of: .state(), as: [ReceivedState].self) {
      list[state.device]?.update(with: state)
    }
    load = LoadTracker(list[selected.device] ?? WatchedDevice(device: selected))
    return selected
  }

  private func update(with event: ReceivedEvent) {
    list.update(with: event)
    if let watched = list[load?.device.device] { load?.update(with: watched) }
  }

  /// Fails before the first question if this user may not calibrate: cancels a calibration that has not begun, which
  /// has no effect but requires the same permission.
  private func checkPermission() throws(ExitError) {
    guard let any = device ?? list.devices.first?.device.device else { return }
    let answer = try prompter.send(.calibrate(any, step: "cancel"))
    guard let error = answer.reply.error, error.code == .notPermitted else { return }
    var failure = ExitError(error)
    failure.sentences.append(ConfigurationLocation.controlAdvice)
    throw failure
  }

  private func ask(_ question: String) throws(ExitError) -> String {
    while let answer = try prompter.ask(question, status: { load?.summary ?? "" }) {
      let word = answer.lowercased().filter { !$0.isWhitespace }
      switch word {
      case "q", "quit": throw quit()
      case "?", "help": console.print(CalibrationText.weights)
      default: return word
      }
    }
    guard !isFinished else { throw .none }
    throw ExitError(
      "the input ended before the calibration was finished; nothing has changed", .badData)
  }

  private func quit() -> ExitError {
    if !isFinished {
      console.print("Nothing has changed: the previous calibration, if any, is still used.")
    }
    return .none
  }

  private func request(_ step: String, _ grams: Double? = nil) -> Request {
    var request = Request.calibrate(load?.device.device ?? "", step: step, grams: grams)
    let hasTolerance = ["begin", "check"].contains(step)
    request.arguments["weights_percent"] = hasTolerance ? weightsPercent.map { .number($0) } : nil
    return request
  }

  // MARK: - Device selection

  private func selectDevice(
    _ isSuitable: (ReceivedDevice) -> Bool
  ) throws(ExitError) -> ReceivedDevice {
    let all = list.devices.map(\.device)
    if let device {
      if let named = all.first(where: { $0.device == device }) { return named }
      let names = all.isEmpty ? "none" : all.map(\.device).joined(separator: ", ")
      throw ExitError("the daemon reads no device \(device); it reads \(names)", .noInput)
    }
    let suitable = all.filter(isSuitable)
    let devices = suitable.isEmpty ? all.filter(\.measuresPressure) : suitable
    guard let first = devices.first else {
      throw ExitError(
        "the daemon reads no device that measures pressure; pressured devices lists the reasons",
        .noInput)
    }
    guard devices.count > 1 else { return first }
    for (index, device) in devices.enumerated() {
      console.print("  \(index + 1)  \(device.name)  (\(device.device))".onOneLine)
    }
    while true {
      let answer = try ask("Which device? (1 to \(devices.count))")
      if let number = Int(answer), (1...devices.count).contains(number) {
        return devices[number - 1]
      }
      console.print("That is not one of them.")
    }
  }

  // MARK: - Zero and the weights

  private func begin() throws(ExitError) {
    while true {
      _ = try ask("Take everything off, and press Enter.")
      let begun = try prompter.result(of: request("begin"), as: ReceivedCalibration.self)
      if begun.points.isEmpty {
        console.print(CalibrationText.notEmpty)
        guard try ask("Does it stay? (yes or no)").hasPrefix("y") else { continue }
      } else if let device = load?.device, device.capability != .force || device.isPerContact {
        console.print("The surface is empty: that is zero.")
        return
      }
      if try measure(0) != nil { return }
    }
  }

  private func collect() throws(ExitError) -> ReceivedCalibration {
    var latest: ReceivedCalibration?
    while true {
      let count = latest?.points.count { $0.grams > 0 } ?? 0
      let answer = try ask(CalibrationText.question(after: count))
      switch answer {
      case "", "done":
        if let latest, latest.fit != nil { return latest }
        let reason = latest?.refusal ?? "at least two known weights are needed"
        console.print(
          "Not yet: \(reason). Place another weight, drop the last one, or type again to start over."
        )
      case "again":
        latest = nil
        try begin()
      case _ where answer.hasPrefix("drop"):
        // The last point, or the last one of this weight.
        let grams = answer == "drop" ? nil : weight(String(answer.dropFirst(4)))
        guard answer == "drop" || grams != nil,
          let rest = try send(request("drop", grams), refusal: "Not removed")
        else { continue }
        latest = rest
        console.print(CalibrationText.dropped(rest))
      default:
        guard let grams = weight(answer), let measured = try measure(grams) else { continue }
        latest = measured
      }
    }
  }

  /// The weight in grams, or nil if it is none, which is then explained.
  private func weight(_ answer: String) -> Double? {
    do throws(MassUnit.TextError) {
      let grams = try MassUnit.grams(of: answer)
      guard grams > 0 else { throw .invalid }
      return grams
    } catch {
      console.print(CalibrationText.invalid(answer, error))
      return nil
    }
  }

  private func isAccepted(_ calibration: ReceivedCalibration) throws(ExitError) -> Bool {
    console.print(CalibrationText.result(calibration, width: 60))
    while true {
      switch try ask("Use it? (yes, no, or again)") {
      case "y", "yes": return true
      case "n", "no": throw quit()
      case "again": return false
      default: break
      }
    }
  }

  // MARK: - Checks

  private static let checkCount = 3

  private func collectChecks() throws(ExitError) {
    guard !prompter.hasInputEnded else { return }
    console.print(CalibrationText.checks)
    var count = 0
    while count < CalibrationDialog.checkCount {
      let number = "\(count + 1) of \(CalibrationDialog.checkCount)"
      let answer = try ask("Check \(number): what does it weigh? (a weight, undo, or done)")
      switch answer {
      case "", "done": return
      case "undo":
        if let rest = try send(request("drop"), refusal: "Not taken back") {
          console.print(CalibrationText.checked(rest))
          count = max(count - 1, 0)
        }
      default:
        if let grams = weight(answer), try measure(grams, as: "check") != nil { count += 1 }
      }
    }
  }

  // MARK: - Measuring

  /// Waits for a load at rest, and measures it as a point or a check; nil if the daemon rejects that.
  private func measure(
    _ grams: Double, as step: String = "point"
  ) throws(ExitError) -> ReceivedCalibration? {
    guard try waitForRest(grams),
      let calibration = try send(request(step, grams), refusal: "Not measured")
    else { return nil }
    load?.markMeasured()
    let text =
      step == "check"
      ? CalibrationText.checked(calibration) : CalibrationText.point(grams, in: calibration)
    console.print(text)
    return calibration
  }

  /// Sends a step; nil if the daemon refuses it for a reason that the person can mend.
  private func send(_ request: Request, refusal: String) throws(ExitError) -> ReceivedCalibration? {
    let answer = try prompter.send(request)
    if answer.reply.isSuccess { return try Prompter.decode(answer.line) }
    let error = answer.reply.error
    guard error?.code == .known(.failed) || error?.code == .known(.badArgument) else {
      throw ExitError(error)
    }
    console.print("\(refusal): \(error?.message ?? "").")
    return nil
  }

  /// Waits until the load is at rest; returns false if another answer was typed instead, or the reading decays.
  private func waitForRest(_ grams: Double) throws(ExitError) -> Bool {
    let begun = Timestamp.now
    if !console.hasStatusLine { console.print("Measuring …") }
    while let load {
      let waited = Timestamp.now.microseconds(since: begun)
      if waited > CalibrationDialog.scriptTimeout,
        prompter.hasInputEnded || !console.hasStatusLine
      {
        throw ExitError(
          "no load was at rest within a minute (\(load.summary)); nothing has changed", .timedOut)
      }
      if grams > 0, load.isEmpty || !load.isNew {
        console.setStatus("waiting for the weight: \(load.summary)")
        if waited > CalibrationDialog.hintDelay, !isHintPrinted {
          isHintPrinted = true
          console.print(load.isEmpty ? CalibrationText.notDetected : CalibrationText.unchanged)
        }
        if console.hasStatusLine, !prompter.answers.isEmpty { return false }
      } else if load.isDecaying {
        console.print(CalibrationText.decaying)
        return false
      } else {
        let rested = Timestamp.now.microseconds(since: max(load.steadySince, begun))
        guard rested < CalibrationDialog.restDuration else { return true }
        let filled = Int(20 * rested / CalibrationDialog.restDuration)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
        console.setStatus("[\(bar)]  \(load.summary)")
      }
      try prompter.wait()
    }
    return false
  }
}

/// The load on a device, and since when it has been steady.
struct LoadTracker {
  /// The minimum change for a new load, as a fraction of the range.
  private static let minimumChange = 0.01

  /// The tolerance for a steady load, as a fraction of the range; above the noise of sensors.
  private static let steadyTolerance = 0.08

  private var watched: WatchedDevice

  /// Since when the contacts are the same and the reading is steady.
  private(set) var steadySince = Timestamp.now

  /// The device at that time, and when the load was measured.
  private var reference: WatchedDevice
  private var measured: WatchedDevice?

  init(_ watched: WatchedDevice) { (self.watched, reference) = (watched, watched) }

  var device: ReceivedDevice { watched.device }
  var isEmpty: Bool { watched.contacts.isEmpty }

  /// Whether the reading decays because the surface does not treat the load as a finger.
  var isDecaying: Bool { watched.scale?.isDecaying == true }

  var isNew: Bool { measured.map { differs(from: $0, by: LoadTracker.minimumChange) } ?? true }

  mutating func markMeasured() { measured = watched }

  mutating func update(with watched: WatchedDevice) {
    self.watched = watched
    if differs(from: reference, by: LoadTracker.steadyTolerance) {
      (reference, steadySince) = (watched, Timestamp.now)
    }
  }

  /// Whether the contacts are others, or the reading of the first one, or of a sensor that all share, is another.
  private func differs(from other: WatchedDevice, by tolerance: Double) -> Bool {
    guard watched.contacts.map(\.contact) == other.contacts.map(\.contact) else { return true }
    let ratios = (watched.contacts.first?.ratio, other.contacts.first?.ratio)
    guard let ratio = ratios.0, let before = ratios.1 else { return ratios.0 != ratios.1 }
    return (ratio - before).magnitude > tolerance
  }

  var summary: String {
    if isEmpty { return "no contact detected" }
    let contacts = watched.contacts
    guard let ratio = contacts.first?.ratio, contacts.count == 1 || !device.isPerContact else {
      return "\(contacts.count) contacts detected"
    }
    let weight = watched.totalGrams.map {
      ", " + "\(MassUnit.grams.text($0)) g".estimated(device.isEstimate)
    }
    return "reading \((ratio * 100).shortDescription(decimals: 1)) % of its range\(weight ?? "")"
  }
}
