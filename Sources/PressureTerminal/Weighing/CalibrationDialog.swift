internal import Glibc
package import PressureClient
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// `pressured calibrate`: the dialog that creates a calibration.
///
///     select device ──▶ zero ──▶ weight ──▶ … ──▶ done ──▶ accept? ──▶ in force
///                        ▲         │ ▲  │            │
///                        └─ again ─┘ └──┘ rejected ──┘
///
/// The daemon discards the points when the connection is closed, and the calibration is in force only after the last
/// step: leaving the dialog earlier changes nothing.
package final class CalibrationDialog {
  /// The answer to a question for a weight.
  private enum Step {
    case weight(Double)
    case done
    /// Start over, without the points so far.
    case again
  }

  /// How long a weight has to be at rest before it is measured; the daemon averages the last second.
  static let restDuration = Duration.milliseconds(1500)

  /// How long a load lies there before its creep is measured.
  private static let creepDuration = Duration.seconds(60)

  /// How long no weight may be detected before a hint is printed.
  private static let hintDelay = Duration.seconds(5)

  /// The time limit for a weight if standard input is not interactive or has ended.
  private static let scriptTimeout = Duration.seconds(60)

  private let console: Console
  private let device: String?

  /// Whether to measure what one place and one moment do not show.
  private let isThorough: Bool

  /// The tolerance of the known weights in percent; nil for that of coins.
  private let weightsPercent: Double?
  private var load: LoadTracker?
  private var prompter: Prompter?
  private var list = DeviceList()
  private var isHintPrinted = false

  package init(
    device: String?, isThorough: Bool = false, weightsPercent: Double? = nil, on console: Console
  ) {
    self.device = device
    self.isThorough = isThorough
    self.weightsPercent = weightsPercent
    self.console = console
  }

  package func run(over connection: Connection) throws(ExitError) {
    let prompter = Prompter(connection, on: console) { [weak self] in self?.handle($0) }
    self.prompter = prompter
    // The daemon announces its devices before it replies.
    let answer = try prompter.send(.subscribe(events: [.weight, .scale], maximumRate: 20))
    guard answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
    try checkPermission(prompter)
    let selected = try selectDevice(prompter)
    load = LoadTracker(selected)
    for state in try prompter.result(of: .state(), as: [ReceivedState].self) {
      load?.update(with: state)
    }
    console.print(CalibrationText.greeting(selected))
    var fit: ReceivedCalibration
    repeat {
      try begin(on: selected, prompter)
      fit = try collect(on: selected, prompter)
      if isThorough { fit = try collectEvidence(after: fit, prompter) }
    } while !(try isAccepted(fit, prompter))
    let finished: ReceivedCalibration = try Prompter.decode(try step("finish", prompter).line)
    console.print(CalibrationText.done(isStored: finished.stored ?? true))
  }

  /// Fails before the first question if this user may not calibrate: cancels a calibration that has not begun, which
  /// has no effect but requires the same permission.
  private func checkPermission(_ prompter: Prompter) throws(ExitError) {
    guard let any = device ?? list.devices.first?.device.device else { return }
    let answer = try prompter.send(
      Request("calibrate", ["device": .text(any), "step": .text("cancel")]))
    guard let error = answer.reply.error, error.code == .notPermitted else { return }
    let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
    let variables = Environment.values(ConfigurationLocation.variables)
    var failure = ExitError(error)
    failure.sentences.append(
      "to permit it, add the line  control: { users: [\(user)] }  to "
        + "\(ConfigurationLocation.service(variables).path), and then: "
        + "sudo systemctl try-reload-or-restart pressured")
    throw failure
  }

  private func handle(_ event: ReceivedEvent) {
    if case .device(let device) = event { list.update(with: device) }
    load?.update(with: event)
  }

  private func ask(_ question: String, _ prompter: Prompter) throws(ExitError) -> String {
    while let answer = try prompter.ask(question, status: { load?.summary ?? "" }) {
      let word = answer.lowercased().filter { !$0.isWhitespace }
      switch word {
      case "q", "quit": throw quit()
      case "?", "help": console.print(CalibrationText.weights)
      default: return word
      }
    }
    throw ExitError(
      "the input ended before the calibration was finished; nothing has changed", .badData)
  }

  /// Ends the dialog at the user's request, with status 0.
  private func quit() -> ExitError {
    console.print("Nothing has changed: the previous calibration, if any, remains in force.")
    return .none
  }

  private func step(
    _ name: String, grams: Double? = nil, as condition: CalibrationPoint.Condition = .regular,
    _ prompter: Prompter
  ) throws(ExitError) -> (reply: ReceivedReply, line: [UInt8]) {
    var request = Request(
      "calibrate", ["device": .text(load?.device.device ?? ""), "step": .text(name)])
    request.arguments["grams"] = grams.map { .number($0) }
    if condition != .regular { request.arguments["condition"] = .text(condition.rawValue) }
    if name == "begin" { request.arguments["weights_percent"] = weightsPercent.map { .number($0) } }
    let answer = try prompter.send(request)
    // A rejected weight is asked for again.
    guard grams != nil || answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
    return answer
  }
}

// MARK: - Device selection

extension CalibrationDialog {
  private func selectDevice(_ prompter: Prompter) throws(ExitError) -> ReceivedDevice {
    let all = list.devices.map(\.device)
    if let device {
      if let named = all.first(where: { $0.device == device }) { return named }
      let names = all.isEmpty ? "none" : all.map(\.device).joined(separator: ", ")
      throw ExitError("the daemon reads no device \(device); it reads \(names)", .noInput)
    }
    let devices = all.filter { $0.capability == .force || $0.capability == .size }
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
      let answer = try ask("Which device? (1 to \(devices.count))", prompter)
      if let number = Int(answer), devices.indices.contains(number - 1) {
        return devices[number - 1]
      }
      console.print("That is not one of them.")
    }
  }
}

// MARK: - Zero and the weights

extension CalibrationDialog {
  private func begin(on selected: ReceivedDevice, _ prompter: Prompter) throws(ExitError) {
    while true {
      _ = try ask("Take everything off, and press Enter.", prompter)
      let answer = try step("begin", prompter)
      let begun: ReceivedCalibration = try Prompter.decode(answer.line)
      if begun.points.isEmpty {
        console.print(CalibrationText.foot)
        guard try ask("Does it stay? (yes or no)", prompter).hasPrefix("y") else { continue }
      } else if selected.capability != .force || selected.isPerContact {
        console.print("The surface is empty: that is zero.")
        return
      }
      if try measure(0, prompter) != nil { return }
    }
  }

  private func collect(
    on selected: ReceivedDevice, _ prompter: Prompter
  ) throws(ExitError) -> ReceivedCalibration {
    var latest: ReceivedCalibration?
    var count = 0
    while true {
      switch try nextStep(after: count, latest, prompter) {
      case .weight(let grams):
        guard let calibration = try measure(grams, prompter) else { continue }
        latest = calibration
        count = calibration.points.count { $0.grams > 0 }
      case .done:
        if let latest, latest.fit != nil { return latest }
      case .again:
        (latest, count) = (nil, 0)
        try begin(on: selected, prompter)
      }
    }
  }

  private func nextStep(
    after count: Int, _ latest: ReceivedCalibration?, _ prompter: Prompter
  ) throws(ExitError) -> Step {
    while true {
      let answer = try ask(CalibrationText.question(after: count), prompter)
      switch answer {
      case "", "done":
        if latest?.fit != nil { return .done }
        let reason = latest?.refusal ?? "at least two known weights are needed"
        console.print("Not yet: \(reason). Place another weight, or type again to start over.")
      case "again": return .again
      default:
        do throws(MassUnit.TextError) {
          let grams = try MassUnit.grams(of: answer)
          guard grams > 0 else { throw .invalid }
          return .weight(grams)
        } catch {
          console.print(CalibrationText.invalid(answer, error))
        }
      }
    }
  }

  private func isAccepted(
    _ calibration: ReceivedCalibration, _ prompter: Prompter
  ) throws(ExitError) -> Bool {
    console.print(CalibrationText.result(calibration, width: 60, isThorough: isThorough))
    while true {
      switch try ask("Put it in force? (yes, no, or again)", prompter) {
      case "y", "yes": return true
      case "n", "no": throw quit()
      case "again": return false
      default: break
      }
    }
  }
}

// MARK: - What one place and one moment do not show

extension CalibrationDialog {
  /// Measures the heaviest weight again, at the corners, after a minute, and a lighter one after it.
  private func collectEvidence(
    after calibration: ReceivedCalibration, _ prompter: Prompter
  ) throws(ExitError) -> ReceivedCalibration {
    var latest = calibration
    let weights = Set(calibration.points.map(\.grams)).filter { $0 > 0 }.sorted()
    guard let heaviest = weights.last, let lightest = weights.first else { return latest }
    console.print(CalibrationText.thorough(heaviest))
    for task in CalibrationText.tasks(heaviest: heaviest, lightest: lightest) {
      while !(try ask(task.question, prompter)).hasPrefix("s") {
        guard let measured = try measure(task.grams, as: task.condition, prompter) else { continue }
        latest = measured
        break
      }
    }
    return latest
  }
}

// MARK: - Measuring

extension CalibrationDialog {
  /// Waits for a load at rest and measures it; nil if the daemon rejects the point.
  private func measure(
    _ grams: Double, as condition: CalibrationPoint.Condition = .regular, _ prompter: Prompter
  ) throws(ExitError) -> ReceivedCalibration? {
    guard try waitForRest(grams, prompter) else { return nil }
    if condition == .minute { try waitForMinute(prompter) }
    let answer = try step("point", grams: grams, as: condition, prompter)
    guard answer.reply.isSuccess else {
      let error = answer.reply.error
      guard error?.code == .known(.failed) || error?.code == .known(.badArgument) else {
        throw ExitError(error)
      }
      console.print(CalibrationText.rejection(error?.message ?? ""))
      return nil
    }
    load?.markMeasured()
    let calibration: ReceivedCalibration = try Prompter.decode(answer.line)
    console.print(CalibrationText.point(grams, in: calibration))
    return calibration
  }

  /// Waits until the load is at rest; returns false if another answer was typed instead, or the reading decays.
  private func waitForRest(_ grams: Double, _ prompter: Prompter) throws(ExitError) -> Bool {
    let begun = SuspendingClock.now
    if !console.hasStatusLine { console.print("Measuring …") }
    while let load {
      let waited = begun.duration(to: .now)
      let hasTimedOut =
        (prompter.hasInputEnded || !console.hasStatusLine)
        && waited > CalibrationDialog.scriptTimeout
      if grams > 0, load.isEmpty || !load.isNew {
        console.setStatus("waiting for the weight: \(load.summary)")
        if waited > CalibrationDialog.hintDelay { printHint(load) }
        if hasTimedOut {
          throw ExitError("no weight was placed within a minute; nothing has changed", .timedOut)
        }
        if console.hasStatusLine, prompter.hasAnswer { return false }
      } else if load.isDecaying {
        console.print(CalibrationText.decaying)
        return false
      } else {
        let progress =
          max(load.steadySince, begun).duration(to: .now) / CalibrationDialog.restDuration
        guard progress < 1 else { return true }
        if hasTimedOut {
          throw ExitError(
            "the reading was not at rest within a minute (\(load.summary)); nothing has changed",
            .timedOut)
        }
        console.setStatus("\(CalibrationText.bar(progress))  \(load.summary)")
      }
      try prompter.wait()
    }
    return false
  }

  private func waitForMinute(_ prompter: Prompter) throws(ExitError) {
    let begun = SuspendingClock.now
    while let load {
      let left = CalibrationDialog.creepDuration - begun.duration(to: .now)
      guard left > .zero, !load.isEmpty else { return }
      console.setStatus("\(left.components.seconds + 1) s left: \(load.summary)")
      try prompter.wait()
    }
  }

  private func printHint(_ load: LoadTracker) {
    guard !isHintPrinted else { return }
    isHintPrinted = true
    console.print(load.isEmpty ? CalibrationText.notDetected : CalibrationText.unchanged)
  }
}
