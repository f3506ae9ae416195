internal import Glibc
internal import PressureClient
internal import PressureDesktop
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// What a hard press can be set to do by a word; commands, regions and several fingers are written into the file by hand.
enum HardPress: String, CaseIterable {
  case middleClick = "middle-click"
  case rightClick = "right-click"
  case back
  case forward

  private var key: String {
    switch self {
    case .middleClick: "BTN_MIDDLE"
    case .rightClick: "BTN_RIGHT"
    case .back: "BTN_SIDE"
    case .forward: "BTN_EXTRA"
    }
  }

  /// The content of the bindings' file.
  var bindings: String {
    """
    # Written by pressured bind --init \(rawValue); force-click.md describes what else can be bound.
    bindings:
      - on: { press: deep }
        press_key: \(key)

    """
  }

  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
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
      for (index, each) in HardPress.allCases.enumerated() {
        print("  \(index + 1)  \(each.rawValue)")
      }
      answer = readLine() ?? ""
      if let number = Int(answer), HardPress.allCases.indices.contains(number - 1) {
        return HardPress.allCases[number - 1]
      }
    }
    guard let choice = HardPress(rawValue: answer) else {
      throw ExitError(
        "--init knows \(HardPress.list), not \(answer.isEmpty ? "an empty answer" : answer); "
          + "for commands write the bindings as force-click.md describes", .usage)
    }
    return choice
  }

  func run(_ choice: HardPress) throws(ExitError) {
    try write(choice)
    startService()
    let missing = missing
    for sentence in missing { Log.info("missing: \(sentence)") }
    let effect = "a hard press is a \(choice.rawValue)"
    print(missing.isEmpty ? "Done: \(effect)." : "Then \(effect).")
  }

  /// Writes the file, unless it has other bindings than those that this program wrote.
  private func write(_ choice: HardPress) throws(ExitError) {
    let written = HardPress.allCases.map {
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
    let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    for end in folder.indices where folder[end] == "/" { mkdir(String(folder[..<end]), 0o700) }
    mkdir(folder, 0o700)
    let descriptor = Descriptor(open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
    let error =
      descriptor.number < 0
      ? errno : DescriptorWriter.writeAll(choice.bindings, to: descriptor.number)
    guard error == 0 else {
      throw ExitError(SystemError(making: file, number: error).sentence, .cannotCreate)
    }
    print("wrote \(file)")
  }

  private func startService() {
    let unit = "pressured-bind.service"
    let hasStarted = ["enable", "restart"].allSatisfy {
      Run.succeeds(["systemctl", "--user", $0, unit])
    }
    print(
      hasStarted
        ? "\(unit) is enabled and running"
        : "\(unit) cannot be started; start pressured bind with your session")
  }

  /// What keeps a hard press from having its effect, each with the next step.
  private var missing: [String] {
    var sentences: [String] = []
    let number = UinputAccess.obstacle()
    if number != 0 {
      let error = SystemError(attempt: "open /dev/uinput", number: number).sentence
      sentences.append(UinputAccess.advice(for: number) ?? error)
    }
    let daemon = DaemonFinding(of: socket.path, onlyDevices: true)
    if daemon.path == nil {
      sentences.append("a daemon that serves you: pressured doctor states why there is none")
    } else if !daemon.received.contains(where: { $0.pressure != nil }) {
      sentences.append("a device that measures pressure: pressured devices lists what there is")
    }
    return sentences
  }
}

/// Programs that are run for their exit status.
enum Run {
  static func succeeds(_ words: [String]) -> Bool {
    var status: Int32 = 0
    guard let child = try? Spawn(words: words).start(), waitpid(child, &status, 0) == child else {
      return false
    }
    return status == 0
  }
}

extension UinputAccess {
  /// The rule of udev, its file, and what its presence means.
  private static let rule =
    #"KERNEL=="uinput", SUBSYSTEM=="misc", TAG+="uaccess", OPTIONS+="static_node=uinput""#
  private static let file = "/etc/udev/rules.d/70-pressured-uinput.rules"

  /// Gives the user at the machine access to /dev/uinput, or takes it away again; requires root.
  static func set(isAllowed: Bool) throws(ExitError) {
    guard geteuid() == 0 else {
      throw ExitError(
        "only root can do that; run: sudo pressured bind \(isAllowed ? "--allow-keys" : "--forbid-keys")",
        .permissionDenied)
    }
    if isAllowed {
      let descriptor = Descriptor(open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644))
      let error =
        descriptor.number < 0
        ? errno : DescriptorWriter.writeAll(rule + "\n", to: descriptor.number)
      guard error == 0 else {
        throw ExitError(SystemError(making: file, number: error).sentence, .cannotCreate)
      }
      _ = Run.succeeds(["modprobe", "uinput"])
    } else if unlink(file) != 0, errno != ENOENT {
      throw ExitError(SystemError(attempt: "remove \(file)", number: errno).sentence, .cannotCreate)
    }
    let isInForce =
      Run.succeeds(["udevadm", "control", "--reload"])
      && Run.succeeds(["udevadm", "trigger", "--settle", "--action=change", "/dev/uinput"])
    let when = isInForce ? "" : " after the next start of the machine"
    print(
      isAllowed
        ? "Programs of the user at the machine may press keys\(when): any of them may type and click as this user."
        : "Programs may no longer press keys\(when).")
  }
}
