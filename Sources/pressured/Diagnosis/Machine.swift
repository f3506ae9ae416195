internal import Glibc
internal import PressureProtocol
internal import PressureSystem

/// The machine and the user that a diagnosis is of.
struct Machine: Encodable {
  /// The release of the kernel, such as `6.12.1-amd64`.
  let kernel: String

  /// The kind of processor, such as `x86_64`.
  let processor: String

  /// What is said of a container that this runs in, or nil.
  let container: String?

  /// Where the rule is that lets the service read touch devices, or nil.
  let rule: String?

  let userID: UInt32

  /// The names of the user's groups, and the numbers of those without one.
  let groups: [String]

  private enum CodingKeys: String, CodingKey {
    case kernel, processor, container, rule, groups
    case userID = "user_id"
  }

  /// Looks at the machine as it is.
  static func look() -> Machine {
    var name = utsname()
    uname(&name)
    return Machine(
      kernel: text(of: name.release), processor: text(of: name.machine), container: container(),
      rule: rules.first { access($0, F_OK) == 0 }, userID: geteuid(), groups: groups())
  }

  /// The name of a group, or its number where it has none.
  static func name(ofGroup number: gid_t) -> String {
    getgrgid(number).map { String(cString: $0.pointee.gr_name) } ?? "\(number)"
  }

  private static let rules = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map {
    "\($0)/udev/rules.d/70-pressured.rules"
  }

  private static func text<Bytes>(of bytes: Bytes) -> String {
    withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// systemd and others set a variable, Docker and Podman make a file.
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
