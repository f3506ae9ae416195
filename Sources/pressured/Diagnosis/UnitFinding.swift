internal import Glibc
internal import PressureConnection
internal import PressureProtocol
internal import PressureSystem

/// What systemd knows of one of our units.
struct UnitFinding: Encodable {
  /// Its name, such as `pressured.socket`.
  let unit: String

  /// `active`, `inactive`, `failed` and so on.
  let state: String

  /// More of that, such as `listening`.
  let detail: String

  /// Why it is in that state, such as `exit-code`; nil where all is well.
  let result: String?

  /// The exit status of its program, where that has ended badly.
  let status: Int32?

  /// Whether systemd starts it with the machine.
  let isEnabled: Bool

  private enum CodingKeys: String, CodingKey {
    case unit, state, detail, result, status
    case isEnabled = "enabled"
  }

  var hasFailed: Bool { state == "failed" }

  private static let units = ["pressured.socket", "pressured.service"]

  private static let properties = [
    "Id", "LoadState", "ActiveState", "SubState", "Result", "ExecMainStatus", "UnitFileState",
  ]

  /// Seconds that systemctl may take.
  private static let patience = 5.0

  /// Bytes; it prints a few hundred.
  private static let mostBytes = 1 << 16

  /// Asks systemctl.
  ///
  /// - Returns: the units that are installed; none where there is no systemd to ask.
  static func look() -> [UnitFinding] {
    let words = [
      "systemctl", "show", "--no-pager", "--property=\(properties.joined(separator: ","))",
    ]
    return read(text(of: words + units))
  }

  /// Reads what `systemctl show` prints: a line for each property, and an empty one between units.
  static func read(_ text: String) -> [UnitFinding] {
    var findings: [UnitFinding] = []
    var values: [Substring: Substring] = [:]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) + [Substring()] {
      guard let end = line.firstIndex(of: "=") else {
        if let finding = UnitFinding(values) { findings.append(finding) }
        values = [:]
        continue
      }
      values[line[..<end]] = line[line.index(after: end)...]
    }
    return findings
  }

  private init?(_ values: [Substring: Substring]) {
    guard let unit = values["Id"], UnitFinding.units.contains(String(unit)),
      values["LoadState"] == "loaded"
    else {
      return nil
    }
    self.unit = String(unit)
    state = String(values["ActiveState"] ?? "unknown")
    detail = String(values["SubState"] ?? "unknown")
    result = values["Result"].flatMap { $0 == "success" ? nil : String($0) }
    status = values["ExecMainStatus"].flatMap { Int32($0) }.flatMap { $0 == 0 ? nil : $0 }
    isEnabled = values["UnitFileState"] == "enabled"
  }

  /// What a program prints; empty where it cannot be run, takes too long or prints too much.
  private static func text(of words: [String]) -> String {
    var numbers: [Int32] = [0, 0]
    guard pipe(&numbers) == 0 else { return "" }
    let reader = Descriptor(numbers[0])
    guard let child = start(words, output: Descriptor(numbers[1])) else { return "" }
    var bytes: [UInt8] = []
    let isWhole = drain(reader.number, into: &bytes)
    if !isWhole { kill(child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return isWhole && status == 0 ? String(decoding: bytes, as: UTF8.self) : ""
  }

  /// Starts a program; once it has the pipe's other end, ours is closed, so that its end is the last.
  private static func start(_ words: [String], output: consuming Descriptor) -> pid_t? {
    // What it complains of, as where there is no systemd, is of no interest here.
    let nowhere = Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC))
    return try? Spawn(words: words, output: output.number, errors: nowhere.number).start()
  }

  /// Reads up to the end; false where that does not come in time.
  private static func drain(_ number: Int32, into bytes: inout [UInt8]) -> Bool {
    let deadline = Deadline(seconds: patience)
    var part = [UInt8](repeating: 0, count: 4096)
    while bytes.count < mostBytes {
      var place = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      let left = deadline.milliseconds
      guard left > 0, poll(&place, 1, left) != 0 else { return false }
      let count = Glibc.read(number, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 }
      bytes += part[..<count]
    }
    return false
  }
}
