@testable import PressureKit
import PressureTestSupport

/// A short stream of random touches: fingers, thumbs and palms begin, hover, press, click, rest and end; one or several of them move
/// together.
struct TouchStream {
  /// What happens for some frames.
  private enum Mode {
    case random
    /// The contacts move together, and may press.
    case scroll
    /// One contact moves while its force decreases.
    case drag(slot: Int)
    /// One contact presses and releases in small steps.
    case press(slot: Int)
  }

  private(set) var engine: Engine
  private let has: (minor: Bool, hovering: Bool, tool: Bool, button: Bool)
  private let hasSlots: Bool
  private let hasOwnPressure: Bool
  private let pressure: Axis?
  private var random: TinyRandom
  private var time: Int64 = 0
  private var nextID: Int32 = 1
  private var down: [Bool]
  private var forces: [Int]
  private var places: [(x: Int, y: Int)]
  private var mode = Mode.random
  private var left = 0

  init(on engine: Engine, seed: UInt64) {
    self.engine = engine
    let surface = engine.surface
    let description = surface.description
    hasSlots = surface.hasSlots
    hasOwnPressure = surface.hasSlots && surface.isPerContact
    has = (
      description.has(.touchMinor), description.has(.distance), description.has(.toolType),
      surface.clicksBySurface
    )
    pressure = surface.pressure?.axis
    random = TinyRandom(seed: seed)
    down = Array(repeating: false, count: surface.slotCount)
    forces = Array(repeating: 0, count: surface.slotCount)
    places = Array(repeating: (500, 300), count: surface.slotCount)
  }

  /// Plays some tens of complete frames, then removes the device; the invariants follow.
  mutating func play(
    into buffer: inout EventBuffer, _ invariants: inout PressInvariants,
    _ hear: (EventBuffer) -> Void = { _ in }
  ) {
    for _ in 0..<(25 + random.below(16)) {
      if left == 0 { changeMode() }
      left -= 1
      time += step
      if random.below(8) == 0 {
        invariants.advance(to: now)
        engine.advance(to: now, into: &buffer)
      } else {
        frame(into: &buffer, &invariants)
      }
      hear(buffer)
      invariants.check(buffer, engine.frame, on: engine.surface)
      buffer.removeAll()
    }
    invariants.advance(to: now)
    engine.cancelAll(at: now, into: &buffer)
    hear(buffer)
    invariants.check(buffer, engine.frame, on: engine.surface)
    invariants.checkEnd()
    buffer.removeAll()
  }

  private var now: Timestamp { Timestamp(microseconds: time) }

  private var step: Int64 {
    mutating get {
      guard case .random = mode else { return Int64(6000 + random.below(6000)) }
      return Int64(1 + random.below(random.below(8) == 0 ? 200_000 : 12_000))
    }
  }

  private mutating func changeMode() {
    let slot = random.below(down.count)
    left = 4 + random.below(10)
    switch random.below(5) {
    case 0: mode = .scroll
    case 1: mode = .drag(slot: slot)
    case 2: mode = .press(slot: slot)
    default: (mode, left) = (.random, 3 + random.below(8))
    }
  }

  // MARK: - Frames

  private mutating func frame(
    into buffer: inout EventBuffer, _ invariants: inout PressInvariants
  ) {
    var events: [(EventCode, Int32)] = []
    switch mode {
    case .random:
      for slot in down.indices where random.below(2) == 0 { touch(slot, &events) }
    case .scroll:
      let distance = random.below(3) == 0 ? 4 : 12
      for slot in down.indices where hold(slot, &events) {
        move(slot, distance, 0, &events)
        if random.below(3) == 0 { press(slot, &events) }
      }
    case .drag(let slot):
      _ = hold(slot, &events)
      move(slot, random.below(4) == 0 ? 1 : 2 + random.below(12), 0, &events)
      press(slot, to: forces[slot] * (80 + random.below(24)) / 100, &events)
    case .press(let slot):
      _ = hold(slot, &events)
      let span = Int(pressure?.span ?? 0)
      press(slot, to: forces[slot] + (random.below(5) - 2) * span / 12, &events)
    }
    if has.button, random.below(10) == 0 { events.append((.leftButton, Int32(random.below(2)))) }
    for (code, value) in events + [(.report, 0)] {
      let event = InputEvent(time: now, code: code, value: value)
      invariants.receive(event)
      engine.receive(event, into: &buffer)
    }
  }

  private mutating func touch(_ slot: Int, _ events: inout [(EventCode, Int32)]) {
    if down[slot] ? random.below(9) == 0 : random.below(3) > 0 {
      if down[slot] { lift(slot, &events) } else { begin(slot, &events) }
    }
    guard down[slot] else { return }
    select(slot, &events)
    if has.tool, random.below(40) == 0 { events.append((.toolType, 2)) }
    if has.hovering, random.below(16) == 0 {
      events.append((.distance, Int32(random.below(2))))
    }
    press(slot, &events)
    if random.below(6) == 0 {
      move(slot, random.below(random.below(4) * 200 + 20), random.below(20) - 10, &events)
    }
  }

  /// Whether a contact is in a slot, which begins if need be.
  private mutating func hold(_ slot: Int, _ events: inout [(EventCode, Int32)]) -> Bool {
    if !down[slot] { begin(slot, &events) }
    return down[slot]
  }

  // MARK: - Contacts

  private mutating func begin(_ slot: Int, _ events: inout [(EventCode, Int32)]) {
    down[slot] = true
    nextID += 1
    select(slot, &events)
    events.append(hasSlots ? (.trackingID, nextID) : (.touch, 1))
    if has.tool { events.append((.toolType, random.below(16) == 0 ? 2 : 0)) }
    if has.hovering { events.append((.distance, random.below(12) == 0 ? 1 : 0)) }
    // A third begins at the lower edge, of these half as long as a thumb.
    let isLow = random.below(3) == 0
    let y = isLow ? 520 + random.below(60) : 100 + random.below(300)
    places[slot] = (300 + random.below(400), y)
    if has.minor {
      let isThumb = isLow && random.below(2) == 0
      events.append((.touchMajor, isThumb ? 30 : random.below(100) == 0 ? 400 : 10))
      events.append((.touchMinor, isThumb ? 18 : 9))
    }
    move(slot, 0, 0, &events)
    press(slot, &events)
  }

  private mutating func lift(_ slot: Int, _ events: inout [(EventCode, Int32)]) {
    down[slot] = false
    select(slot, &events)
    events.append(hasSlots ? (.trackingID, -1) : (.touch, 0))
  }

  private func select(_ slot: Int, _ events: inout [(EventCode, Int32)]) {
    if hasSlots { events.append((.slot, Int32(slot))) }
  }

  private mutating func move(
    _ slot: Int, _ x: Int, _ y: Int, _ events: inout [(EventCode, Int32)]
  ) {
    places[slot] = ((places[slot].x + x) % 1000, max(places[slot].y + y, 0))
    select(slot, &events)
    events.append((hasSlots ? .positionX : .x, Int32(places[slot].x)))
    events.append((hasSlots ? .positionY : .y, Int32(places[slot].y)))
  }

  /// A value from zero to beyond the end of the axis, with an emphasis on its ends.
  private mutating func press(_ slot: Int, _ events: inout [(EventCode, Int32)]) {
    guard let axis = pressure else { return }
    let any = random.below(Int(axis.span) * 12 / 10 + 1)
    press(slot, to: [0, Int(axis.maximum), any, any][random.below(4)], &events)
  }

  private mutating func press(_ slot: Int, to raw: Int, _ events: inout [(EventCode, Int32)]) {
    guard let axis = pressure else { return }
    forces[slot] = min(max(raw, 0), Int(axis.maximum) * 12 / 10)
    select(slot, &events)
    events.append((hasOwnPressure ? .pressure : .singlePressure, Int32(forces[slot])))
  }
}
