// Feeds events of a simulated touchpad to the engine and prints the stages of a press.

import PressureKit

struct Pad {
  private var engine: Engine
  private var output = EventBuffer()
  private var time: Int64 = 0

  init() throws {
    var description = DeviceDescription()
    description.name = "Simulated pad"
    let axes: [(EventCode, Axis)] = [
      (.slot, Axis(minimum: 0, maximum: 4)),
      (.trackingID, Axis(minimum: 0, maximum: 65535)),
      (.positionX, Axis(minimum: 0, maximum: 1000, resolution: 10)),
      (.positionY, Axis(minimum: 0, maximum: 600, resolution: 10)),
      (.pressure, Axis(minimum: 0, maximum: 255)),
    ]
    for (code, axis) in axes { description.axes[code.code] = axis }
    engine = Engine(surface: try Surface(description))
  }

  /// Passes one frame to the engine, 10 ms after the one before, and prints its presses.
  mutating func send(_ values: [(EventCode, Int32)]) {
    time += 10_000
    for (code, value) in values + [(.report, 0)] {
      let event = InputEvent(time: Timestamp(microseconds: time), code: code, value: value)
      engine.receive(event, into: &output)
    }
    for event in output.events {
      guard case .press(let press) = event.kind else { continue }
      print(press.state, "at", press.stage)
    }
    output.removeAll()
  }
}

var pad = try Pad()
pad.send([(.slot, 0), (.trackingID, 1), (.positionX, 500), (.positionY, 300), (.pressure, 20)])
for pressure: Int32 in [60, 100, 180, 255] { pad.send([(.pressure, pressure)]) }
pad.send([(.trackingID, -1)])
