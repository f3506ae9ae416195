internal import Glibc
package import PressureConnection
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// The questions that make a calibration, from the first to the last.
///
///     which device ──▶ bare ──▶ weight ──▶ … ──▶ done ──▶ keep it? ──▶ in force
///                       ▲         │ ▲  │          │
///                       └─ again ─┘ └──┘ refused ─┘
///
/// The daemon keeps the points for as long as the connection lasts, and puts nothing in force before the
/// last step: whoever goes away at any of them has changed nothing.
package final class CalibrationDialog {
  /// What has come of a question for a weight.
  private enum Step {
    /// A weight lies there.
    case weight(Double)
    /// There are enough of them.
    case done
    /// All points are to be forgotten.
    case again
  }

  /// How long a weight is to lie still before it is measured; the daemon takes the last second of it.
  static let span = Duration.milliseconds(1500)

  /// After how long without a touch somebody is told why that may be.
  private static let hintAfter = Duration.seconds(5)

  /// After how long without a touch a script is at its end, as nobody is there to be told.
  private static let patience = Duration.seconds(60)

  /// More devices than these are not remembered, as nobody has so many.
  private static let maxDevices = 64

  private let console: Console
  private let device: String?
  private var pan: LoadTracker?
  private var talk: Prompter?
  private var devices: [ReceivedDevice] = []
  private var isHintGiven = false

  package init(device: String?, on console: Console) {
    self.device = device
    self.console = console
  }

  /// Talks from the first question to the last.
  package func run(over connection: Connection) throws(ExitError) {
    let talk = Prompter(connection, on: console) { [weak self] in self?.hear($0) }
    self.talk = talk
    // Which devices there are is said before anything is asked.
    let events = ["weight", "scale"].map { RequestValue.text($0) }
    let granted = try talk.request("subscribe", ["events": .list(events), "max_hz": .integer(20)])
    guard granted.reply.isSuccess else { throw ExitError(granted.reply.error) }
    try askForRights(talk)
    let chosen = try choose(talk)
    pan = LoadTracker(chosen)
    for state in try talk.result(of: "state", as: [ReceivedState].self) { pan?.begin(with: state) }
    console.say(CalibrationText.greeting(chosen))
    var fit: ReceivedCalibration
    repeat {
      try begin(on: chosen, talk)
      fit = try collect(on: chosen, talk)
    } while !(try keeps(fit, talk))
    _ = try step("finish", talk)
    console.say("Done: it is in force from the next touch on, and kept.")
  }

  /// Ends before anything is asked of somebody who may not calibrate; to cancel what has not begun does nothing.
  private func askForRights(_ talk: Prompter) throws(ExitError) {
    guard let any = device ?? devices.first?.device else { return }
    let answer = try talk.request(
      "calibrate", ["device": .text(any), "step": .text("cancel")])
    guard let fault = answer.reply.error, fault.code == .notPermitted else { return }
    let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
    let variables = Environment.values(ConfigurationLocation.variables)
    var failure = ExitError(fault)
    failure.sentences.append(
      "to be among those, add the line  control: { users: [\(user)] }  to "
        + "\(ConfigurationLocation.service(variables).path), and then: "
        + "sudo systemctl reload pressured")
    throw failure
  }

  private func hear(_ event: ReceivedEvent) {
    if case .device(let device) = event, devices.count < CalibrationDialog.maxDevices {
      devices.append(device)
    }
    pan?.hear(event)
  }

  private func ask(_ question: String, _ talk: Prompter) throws(ExitError) -> String {
    while let answer = try talk.ask(question, live: { pan?.words ?? "" }) {
      let word = answer.lowercased().filter { !$0.isWhitespace }
      switch word {
      case "q", "quit": throw leave()
      case "?", "help": console.say(CalibrationText.weights)
      default: return word
      }
    }
    throw ExitError("the answers have ended before the calibration; nothing has changed", .badData)
  }

  /// Whoever has had enough has not failed.
  private func leave() -> ExitError {
    console.say("Nothing has changed: what was in force before still is.")
    return .none
  }

  private func step(
    _ name: String, grams: Double? = nil, _ talk: Prompter
  ) throws(ExitError) -> (reply: ReceivedReply, line: [UInt8]) {
    let device = RequestValue.text(pan?.device.device ?? "")
    guard let grams else {
      let answer = try talk.request("calibrate", ["device": device, "step": .text(name)])
      guard answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
      return answer
    }
    return try talk.request(
      "calibrate", ["device": device, "step": .text(name), "grams": .number(grams)])
  }
}

// MARK: - Which device

extension CalibrationDialog {
  private func choose(_ talk: Prompter) throws(ExitError) -> ReceivedDevice {
    if let device {
      guard let named = devices.first(where: { $0.device == device }) else {
        throw ExitError("the daemon reads no device \(device); it reads \(names)", .noInput)
      }
      return named
    }
    let devices = devices.filter { $0.capability == .force || $0.capability == .size }
    guard let first = devices.first else {
      throw ExitError(
        "the daemon reads no device that feels pressure; pressured devices says why, node by node",
        .noInput)
    }
    guard devices.count > 1 else { return first }
    for (index, device) in devices.enumerated() {
      console.say("  \(index + 1)  \(device.name)  (\(device.device))".onOneLine)
    }
    while true {
      let answer = try ask("Which of them? (1 to \(devices.count))", talk)
      if let number = Int(answer), devices.indices.contains(number - 1) {
        return devices[number - 1]
      }
      console.say("That is none of them.")
    }
  }

  private var names: String {
    devices.isEmpty ? "none" : devices.map(\.device).joined(separator: ", ")
  }
}

// MARK: - Zero and the weights

extension CalibrationDialog {
  private func begin(on chosen: ReceivedDevice, _ talk: Prompter) throws(ExitError) {
    while true {
      _ = try ask("Take everything off, and press Enter.", talk)
      let answer = try step("begin", talk)
      let begun: ReceivedCalibration = try Prompter.read(answer.line)
      if begun.points.isEmpty {
        console.say(CalibrationText.foot)
        guard try ask("Does it stay? (yes or no)", talk).hasPrefix("y") else { continue }
      } else if chosen.capability != .force || chosen.isPerContact {
        console.say("Nothing is there: that is zero.")
        return
      }
      if try measure(0, talk) != nil { return }
    }
  }

  private func collect(
    on chosen: ReceivedDevice, _ talk: Prompter
  ) throws(ExitError) -> ReceivedCalibration {
    var latest: ReceivedCalibration?
    var count = 0
    while true {
      switch try nextStep(after: count, latest, talk) {
      case .weight(let grams):
        guard let news = try measure(grams, talk) else { continue }
        latest = news
        count = news.points.count { $0.grams > 0 }
      case .done:
        if let latest, latest.fit != nil { return latest }
      case .again:
        (latest, count) = (nil, 0)
        try begin(on: chosen, talk)
      }
    }
  }

  private func nextStep(
    after count: Int, _ latest: ReceivedCalibration?, _ talk: Prompter
  ) throws(ExitError) -> Step {
    while true {
      let answer = try ask(CalibrationText.question(after: count), talk)
      switch answer {
      case "", "done":
        if latest?.fit != nil { return .done }
        let reason = latest?.refusal ?? "at least two known weights are needed"
        console.say("Not yet: \(reason). Lay another weight, or say again to begin anew.")
      case "again": return .again
      default:
        if let grams = MassUnit.grams(of: answer), grams > 0 { return .weight(grams) }
        console.say(CalibrationText.noWeight)
      }
    }
  }

  private func keeps(_ made: ReceivedCalibration, _ talk: Prompter) throws(ExitError) -> Bool {
    console.say(CalibrationText.verdict(of: made, width: 60))
    while true {
      switch try ask("Put it in force? (yes, no, or again)", talk) {
      case "y", "yes": return true
      case "n", "no":
        throw leave()
      case "again": return false
      default: break
      }
    }
  }
}

// MARK: - Measuring

extension CalibrationDialog {
  /// Waits for something to lie there still, and has it measured; nil where that is refused.
  private func measure(_ grams: Double, _ talk: Prompter) throws(ExitError) -> ReceivedCalibration?
  {
    guard try awaitRest(grams, talk) else { return nil }
    let answer = try step("point", grams: grams, talk)
    guard answer.reply.isSuccess else {
      let fault = answer.reply.error
      guard fault?.code == .known(.failed) || fault?.code == .known(.badArgument) else {
        throw ExitError(fault)
      }
      console.say(CalibrationText.refusal(fault?.message ?? ""))
      return nil
    }
    pan?.note()
    let news: ReceivedCalibration = try Prompter.read(answer.line)
    console.say(CalibrationText.point(grams, in: news))
    return news
  }

  /// False where somebody has typed something else instead of laying it there, or it fades.
  private func awaitRest(_ grams: Double, _ talk: Prompter) throws(ExitError) -> Bool {
    let begun = SuspendingClock.now
    if !console.isLive { console.say("Measuring …") }
    while let pan {
      let waited = begun.duration(to: .now)
      if grams > 0, pan.isEmpty || !pan.isOther {
        console.live("waiting for the weight: \(pan.words)")
        if waited > CalibrationDialog.hintAfter { giveHint(pan) }
        if talk.isInputOver || !console.isLive, waited > CalibrationDialog.patience {
          throw ExitError("no weight was laid on within a minute; nothing has changed", .timedOut)
        }
        if console.isLive, talk.hasAnswer { return false }
      } else if pan.isFading {
        console.say(CalibrationText.fading)
        return false
      } else {
        let rested = max(pan.since, begun).duration(to: .now) / CalibrationDialog.span
        guard rested < 1 else { return true }
        if talk.isInputOver || !console.isLive, waited > CalibrationDialog.patience {
          throw ExitError(
            "the reading has not come to rest within a minute (\(pan.words)); nothing has changed",
            .timedOut)
        }
        console.live("\(CalibrationText.bar(rested))  \(pan.words)")
      }
      try talk.wait()
    }
    return false
  }

  private func giveHint(_ pan: LoadTracker) {
    guard !isHintGiven else { return }
    isHintGiven = true
    console.say(pan.isEmpty ? CalibrationText.unfelt : CalibrationText.unchanged)
  }
}
