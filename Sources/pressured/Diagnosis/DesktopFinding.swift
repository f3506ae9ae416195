internal import PressureKit

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
  /// The grams of a contact with this value; 0 without a law for grams.
  fileprivate func grams(at raw: Int32) -> Double {
    guard let pressure else { return 0 }
    return calibration?.weight(raw: raw, ratio: pressure.force(of: raw).ratio).grams ?? 0
  }
}
