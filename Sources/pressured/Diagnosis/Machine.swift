internal import Glibc
internal import PressureSystem

struct Machine: Encodable {
  let kernel: String

  let processor: String
  let container: String?

  /// The path of the udev rule that lets the service read touch devices, or nil.
  let rule: String?

  let userID: UInt32

  /// The user's groups, by name, or by number if a group has no name.
  let groups: [String]

  private enum CodingKeys: String, CodingKey {
    case kernel, processor, container, rule, groups
    case userID = "user_id"
  }

  static func current() -> Machine {
    var name = utsname()
    uname(&name)
    return Machine(
      kernel: text(of: name.release), processor: text(of: name.machine), container: container(),
      rule: rules.first { access($0, F_OK) == 0 }, userID: geteuid(), groups: groups())
  }

  static func name(ofGroup number: gid_t) -> String {
    getgrgid(number).map { String(cString: $0.pointee.gr_name) } ?? "\(number)"
  }

  private static let rules = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map {
    "\($0)/udev/rules.d/70-pressured.rules"
  }

  private static func text<Bytes>(of bytes: Bytes) -> String {
    withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// systemd and others set `$container`; Docker and Podman create a file.
  private static func container() -> String? {
    if let kind = Environment.value("container") { return kind }
    if access("/run/.containerenv", F_OK) == 0 { return "podman" }
    return access("/.dockerenv", F_OK) == 0 ? "docker" : nil
  }

  private static func groups() -> [String] {
    var numbers = [gid_t](repeating: 0, count: max(Int(getgroups(0, nil)), 0))
    let count = getgroups(Int32(numbers.count), &numbers)
    let others = numbers.prefix(max(Int(count), 0)).filter { $0 != getegid() }
    return ([getegid()] + others).map(name(ofGroup:))
  }
}

struct UnitFinding: Encodable {
  let unit: String
  let state: String
  let detail: String

  /// The reason for a failure, such as `exit-code`; nil if the result is `success`.
  let result: String?

  let status: Int32?
  let isEnabled: Bool

  var hasFailed: Bool { state == "failed" }

  var sentence: String {
    let reason = result.map { ", \($0)" } ?? ""
    let ending = status.map { ", status \($0)" } ?? ""
    return "unit \(unit): \(state) (\(detail)\(hasFailed ? reason + ending : ""))"
  }

  private static let units = ["pressured.socket", "pressured.service"]

  private static let properties = [
    "Id", "LoadState", "ActiveState", "SubState", "Result", "ExecMainStatus", "UnitFileState",
  ]

  /// In bytes; systemctl prints a few hundred.
  private static let maxOutputSize = 1 << 16

  static func installed() -> [UnitFinding] {
    let arguments = [
      "systemctl", "show", "--no-pager", "--property=\(properties.joined(separator: ","))",
    ]
    let text = run(arguments + units) ?? ""
    // A line for each property, and an empty one between units; a property without a value counts as missing.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.split(whereSeparator: \.isEmpty).compactMap { lines in
      let pairs = lines.map { $0.split(separator: "=", maxSplits: 1) }.filter { $0.count == 2 }
      return UnitFinding(Dictionary(pairs.map { ($0[0], $0[1]) }) { $1 })
    }
  }

  private init?(_ values: [Substring: Substring]) {
    guard let unit = values["Id"], UnitFinding.units.contains(String(unit)),
      values["LoadState"] == "loaded"
    else { return nil }
    self.unit = String(unit)
    state = String(values["ActiveState"] ?? "unknown")
    detail = String(values["SubState"] ?? "unknown")
    result = values["Result"].flatMap { $0 == "success" ? nil : String($0) }
    status = values["ExecMainStatus"].flatMap { Int32($0) }.flatMap { $0 == 0 ? nil : $0 }
    isEnabled = values["UnitFileState"] == "enabled"
  }

  /// Runs a program and returns its output; nil if it cannot be started, fails, runs longer than `seconds`, or prints too much.
  static func run(_ arguments: [String], seconds: Int = 5) -> String? {
    // Its error messages, for example without systemd, are discarded.
    let null = Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC))
    let program = Spawn(
      words: ["timeout", "-s", "KILL", "\(seconds)"] + arguments, errors: null.number)
    return (try? program.run(limit: maxOutputSize)).map { String(decoding: $0, as: UTF8.self) }
  }
}
