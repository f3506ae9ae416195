@testable import PressureConnection
@testable import PressurePen
@testable import PressureProtocol

/// The corpus costs at most 11 steps per byte.
private let work = Work(perByte: 100, base: 20_000)

private let pad = PenArea(x: 0, y: 0, width: 100, height: 60)

/// Lines of a daemon as `pen` reads them: without allocating memory, and with the result of the full decoder.
func fuzzTouches(_ bytes: UnsafeBufferPointer<UInt8>) {
  var scanner = newScanner()
  var pens = [
    Pen(area: PenArea(x: 10, y: 10, width: 80, height: 45), .absolute),
    Pen(area: pad, .relative(speed: 2)),
  ]
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    let line = Array(line)
    let before = scanner.touches
    let isAccepted = work.hold(line.count, "scanner") {
      line.withUnsafeBytes { scanner.scan($0) }
    }
    if isAccepted {
      require(scanner.touches == decoded(line), "the full decoder reads the same contacts")
    } else {
      require(scanner.touches == before, "a line that is declined changes nothing")
      // As in a session.
      if case .weight(let weight) = ReceivedEvent(line: line) { scanner.replace(by: weight) }
    }
    let grown = Work.grown(line, to: 1024)
    var other = scanner
    _ = work.hold(grown.count, "a line with repetition") {
      grown.withUnsafeBytes { other.scan($0) }
    }
    for index in pens.indices { pens[index].draw(scanner.touches, pause: 7_000) }
  }
  for index in pens.indices {
    pens[index].draw([], pause: 7_000)
    require(!pens[index].isNear, "without contacts the pen is away")
  }
}

private let device = "0018-06cb-cd41"

private func newScanner() -> TouchScanner {
  TouchScanner(device: device, size: PenPoint(x: pad.width, y: pad.height))
}

/// The contacts that the full decoder reads; nil if it reads none.
private func decoded(_ line: [UInt8]) -> [PenTouch]? {
  guard case .weight(let weight) = ReceivedEvent(line: line), weight.device == device else {
    return nil
  }
  var scanner = newScanner()
  scanner.replace(by: weight)
  return scanner.touches
}

/// A pen, whose frames are checked.
private struct Pen {
  private var stroke: PenStroke
  private let mapping: PenMapping
  private var last: PenFrame?
  private var time: Int64 = 0

  init(area: PenArea, _ mode: PenMapping.Mode) {
    mapping = PenMapping(area: area, aspect: 1.6, rotation: .quarter, mode: mode)
    stroke = PenStroke(PenStroke.Settings(force: PenForce(), hasButton: true), mapping)
  }

  var isNear: Bool { last?.isNear ?? false }

  mutating func draw(_ touches: [PenTouch], pause: Int64) {
    time += pause
    var frames: [PenFrame] = []
    stroke.update(with: touches, at: time) { frames.append($0) }
    require(frames.count <= 4, "few frames follow from a line: \(frames.count)")
    for frame in frames {
      require(frame != last, "a frame differs from the one before: \(frame)")
      check(frame)
      last = frame
    }
    require(stroke.deadline.map { $0 > time } ?? true, "a deadline is in the future")
  }

  private func check(_ frame: PenFrame) {
    require(
      (0...mapping.maximumX).contains(frame.x) && (0...mapping.maximumY).contains(frame.y),
      "the pen is on the sheet: \(frame)")
    require(
      (0...PenForce.maximum).contains(frame.pressure), "the pressure is on its axis: \(frame)")
    require((frame.pressure > 0) == frame.isTouching, "only a tip has pressure: \(frame)")
    require(frame.isNear || !frame.isTouching, "only a pen that is near touches: \(frame)")
    require(
      !frame.isTouching || last?.isNear == true, "a pen is seen before it touches: \(frame)")
  }
}
