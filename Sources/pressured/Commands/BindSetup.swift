internal import Glibc
internal import PressureDesktop
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// What a hard press can be set to do by a word; commands, regions and several fingers are written into the file by hand.
struct HardPress {
  let word: String
  private let key: String

  static let all = [
    HardPress(word: "middle-click", key: "BTN_MIDDLE"),
    HardPress(word: "right-click", key: "BTN_RIGHT"),
    HardPress(word: "back", key: "BTN_SIDE"), HardPress(word: "forward", key: "BTN_EXTRA"),
  ]

  /// The content of the bindings' file.
  var bindings: String {
    """
    # Written by pressured bind --init \(word); force-click.md describes what else can be bound.
    bindings:
      - on: { press: deep }
        press_key: \(key)

    """
  }

  static var list: String { all.map(\.word).joined(separator: ", ") }
}

/// Sets up a hard press in one step: writes the bindings, starts the service of the user, and names what is missing.
struct BindSetup {
  let file: String
  let socket: SocketOptions

  /// The choice of a word, or of the answer to a question if there is none.
  static func choice(_ word: String) throws(ExitError) -> HardPress {
    var answer = word
    if word.isEmpty {
      print("What should a hard press do?")
      for (index, each) in HardPress.all.enumerated() { print("  \(index + 1)  \(each.word)") }
      answer = readLine() ?? ""
      if let number = Int(answer), HardPress.all.indices.contains(number - 1) {
        return HardPress.all[number - 1]
      }
    }
    guard let choice = HardPress.all.first(where: { $0.word == answer }) else {
      throw ExitError(
        "--init knows \(HardPress.list), not \(answer.isEmpty ? "an empty answer" : answer); "
          + "for commands write the bindings as force-click.md describes", .usage)
    }
    return choice
  }

  /// `asks` unless the choice was made by a word.
  func run(_ choice: HardPress, asks: Bool) throws(ExitError) {
    try write(choice)
    let unit = "pressured-bind.service"
    let hasStarted = ["enable", "restart"].allSatisfy {
      UnitFinding.run(["systemctl", "--user", $0, unit]) != nil
    }
    print(
      hasStarted
        ? "\(unit) is enabled and running"
        : "\(unit) cannot be started; start pressured bind with your session")
    let daemon = DaemonFinding(of: socket.path, onlyDevices: true)
    let pulse = pulse(daemon.received.filter { $0.pressure != nil }, asks)
    let missing = missing(daemon, with: pulse)
    for sentence in missing { Log.info("missing: \(sentence)") }
    let effect = "a hard press is a \(choice.word)"
    print(missing.isEmpty ? "Done: \(effect)." : "Then \(effect).")
  }

  /// Writes the file, unless it has other bindings than those that this program wrote.
  private func write(_ choice: HardPress) throws(ExitError) {
    let written = HardPress.all.map {
      try? BindingsFile.read(text: Array($0.bindings.utf8), name: file)
    }
    var present: Bindings?
    do throws(ConfigurationErrors) {
      present = try BindingsFile.read(path: file)
    } catch {
      guard case .missing = error else { throw error.exitError }
    }
    guard present == nil || written.contains(present) else {
      throw ExitError("\(file) has other bindings; edit it, or remove it first", .cannotCreate)
    }
    try SystemError.orExit(
      .cannotCreate, try AtomicFile.write(Array(choice.bindings.utf8), to: file))
    print("wrote \(file)")
  }

  /// Whether a hard press is to play a pulse and does not yet; asks, or prints what is possible.
  private func pulse(_ pads: [ReceivedDevice], _ asks: Bool) -> Bool {
    guard !pads.isEmpty, !pads.contains(where: \.haptics) else { return false }
    guard pads.contains(where: { $0.verdict?.trigger == .known(.host) }) else {
      print("no pulse at a hard press: the kernel offers no effects of this pad")
      return false
    }
    guard asks else {
      print("for a pulse at a hard press run: sudo pressured bind --allow-pulses")
      return false
    }
    print("Play a pulse at a hard press? [y/N] ", terminator: "")
    fflush(nil)
    return ["y", "yes"].contains(readLine()?.lowercased())
  }

  /// What keeps a hard press from having its effect, each with the next step.
  private func missing(_ daemon: DaemonFinding, with pulse: Bool) -> [String] {
    var sentences: [String] = []
    let number = UinputAccess.obstacle()
    let more = pulse ? " --allow-pulses" : ""
    if number != 0 {
      let error = SystemError(attempt: "open /dev/uinput", number: number).sentence
      sentences.append(UinputAccess.advice(for: number).map { $0 + more } ?? error)
    } else if pulse {
      sentences.append("pulses; run: sudo pressured bind\(more)")
    }
    if daemon.path == nil {
      sentences.append("a daemon that serves you: pressured doctor shows the reason")
    } else if !daemon.received.contains(where: { $0.pressure != nil }) {
      sentences.append("a device that measures pressure: pressured devices lists what there is")
    }
    return sentences
  }
}
