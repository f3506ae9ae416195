internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// What is to be seen, without a word of how: lengths are millimeters of the surface, from its upper left corner.
struct SurfaceDrawing: Equatable {
  /// What something is painted with; each terminal has its own way to.
  enum ColorRole: Hashable, CaseIterable {
    /// The dial, and what explains.
    case faint
    /// Words.
    case plain
    /// Words that count.
    case strong
    /// A contact.
    case usual
    /// The heaviest contact.
    case heaviest
    /// A contact that presses as hard as the sensor can say.
    case saturated
    /// A press.
    case press
    /// A press that is made up.
    case simulated
  }

  /// A contact.
  struct Circle: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var ink: ColorRole

    /// What its edge is painted with: that of a contact that the sensor cannot tell from a heavier one is red.
    var rim: ColorRole

    /// What stands in its middle, one row each.
    var label: [String]
  }

  /// The two rings around the heaviest contact, each lit from its top on, clockwise, as far as it says.
  struct Dial: Equatable {
    /// The outer one: the heaviest contact's force as a part of its maximum.
    var force = 0.0

    /// The inner one: how far its press is in its stage.
    var press = 0.0

    var forceInk = ColorRole.heaviest
    var pressInk = ColorRole.press
  }

  /// Millimeters of a surface that does not say how large it is.
  static let usualSize = [100.0, 62.5]

  /// Millimeters that a side of a surface may have; what claims another length does not say how large it is.
  private static let possibleLengths = 1.0...10_000

  var width = usualSize[0]
  var height = usualSize[1]

  /// The widest first, so that none is hidden.
  var circles: [Circle] = []

  var dial = Dial()

  /// The contact that the dial is drawn around; without one there is no dial.
  var dialCircle: Circle?
}

// MARK: - Made of what is known

extension SurfaceDrawing {
  init(_ watched: WatchedDevice) {
    if let size = watched.device.sizeMillimeters, size.count == 2,
      size.allSatisfy(SurfaceDrawing.possibleLengths.contains)
    {
      (width, height) = (size[0], size[1])
    }
    circles = watched.contacts.map { circle(of: $0, on: watched) }
    // Of two that are equally wide, the heaviest is seen whole.
    circles.sort {
      ($0.width, $1.ink == .heaviest ? 1 : 0) > ($1.width, $0.ink == .heaviest ? 1 : 0)
    }
    dial = Dial(watched)
    let shown = watched.heaviest ?? watched.leadingPress?.latest.contact
    dialCircle = watched.contacts.first { $0.contact == shown }.map { circle(of: $0, on: watched) }
  }

  private func circle(of contact: ReceivedPressure, on watched: WatchedDevice) -> Circle {
    let circle = ForceMapping.Circle(grams: contact.grams)
    return Circle(
      x: contact.x.clamped(to: 0...1) * width, y: contact.y.clamped(to: 0...1) * height,
      width: (circle.width / ForceMapping.Circle.pointsPerMillimeter)
        .clamped(to: 0...4 * max(width, height)),
      ink: watched.ink(of: contact), rim: watched.rim(of: contact),
      label: watched.label(of: contact))
  }
}

extension SurfaceDrawing.Dial {
  fileprivate init(_ watched: WatchedDevice) {
    if let heaviest = watched.contacts.first(where: { $0.contact == watched.heaviest }) {
      force = heaviest.ratio.clamped(to: 0...1)
      forceInk = watched.ink(of: heaviest)
    }
    guard let press = watched.leadingPress else { return }
    self.press =
      press.latest.state == .maximumReached ? 1 : (press.latest.progress ?? 0).clamped(to: 0...1)
    pressInk = press.latest.simulated == true ? .simulated : .press
  }
}

extension WatchedDevice {
  /// The press that is shown: the heaviest contact's, or else the oldest.
  var leadingPress: Press? { presses.first { $0.latest.contact == heaviest } ?? presses.first }

  func ink(of contact: ReceivedPressure) -> SurfaceDrawing.ColorRole {
    if contact.contact == heaviest { return .heaviest }
    return contact.isSaturated ? .saturated : .usual
  }

  func rim(of contact: ReceivedPressure) -> SurfaceDrawing.ColorRole {
    contact.isSaturated ? .saturated : ink(of: contact)
  }

  /// Percent, and grams where something weighs; a press that is made up says so.
  func label(of contact: ReceivedPressure) -> [String] {
    let press = presses.first { $0.latest.contact == contact.contact }?.latest
    if let press, press.simulated == true {
      return [(press.ratio ?? 0).percent, "simulated"]
    }
    guard device.capability == .force || device.capability == .size else { return [] }
    let more = contact.isSaturated ? "+" : ""
    guard let grams = contact.grams else { return [contact.ratio.percent + more] }
    let weight = (grams.text(decimals: 0) + more + " g").estimated(device.isEstimate)
    return [contact.ratio.percent, weight]
  }
}
