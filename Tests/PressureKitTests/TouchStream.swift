@testable import PressureKit

/// A short stream of random touches: fingers begin, press, move, rest and end; some become palms.
struct TouchStream {
  private var engine: Engine
  private let hasSlots: Bool
  private let hasOwnPressure: Bool
  private let pressure: Axis?
  private var random: TinyRandom
  private var time: Int64 = 0
  private var nextID: Int32 = 1
  private var down: [Bool]

  init(on engine: Engine, seed: UInt64) {
    self.engine = engine
    let surface = engine.surface
    hasSlots = surface.hasSlots
    hasOwnPressure = surface.hasSlots && surface.isPerContact
    pressure = surface.pressure?.axis
    random = TinyRandom(seed: seed)
    down = Array(repeating: false, count: surface.slotCount)
  }

  /// Plays some tens of complete frames, then removes the device.
  mutating func play(into buffer: inout EventBuffer, _ hear: (EventBuffer) -> Void) {
    for _ in 0..<(20 + random.below(11)) {
      time += Int64(1 + random.below(random.below(8) == 0 ? 200_000 : 12_000))
      if random.below(6) == 0 {
        engine.advance(to: now, into: &buffer)
      } else {
        frame(into: &buffer)
      }
      hear(buffer)
      buffer.removeAll()
    }
    engine.cancelAll(at: now, into: &buffer)
    hear(buffer)
    buffer.removeAll()
  }

  private var now: Timestamp { Timestamp(microseconds: time) }

  private mutating func send(_ code: EventCode, _ value: Int32, _ buffer: inout EventBuffer) {
    engine.receive(InputEvent(time: now, code: code, value: value), into: &buffer)
  }

  private mutating func frame(into buffer: inout EventBuffer) {
    for slot in down.indices where random.below(2) == 0 {
      if hasSlots { send(.slot, Int32(slot), &buffer) }
      touch(slot, into: &buffer)
    }
    send(.report, 0, &buffer)
  }

  private mutating func touch(_ slot: Int, into buffer: inout EventBuffer) {
    if down[slot] ? random.below(8) == 0 : random.below(3) > 0 {
      down[slot].toggle()
      let id = down[slot] ? nextID : -1
      nextID += 1
      send(hasSlots ? .trackingID : .touch, hasSlots ? id : down[slot] ? 1 : 0, &buffer)
      if hasSlots, down[slot] { send(.toolType, 0, &buffer) }
    }
    guard down[slot] else { return }
    if random.below(60) == 0 { send(.toolType, 2, &buffer) }
    press(into: &buffer)
    guard random.below(6) == 0 else { return }
    send(hasSlots ? .positionX : .x, Int32(500 + random.below(random.below(4) * 200 + 20)), &buffer)
    send(hasSlots ? .positionY : .y, Int32(300 + random.below(20)), &buffer)
  }

  /// A value from zero to beyond the end of the axis, with an emphasis on its ends.
  private mutating func press(into buffer: inout EventBuffer) {
    guard let axis = pressure else { return }
    let raw = [0, axis.maximum, Int32(random.below(Int(axis.span) * 12 / 10 + 1))][random.below(3)]
    send(hasOwnPressure ? .pressure : .singlePressure, raw, &buffer)
  }
}

/// Reproducible random numbers (SplitMix64).
struct TinyRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// 0 or more, and less than the limit.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// 0 or more, and less than 1.
  var fraction: Double {
    mutating get { Double(next() >> 11) / Double(1 << 53) }
  }
}
