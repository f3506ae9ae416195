internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem

/// A proposal for libinput's local quirks, from a recording of touches.
///
/// It is printed as a difference that patch(1) applies and reverses; nothing is written.
struct LibinputProposal {
  /// The only file of local quirks that libinput reads.
  private static let path = "/etc/libinput/local-overrides.quirks"

  /// The largest file of quirks that is read, in bytes.
  private static let sizeLimit = 1 << 20

  private static let requiredTouches = 5

  /// A touch begins at half of the lightest one's pressure and ends at four fifths of that; a palm is a quarter above the
  /// hardest one.
  private static let beginPart = 0.5
  private static let endPart = 0.8
  private static let palmPart = 1.25

  /// The keys that make a device a pressure pad, or else remove the pressure that libinput would take for the size of the
  /// contact; which one libinput knows depends on its version.
  private static let pressurePadEntries = [
    "ModelPressurePad=1", pressurePadProperty, "AttrEventCode=-ABS_MT_PRESSURE;-ABS_PRESSURE",
    "AttrEventCodeDisable=ABS_MT_PRESSURE;ABS_PRESSURE",
  ]

  /// The one that is proposed if none can be validated, and the version from which on it is known to work.
  private static let pressurePadProperty = "AttrInputProp=+INPUT_PROP_PRESSUREPAD"
  private static let pressurePadVersion = "1.31"

  /// That libinput needs no quirk, which is not a failure.
  private static func needless(_ reason: String) -> ExitError {
    ExitError(sentences: ["nothing to propose: \(reason)"], status: 0)
  }

  private let section: [String]

  /// What to know before it is applied, if libinput has not validated it.
  private let caution: [String]

  private static func section(_ description: DeviceDescription, _ entries: [String]) -> [String] {
    [
      "[\(description.name.onOneLine), by pressured]",
      "MatchVendor=0x\(description.vendor.hexadecimal(4).uppercased())",
      "MatchProduct=0x\(description.product.hexadecimal(4).uppercased())", "MatchUdevType=touchpad",
    ] + entries
  }

  /// Derives the proposal from touches with single fingers, light and hard ones.
  init(_ recording: Recording, _ configuration: Configuration) throws(ExitError) {
    var description = recording.description
    // What a recording lacks is known if its device is connected: its descriptor, and its quirks.
    let node = DeviceFolder.node(like: description)
    if description.descriptor == nil, let node { description.readDescriptor(of: node) }
    let surface = try configuration.surface(of: description, named: recording.path)
    guard description.kind == .touchpad else {
      throw LibinputProposal.needless("libinput uses the pressure of touchpads only")
    }
    let desktop = DesktopFinding(quirks: node.flatMap(DesktopFinding.quirks), description, surface)
    if let reason = desktop.unusedPressure {
      throw LibinputProposal.needless(
        "libinput does not use the pressure of \(description.name.onOneLine), as \(reason)")
    }
    if surface.capability == .force {
      (section, caution) = try LibinputProposal.validated(
        description, LibinputProposal.pressurePadEntries.map { [$0] },
        unvalidated: [LibinputProposal.pressurePadProperty], needs: "pressure pads",
        since: LibinputProposal.pressurePadVersion)
      return
    }
    guard surface.capability == .size, let axis = surface.pressure?.axis else {
      throw ExitError("\(recording.path): it contains no usable pressure", .badData)
    }
    let peaks = try LibinputProposal.peaks(recording, surface, configuration)
    guard peaks.count >= LibinputProposal.requiredTouches, let lightest = peaks.min(),
      let hardest = peaks.max()
    else {
      throw ExitError(
        "\(recording.path): it contains \(peaks.count) touches with pressure; record at least "
          + "\(LibinputProposal.requiredTouches), light and hard ones, each with one finger",
        .badData)
    }
    let least = Int64(axis.minimum)
    let (light, hard) = (Int64(lightest) - least, Int64(hardest) - least)
    guard hard >= 2 * light else {
      throw ExitError(
        "\(recording.path): the pressures of all touches, \(lightest) to \(hardest), are too similar; record "
          + "light and hard ones", .badData)
    }
    let begin = least + max(Int64(Double(light) * LibinputProposal.beginPart), 1)
    let end = least + Int64(Double(begin - least) * LibinputProposal.endPart)
    let palm = least + Int64((Double(hard) * LibinputProposal.palmPart).rounded(.up))
    var entries = ["AttrPressureRange=\(begin):\(min(end, begin - 1))"]
    // A palm that no value can reach switches the detection off, which 0 states. Without palms in the recording, a
    // threshold below the default would only reject touches.
    if palm > Int64(axis.maximum) {
      entries.append("AttrPalmPressureThreshold=0")
    } else if palm > Int64(DesktopFinding.defaultPalm) {
      entries.append("AttrPalmPressureThreshold=\(palm)")
    }
    (section, caution) = try LibinputProposal.validated(
      description, [entries], unvalidated: entries, needs: "these thresholds", since: nil)
  }

  /// Chooses the first of entries with the same effect that the installed libinput accepts.
  ///
  /// If they cannot be validated, these are `unvalidated`, with a caution.
  private static func validated(
    _ description: DeviceDescription, _ candidates: [[String]], unvalidated: [String],
    needs object: String, since version: String?
  ) throws(ExitError) -> (section: [String], caution: [String]) {
    guard let installed = LibinputTool.version() else {
      let need = version.map { "; it needs libinput \($0) or later" } ?? ""
      let caution = [
        "libinput's tool (package libinput-tools or libinput-utils) is not installed, so this is not validated\(need).",
        "libinput that does not know one key uses no quirks at all.", "",
      ]
      return (section(description, unvalidated), caution)
    }
    let sections = candidates.map { section(description, $0) }
    if let section = sections.first(where: LibinputTool.accepts) { return (section, []) }
    throw ExitError(
      "this libinput (\(installed)) does not know \(object), and would use no quirks at all; nothing to propose",
      .cannotCreate)
  }

  private static func peaks(
    _ recording: Recording, _ surface: Surface, _ configuration: Configuration
  ) throws(ExitError) -> [Int32] {
    var engine = Engine(surface: surface, configuration: configuration)
    var output = EventBuffer()
    var current: [TrackingID: Int32] = [:]
    var peaks: [Int32] = []
    while let event = try recording.next() {
      engine.receive(event, into: &output)
      for event in output.events {
        guard case .contact(let contact) = event.kind else { continue }
        if contact.phase == .ended, let peak = current[contact.id], peak > 0 {
          peaks.append(peak)
        }
        if contact.phase != .began { current[contact.id] = nil }
      }
      output.removeAll()
      guard event.code == .report else { continue }
      for contact in engine.contacts where contact.force.ratio > 0 {
        current[contact.id] = max(current[contact.id] ?? 0, contact.raw ?? 0)
      }
    }
    return peaks
  }

  /// The difference, after lines on how to apply and to reverse it.
  func lines() throws(ExitError) -> [String] {
    let present = try LibinputProposal.present()
    guard present?.includes(section.joined(separator: "\n")) != true else {
      throw LibinputProposal.needless("\(LibinputProposal.path) contains the section")
    }
    let count = present?.utf8.count { $0 == UInt8(ascii: "\n") } ?? 0
    let added = (count == 0 ? [] : [""]) + section
    let name = LibinputProposal.path.dropFirst()
    // Without context, so that what the file contains does not matter.
    return [
      "Nothing is changed. To apply it: sudo mkdir -p /etc/libinput, then",
      "pressured doctor --libinput FILE | sudo patch -p1 -d / (package patch). It takes effect after the",
      "next login. The way back: the same output with sudo patch -R -p1 -d /", "",
    ] + caution + [
      present == nil ? "--- /dev/null" : "--- a/\(name)", "+++ b/\(name)",
      "@@ -\(count),0 +\(count + 1),\(added.count) @@",
    ] + added.map { "+\($0)" }
  }

  private static func present() throws(ExitError) -> String? {
    let bytes: [UInt8]
    do throws(InputFile.ReadError) {
      bytes = try InputFile.read(path, limit: sizeLimit)
    } catch .missing {
      return nil
    } catch {
      throw ExitError("cannot read \(path): \(error.reason)", .noInput)
    }
    guard bytes.isEmpty || bytes.last == UInt8(ascii: "\n") else {
      throw ExitError("the last line of \(path) has no line end; add it first", .badData)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// libinput's own tool, which knows the keys of the installed version.
///
/// libinput uses no quirks at all, also not those that it ships, if one file has a key that it does not know.
enum LibinputTool {
  /// The version of the tool; nil if it is not installed, or cannot validate quirks.
  static func version() -> String? {
    let output = UnitFinding.run(["libinput", "--version"])
    let known = ["[known]", "MatchUdevType=touchpad", "AttrPressureRange=2:1"]
    guard let version = output?.split(separator: "\n").first, accepts(known) else { return nil }
    return String(version).onOneLine
  }

  static func accepts(_ lines: [String]) -> Bool {
    guard let folder = try? TemporaryDirectory.make(in: "/tmp") else { return false }
    let file = "\(folder)/proposal.quirks"
    defer {
      unlink(file)
      rmdir(folder)
    }
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    do throws(SystemError) { try AtomicFile.write(bytes, to: file) } catch { return false }
    return UnitFinding.run(["libinput", "quirks", "validate", "--data-dir=\(folder)"]) != nil
  }
}

/// How libinput, and with it the desktop, uses the pressure of a touchpad.
///
/// Wrong thresholds of touches and palms there are the most common complaint about pressure on Linux.
struct DesktopFinding: Encodable {
  /// The quirks that libinput applies to the device, such as `AttrPressureRange=10:8`; nil if its tool does not list them.
  let quirks: [String]?

  /// Whether it is a pressure pad there, so that libinput does not use its pressure.
  let isPressurePad: Bool

  /// The pressures at which a touch begins and ends, and above which it is a palm; nil if pressure is not used.
  let touchBegins: Int32?
  let touchEnds: Int32?
  let palm: Int32?

  /// Whether libinput ignores each touch, or takes it for a palm: the pad is dead on the desktop.
  let isDead: Bool

  private let obstacle: String?

  private enum CodingKeys: String, CodingKey {
    case quirks, isPressurePad, touchBegins, touchEnds, palm, isDead
  }

  /// libinput's defaults: parts of the range, and a raw value for palms.
  private static let beginPart = 0.12
  private static let endPart = 0.10
  static let defaultPalm: Int32 = 130

  /// The quirks that libinput applies to the device of a node; nil if its tool does not list them.
  static func quirks(of node: String) -> [String]? {
    UnitFinding.run(["libinput", "quirks", "list", node])?
      .split(separator: "\n").map(String.init).filter { $0.contains("=") }
  }

  /// Applies libinput's rules to its quirks, and to the device as the kernel describes it; nil for unknown.
  init(quirks: [String]?, _ description: DeviceDescription, _ surface: Surface?) {
    self.quirks = quirks
    func value(_ key: String) -> Substring? {
      quirks?.last { $0.hasPrefix(key + "=") }?.dropFirst(key.utf8.count + 1)
    }
    let axis = description.axis(.pressure)
    // Up to libinput 1.22 the signs are part of the key.
    func contains(_ key: String, _ sign: Character, _ word: String) -> Bool {
      let old = key + (sign == "+" ? "Enable" : "Disable")
      return value(key)?.split(separator: ";").contains { $0 == "\(sign)\(word)" } == true
        || value(old)?.split(separator: ";").contains { $0 == word } == true
    }
    let isNamed =
      value("ModelPressurePad") == "1" || contains("AttrInputProp", "+", "INPUT_PROP_PRESSUREPAD")
    let isDenied = contains("AttrInputProp", "-", "INPUT_PROP_PRESSUREPAD")
    obstacle =
      contains("AttrEventCode", "-", "ABS_MT_PRESSURE")
      ? "a quirk removes its pressure"
      : value("AttrTouchSizeRange") != nil ? "a quirk makes it use the size of touches" : nil
    isPressurePad =
      isNamed || description.isPressurePad && !isDenied || axis.map { $0.resolution != 0 } == true
    guard !isPressurePad, obstacle == nil, let axis, axis.span > 0 else {
      (touchBegins, touchEnds, palm, isDead) = (nil, nil, nil, false)
      return
    }
    func part(_ part: Double) -> Int32 {
      Int32(clamping: Int64(axis.minimum) + Int64(Double(axis.span) * part))
    }
    let points = value("AttrPressureRange")?.split(separator: ":").compactMap { Int32($0) } ?? []
    let begin = points.count == 2 ? points[0] : part(DesktopFinding.beginPart)
    let palm =
      value("AttrPalmPressureThreshold").flatMap { Int32($0) } ?? DesktopFinding.defaultPalm
    (touchBegins, self.palm) = (begin, palm)
    touchEnds = points.count == 2 ? points[1] : part(DesktopFinding.endPart)
    // Without its tool it is unknown whether libinput has a quirk for it.
    isDead =
      quirks != nil
      && (begin >= palm && palm > 0
        || surface?.gramsAreTrue == true && surface?.grams(at: begin) ?? 0 > Force.referenceGrams)
  }

  var unusedPressure: String? { isPressurePad ? "it is a pressure pad there already" : obstacle }

  var sentence: String {
    let listed = quirks.map { $0.isEmpty ? "no quirks" : "quirks \($0.joined(separator: ", "))" }
    let origin = listed ?? "quirks unknown, as libinput's tool does not list them"
    guard let touchBegins, let touchEnds, let palm else {
      return isPressurePad
        ? "a pressure pad for libinput, which does not use its pressure; \(origin)"
        : "libinput \(obstacle.map { "does not use its pressure, as \($0)" } ?? "has no pressure to use"); \(origin)"
    }
    let palms = palm > 0 ? "a palm above \(palm)" : "no palm by pressure"
    return
      "not a pressure pad for libinput: a touch begins at \(touchBegins), ends at \(touchEnds), "
      + "and is \(palms)\(isDead ? ", so the pad is dead on the desktop" : ""); \(origin)"
  }
}

extension Surface {
  /// The grams of a contact with this value; 0 without a calibration curve.
  fileprivate func grams(at raw: Int32) -> Double {
    guard let pressure else { return 0 }
    return calibration?.weight(raw: raw, ratio: pressure.force(of: raw).ratio).grams ?? 0
  }
}
