internal import PressureDevices
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

extension Diagnosis {
  /// The findings for people, line by line.
  var lines: [String] {
    var lines = ["pressured \(version) on Linux \(machine.kernel), \(machine.processor)"]
    if let container = machine.container { lines.append("container: \(container)") }
    lines.append("you: user \(machine.userID), groups \(machine.groups.joined(separator: ", "))")
    lines.append("rule for udev: \(machine.rule ?? "70-pressured.rules is not installed")")
    lines += configurationFaults.map { "configuration: \($0)" }
    lines += units.map(\.sentence)
    lines.append("daemon: \(daemon.sentence)")
    lines += devices.flatMap(\.lines)
    lines.append(Diagnosis.sentence(devices.count, others))
    lines.append("next: \(next)")
    return lines.map(\.onOneLine)
  }

  private static func sentence(_ count: Int, _ others: Int) -> String {
    switch (count, others) {
    case (0, 0): "devices: there are no input devices in \(DeviceFolder.path)"
    case (0, _): "devices: none of the \(others) input devices is a touch device"
    case (_, 0): "devices: \(count)"
    default: "devices: \(count), and \(others) that are no touch devices"
    }
  }
}

extension UnitFinding {
  fileprivate var sentence: String {
    let reason = result.map { ", \($0)" } ?? ""
    let ending = status.map { ", status \($0)" } ?? ""
    return "unit \(unit): \(state) (\(detail)\(hasFailed ? reason + ending : ""))"
  }
}

extension DaemonFinding {
  fileprivate var sentence: String {
    guard let path else { return fault ?? "none" }
    let devices = devices.map { list in
      list.isEmpty
        ? "no device"
        : list.map { $0.device + ($0.isBroken ? " (its axis of pressure says nothing)" : "") }
          .joined(separator: ", ")
    }
    return "\(version ?? "an unknown version") answers at \(path), and reads "
      + (devices ?? "it does not say what")
  }
}

extension DeviceFinding {
  fileprivate var lines: [String] {
    guard refusal == nil else {
      let owner = rights.group.map { " (\(rights.mode ?? "?"), group \($0))" } ?? ""
      return ["\(node)\(rights.isReadable ? "" : owner): \(refusal ?? "")"]
    }
    return [
      "\(node): \(name ?? "") (\(device ?? ""))",
      "  pressure: \(axis)",
      "  capability: \(capability ?? "none"), \(meaning)",
      "  grams: \(weightSource ?? "none"), \(worthOfGrams)",
      "  quirk: \(quirk ?? "none")",
      "  calibration: \(stored)",
    ] + complaints.map { "  complaint: \($0)" }
  }

  private var axis: String {
    let isOwn = perContact == true && axes?["ABS_MT_PRESSURE"] != nil
    let name = isOwn ? "ABS_MT_PRESSURE" : "ABS_PRESSURE"
    guard let axis = axes?[name] else { return "none, \(slots ?? 0) slots" }
    let units = axis.resolution > 0 ? "\(axis.resolution) units a gram" : "no units"
    let sharing = perContact == true ? "each contact its own" : "one value for all contacts"
    let total = statesTotal == true ? ", ABS_PRESSURE their total" : ""
    let full = effectiveMaximum.map { ", full at \($0)" } ?? ""
    return "\(name) \(axis.minimum) to \(axis.maximum), \(units)\(full), \(slots ?? 0) slots, "
      + sharing + total
  }

  private var meaning: String {
    switch capability {
    case "force": "it feels how hard it is pressed"
    case "size": "usually the area of contact and not force"
    case "broken": "its axis says nothing"
    default: "it feels no pressure"
    }
  }

  private var worthOfGrams: String {
    switch weightSource {
    case "calibrated": "by known weights"
    case "kernel": "by the units that it states, which are rounded"
    case "nominal": "an estimate that nobody has compared with a weight"
    default: "it cannot weigh"
    }
  }

  private var stored: String {
    guard let calibration else { return "none" }
    var error = JSONLinesWriter(capacity: 64)
    error.append(calibration.errorGrams, decimals: 2)
    let force = calibration.isInForce ? "" : "; not in force, as it is of another range"
    return "\(calibration.points) points, \(calibration.shape), right to about ±\(error.text) g"
      + force
  }
}
