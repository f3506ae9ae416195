import Testing

@testable import PressureDesktop

struct PenStrokeTests {
  private static let pad = PenArea(x: 0, y: 0, width: 100, height: 60)

  private struct Bench {
    var stroke: PenStroke
    var time: Int64 = 0

    init(hasButton: Bool = false, chord: Int? = 5, area: PenArea = PenStrokeTests.pad) {
      let mapping = PenMapping(area: area, aspect: nil, rotation: .none, mode: .absolute)
      stroke = PenStroke(
        PenForce(tip: 0.4, full: 6), mapping, hasButton: hasButton, chord: chord)
    }

    /// The frames after contacts, 10 ms after the last ones.
    mutating func at(_ touches: PenTouch..., after pause: Int64 = 10_000) -> [PenFrame] {
      time += pause
      var frames: [PenFrame] = []
      stroke.update(with: touches, at: time) { frames.append($0) }
      return frames
    }
  }

  private func touch(
    _ contact: Int64, _ force: Double, x: Double = 50, y: Double = 30, length: Double? = nil
  ) -> PenTouch {
    PenTouch(
      contact: contact, point: PenPoint(x: x, y: y), force: force, maximumForce: 20.0 / 3,
      length: length)
  }

  @Test func `a light finger hovers, a harder one draws, and the pen leaves at the lift`() {
    var bench = Bench()
    #expect(bench.at(touch(1, 0.2)).map(\.isTouching) == [false])
    let down = bench.at(touch(1, 1))
    #expect(down.map(\.isTouching) == [true])
    #expect(down[0].pressure == PenForce.axisValue(of: 0.6 / 5.6, isOnset: true))
    let up = bench.at()
    #expect(up.map(\.isNear) == [true, false])
    #expect(up.map(\.pressure) == [0, 0])
    #expect(bench.at().isEmpty)
  }

  @Test func `the tip stays down until the force is well below the one at which it touched`() {
    var bench = Bench()
    _ = bench.at(touch(1, 0.5))
    #expect(bench.at(touch(1, 0.3)).map(\.isTouching) == [true])
    #expect(bench.at(touch(1, 0.2)).map(\.isTouching) == [false])
    #expect(bench.at(touch(1, 0.3)).isEmpty)
    #expect(bench.at(touch(1, 0.45)).map(\.isTouching) == [true])
  }

  @Test func `a hard finger is seen near the surface before it draws`() {
    var bench = Bench()
    let frames = bench.at(touch(1, 5))
    #expect(frames.map(\.isNear) == [true, true])
    #expect(frames.map(\.isTouching) == [false, true])
    #expect(frames[0].pressure == 0)
  }

  @Test func `libinput sets the tip down with the first pressure and loses none of the others`() {
    var bench = Bench()
    let onset = bench.at(touch(1, 0.4)).last
    #expect(onset?.pressure == PenForce.onset)
    let lightest = bench.at(touch(1, 0.4, x: 51)).last
    #expect(lightest?.pressure == PenForce.lightest)
    #expect(lightest?.programPressure == 0)
    #expect(bench.at(touch(1, 6)).last?.pressure == PenForce.maximum)
  }

  @Test func `a second finger does not draw, not even after the first was lifted`() {
    var bench = Bench()
    _ = bench.at(touch(1, 1, x: 20))
    #expect(bench.at(touch(1, 1, x: 20), touch(2, 3, x: 80)).isEmpty)
    #expect(bench.at(touch(2, 3, x: 80)).map(\.isNear) == [true, false])
    #expect(bench.at(touch(2, 4, x: 80)).isEmpty)
    _ = bench.at()
    #expect(bench.at(touch(3, 1, x: 80)).last?.isTouching == true)
  }

  @Test func `a finger that follows in the same frame does not continue the line`() {
    var bench = Bench()
    _ = bench.at(touch(1, 1, x: 20))
    let frames = bench.at(touch(2, 1, x: 80))
    #expect(frames.map(\.isNear) == [true, false, true, true])
    #expect(frames.map(\.isTouching) == [false, false, false, true])
    #expect(frames[0].x == 4000 && frames[1].x == 4000 && frames[2].x == 16000)
  }

  @Test func `a palm does not draw, and does not keep a finger from drawing`() {
    var bench = Bench()
    #expect(bench.at(touch(1, 4, length: 24)).isEmpty)
    #expect(bench.at(touch(1, 5, length: 26), touch(2, 0.2, length: 9)).map(\.isNear) == [true])
    let frames = bench.at(touch(1, 5, length: 26), touch(2, 1, length: 9), after: 30_000)
    #expect(frames.map(\.isTouching) == [true])
    // Smaller while it is being lifted.
    _ = bench.at(touch(1, 1, length: 10))
    #expect(bench.at(touch(1, 2, length: 10)).isEmpty)
  }

  @Test func `a palm that arrives as a small spot draws nothing`() {
    var bench = Bench()
    var frames = bench.at(touch(1, 1, length: 8))
    #expect(bench.stroke.deadline == bench.time + 20_000)
    frames += bench.at(touch(1, 3, length: 15), after: 8_000)
    frames += bench.at(touch(1, 4, length: 22), after: 8_000)
    #expect(!frames.contains { $0.isTouching })
    #expect(frames.last?.isNear == false)
  }

  @Test func `a finger that comes while a palm still looks like a finger draws after it`() {
    var bench = Bench()
    _ = bench.at(touch(1, 0.2, length: 8))
    let spot = bench.at(
      touch(1, 2, length: 15), touch(2, 1, x: 20, length: 9), after: 20_000)
    #expect(spot.map(\.isTouching) == [true])
    let frames = bench.at(touch(1, 3, length: 24), touch(2, 1, x: 20, length: 9))
    // The pen leaves the palm first, and the finger is seen near the surface.
    #expect(frames.map(\.isNear) == [true, false, true])
    #expect(frames.last?.x == 4000 && !frames.contains(where: \.isTouching))
    let drawn = bench.at(touch(1, 3, length: 24), touch(2, 1, x: 20, length: 9), after: 20_000)
    #expect(drawn.map(\.isTouching) == [true])
  }

  @Test
  func `a second finger that was a palm, or began beside the area, does not draw after a palm`() {
    for other in [touch(2, 1, x: 40, length: 26), touch(2, 1, x: 2, length: 9)] {
      var bench = Bench(area: PenArea(x: 20, y: 10, width: 60, height: 40))
      _ = bench.at(touch(1, 0.2, length: 8))
      _ = bench.at(touch(1, 0.2, length: 8), other)
      let smaller = touch(2, 1, x: 40, length: 9)
      let frames = bench.at(touch(1, 3, length: 24), smaller)
      #expect(frames.last?.isNear == false)
      #expect(bench.at(touch(1, 3, length: 24), smaller, after: 30_000).isEmpty)
    }
  }

  @Test func `a finger of known length draws once it has settled, also without another frame`() {
    var bench = Bench()
    #expect(bench.at(touch(1, 2, length: 8)).map(\.isTouching) == [false])
    #expect(bench.at(touch(1, 2, length: 8), after: 20_000).map(\.isTouching) == [true])
    #expect(bench.stroke.deadline == nil)
  }

  @Test func `a contact that begins beside the area draws nothing even if it moves in`() {
    var bench = Bench(area: PenArea(x: 20, y: 10, width: 60, height: 40))
    #expect(bench.at(touch(1, 2, x: 10)).isEmpty)
    #expect(bench.at(touch(1, 2, x: 50)).isEmpty)
    _ = bench.at()
    _ = bench.at(touch(2, 2, x: 30))
    // One that moves out draws along the edge.
    #expect(bench.at(touch(2, 2, x: 10)).last?.x == 0)
  }

  @Test func `five fingers end the pen after a second, and draw nothing meanwhile`() {
    var bench = Bench()
    let four = (1...4).map { touch($0, 1, x: Double($0) * 10) }
    _ = bench.at(four[0])
    _ = bench.at(four[0], four[1], four[2], four[3])
    let frames = bench.at(four[0], four[1], four[2], four[3], touch(5, 1, x: 90))
    #expect(frames.last?.isNear == false)
    let since = bench.time
    #expect(bench.stroke.deadline == since + PenStroke.chordTime)
    _ = bench.at(four[0], four[1], four[2], four[3], touch(5, 1, x: 91), after: 990_000)
    #expect(!bench.stroke.hasEnded)
    _ = bench.at(four[0], four[1], four[2], four[3], touch(5, 1, x: 91))
    #expect(bench.stroke.hasEnded)
  }

  @Test func `fewer fingers interrupt the chord, and none of them draws until all are lifted`() {
    var bench = Bench()
    let four = (1...4).map { touch($0, 1, x: Double($0) * 10) }
    _ = bench.at(four[0], four[1], four[2], four[3], touch(5, 1, x: 90))
    #expect(bench.at(four[0], four[1], four[2], four[3], after: 900_000).isEmpty)
    #expect(bench.stroke.deadline == nil)
    _ = bench.at(four[0], four[1], four[2], four[3], touch(6, 1, x: 90), after: 200_000)
    #expect(!bench.stroke.hasEnded)
    #expect(bench.at(four[0], touch(7, 1)).isEmpty)
    _ = bench.at()
    #expect(bench.at(touch(8, 1)).last?.isTouching == true)
  }

  @Test func `a hard press of a second finger is the button, with hysteresis`() {
    var bench = Bench(hasButton: true)
    _ = bench.at(touch(1, 0.2))
    #expect(bench.at(touch(1, 0.2), touch(2, 2)).isEmpty)
    #expect(bench.at(touch(1, 0.2), touch(2, 2.6)).map(\.isButtonDown) == [true])
    #expect(bench.at(touch(1, 0.2), touch(2, 1.8)).isEmpty)
    #expect(bench.at(touch(1, 0.2), touch(2, 1.6)).map(\.isButtonDown) == [false])
    _ = bench.at(touch(1, 0.2), touch(2, 3))
    // The button is released with the pen.
    #expect(bench.at(touch(2, 3)).map(\.isButtonDown) == [false, false])
  }

  @Test func `a hand that rests beside the area, or is a palm, does not press the button`() {
    var bench = Bench(hasButton: true, area: PenArea(x: 20, y: 10, width: 60, height: 40))
    _ = bench.at(touch(1, 0.2))
    #expect(bench.at(touch(1, 0.2), touch(2, 5, x: 5)).isEmpty)
    #expect(bench.at(touch(1, 0.2), touch(2, 5, x: 5), touch(3, 5, x: 70, length: 25)).isEmpty)
    // Smaller while it is being lifted.
    #expect(bench.at(touch(1, 0.2), touch(2, 5, x: 5), touch(3, 5, x: 70, length: 9)).isEmpty)
    #expect(bench.at(touch(1, 0.2), touch(4, 3, x: 60)).map(\.isButtonDown) == [true])
  }

  @Test func `more contacts than are remembered draw nothing`() {
    var bench = Bench(chord: nil)
    let many = (0..<40).map { touch(Int64($0), 1, x: Double($0)) }
    bench.time += 1
    var frames: [PenFrame] = []
    bench.stroke.update(with: many, at: bench.time) { frames.append($0) }
    #expect(frames.last?.x == 0)
    bench.stroke.update(with: Array(many.dropFirst()), at: bench.time + 1) { frames.append($0) }
    #expect(frames.last?.isNear == false)
  }

  @Test func `it emits only changes`() {
    var bench = Bench()
    _ = bench.at(touch(1, 0.41))
    // The first pressure of a stroke is the one that sets the tip down.
    #expect(bench.at(touch(1, 0.41)).count == 1)
    #expect(bench.at(touch(1, 0.41)).isEmpty)
  }
}
