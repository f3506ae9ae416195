internal import PressureDesktop
internal import PressureKit
internal import PressureSystem

/// Whether `pressured pen` can draw for this user.
struct PenFinding: Encodable {
  /// `possible`, `needs uinput`, `needs control` or `needs a pad`.
  let state: String

  /// What to do, or what to expect.
  let detail: String

  /// - Parameters:
  ///   - capabilities: those of the devices that the daemon reads; nil if they are not known.
  ///   - mayControl: whether the daemon permits this user to grab a pad.
  ///   - obstacle: the error number of opening /dev/uinput, or 0.
  init(_ capabilities: [String]?, mayControl: Bool, obstacle: Int32 = UinputAccess.obstacle()) {
    let hasForce = capabilities?.contains(Surface.Capability.force.rawValue) ?? false
    let hasSize = capabilities?.contains(Surface.Capability.size.rawValue) ?? false
    guard hasForce || hasSize else {
      state = "needs a pad"
      detail =
        capabilities == nil
        ? "no daemon answers that reads one" : "no device of the daemon measures pressure"
      return
    }
    var needs: [String] = []
    if obstacle != 0 {
      let error = SystemError(attempt: "open /dev/uinput", number: obstacle)
      needs.append(UinputAccess.advice(for: obstacle) ?? error.sentence)
    }
    if !mayControl { needs.append(PenSession.controlAdvice) }
    guard needs.isEmpty else {
      state = obstacle != 0 ? "needs uinput" : "needs control"
      detail = (needs + ["pressured pen --test works without \(needs.count == 1 ? "it" : "both")"])
        .joined(separator: "; ")
      return
    }
    state = "possible"
    detail =
      hasForce
      ? "pressured pen draws with the force of a finger"
      : "pressured pen draws with the area of a finger, as the pad does not measure its force"
  }

  var sentence: String { "\(state); \(detail)" }
}
