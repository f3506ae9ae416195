import PressureTestSupport
import Testing

@testable import PressureKit

struct PracticeSessionTests {
  private static let pause: Int64 = 800_000

  /// A session on a pad of 100 by 60 mm whose stages begin at 30 and 70 of 100.
  private struct Player {
    var session: PracticeSession
    var time: Int64 = 0

    init(times: Int = 1, limit: Int = PracticeSession.maxEvents) throws {
      let words = "slots=2 x=0..1000@10 y=0..600@10 pressure=0..100".split(separator: " ")
      let surface = try Surface(DeviceDescription(words: words))
      session = PracticeSession(
        on: surface, configuration: Configuration().withFixedStages,
        device: DeviceID(surface.description),
        times: times, limit: limit)
    }

    mutating func frame(_ values: (EventCode, Int32)...) {
      time += 8000
      for (code, value) in values + [(.report, 0)] {
        session.receive(
          InputEvent(time: Timestamp(microseconds: time), code: code, value: value))
      }
    }

    /// A finger that presses, moves by millimeters, first while it presses and then after it, and is lifted.
    mutating func push(_ peak: Int32, _ pressed: Int32 = 0, _ after: Int32 = 0) {
      frame((.slot, 0), (.trackingID, 7), (.positionX, 100), (.positionY, 300), (.pressure, 10))
      frame((.pressure, peak))
      for step in 0..<pressed { frame((.positionX, 110 + 10 * step)) }
      frame((.pressure, 10))
      for step in 0..<after { frame((.positionX, 110 + 10 * (pressed + step))) }
      frame((.trackingID, -1))
      time += PracticeSessionTests.pause
      session.advance(to: Timestamp(microseconds: time))
    }
  }

  private static let pushes: [(Int32, Int32, Int32, PracticeOutcome)] = [
    (20, 0, 0, .nothing), (50, 0, 0, .press), (90, 0, 0, .forceClick), (50, 20, 0, .press),
    (50, 0, 20, .lostPress), (50, 20, 3, .press), (50, 0, 4, .press),
  ]

  @Test(arguments: pushes)
  func `a gesture is recognized`(
    peak: Int32, pressed: Int32, after: Int32, outcome: PracticeOutcome
  ) throws {
    var player = try Player()
    player.push(peak, pressed, after)
    #expect(player.session.performed.map(\.outcome) == [outcome])
    #expect(player.session.outcomes() == [outcome])
  }

  @Test func `parts of one gesture are less than the pause apart`() throws {
    var player = try Player()
    player.frame((.slot, 0), (.trackingID, 1), (.pressure, 50))
    player.frame((.trackingID, -1))
    player.time += 680_000
    player.frame((.trackingID, 2), (.pressure, 50))
    player.frame((.trackingID, -1))
    #expect(player.session.performed.isEmpty)
    player.session.finish()
    #expect(player.session.performed.map(\.outcome) == [.presses])
  }

  @Test func `gestures are asked for in order, and then no more`() throws {
    var player = try Player(times: 2)
    var asked: [PracticeGesture?] = []
    for _ in 0..<11 {
      asked.append(player.session.current)
      player.push(50)
    }
    #expect(asked == PracticeGesture.allCases.flatMap { [$0, $0] } + [nil])
    #expect(player.session.performed.count == 10)
  }

  @Test func `a repeated gesture leaves only the values of its slots`() throws {
    var player = try Player()
    player.push(90)
    player.session.repeatLast()
    #expect(player.session.performed.isEmpty)
    #expect(player.session.current == .click)
    #expect(!player.session.canRepeat)
    let left = player.session.events
    #expect(left.count { $0.code == .report } == 1)
    #expect(left.first { $0.code == .positionX }?.value == 100)
    #expect(left.first { $0.code == .trackingID }?.value == -1)
    // Without its position and with the pressure that it had.
    player.frame((.trackingID, 8))
    player.frame((.pressure, 50))
    player.frame((.trackingID, -1))
    player.session.finish()
    #expect(player.session.outcomes() == [.press])
  }

  @Test func `a session has at most its limit of events`() throws {
    var player = try Player(times: 50, limit: 30)
    for _ in 0..<10 { player.push(50) }
    #expect(player.session.events.count == 30)
    #expect(player.session.isFull)
    #expect(player.session.current == nil)
  }

  @Test func `a feel is proposed only if it recognizes more`() throws {
    var player = try Player(times: 1)
    player.push(50)
    player.push(90)
    #expect(player.session.proposal == nil)
    // A click at 28 is below the default stage, and at the click that is assumed for lighter feels.
    player = try Player(times: 1)
    player.push(28)
    player.push(90)
    #expect(player.session.proposal == .light)
    #expect(player.session.rightCount(player.session.outcomes()) == 1)
    #expect(player.session.rightCount(player.session.outcomes(with: .light), of: .click) == 1)
  }
}
