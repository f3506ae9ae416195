import Foundation
import PressureTestSupport
import Testing

@testable import PressureKit

/// The long recordings yield the expected events, and are the output of `make-dumps.py`.
struct DumpTests {
  /// The engine's events for a recording.
  private func events(of name: String) throws -> (surface: Surface, buffer: EventBuffer) {
    let dump = try Dump(name)
    var engine = Engine(surface: try Surface(dump.description))
    var buffer = EventBuffer()
    for event in dump.events { engine.receive(event, into: &buffer) }
    #expect(engine.contacts.isEmpty, "no contact is left at the end")
    return (engine.surface, buffer)
  }

  /// The sequence of heaviest contacts; nil for none.
  private func holders(in buffer: EventBuffer) -> [Int32?] {
    buffer.events.compactMap { event -> Int32?? in
      if case .heaviest(let contact, _) = event.kind { .some(contact?.id.value) } else { nil }
    }
  }

  /// The sequence of maximum force events.
  private func maximumForceEvents(in buffer: EventBuffer) -> [String] {
    buffer.events.compactMap { event in
      if case .maximumForce(let contact, let state, target: _) = event.kind {
        "\(contact.id.value) \(state)"
      } else {
        nil
      }
    }
  }

  private func peaks(in buffer: EventBuffer) -> [Double] {
    buffer.events.compactMap { event in
      if case .contact(let contact) = event.kind, contact.phase == .ended {
        contact.peakWeight?.grams
      } else {
        nil
      }
    }
  }

  @Test func `the lighter of two plums becomes the heaviest when pressed`() throws {
    let (surface, buffer) = try events(of: "two-plums.evemu")
    #expect(surface.capability == .size)
    #expect(holders(in: buffer) == [40, 41, 40, nil])
    #expect(maximumForceEvents(in: buffer) == ["41 reached", "41 released"])
    let longest = try #require(buffer.events.last?.time.microseconds)
    #expect((11_000_000...12_000_000).contains(longest))
  }

  @Test func `two plums at rest have their weights`() throws {
    let (_, buffer) = try events(of: "two-plums.evemu")
    let atRest = buffer.events.filter { $0.time.microseconds < 4_200_000 }
    let reports = atRest.compactMap { event -> WeightReport? in
      if case .weight(let report) = event.kind { report } else { nil }
    }
    let grams = try #require(reports.last).contacts.compactMap(\.weight?.grams)
    try #require(grams.count == 2)
    #expect(abs(grams[0] - 62) < 2.5)
    #expect(abs(grams[1] - 45) < 2.5)
  }

  @Test func `ten fingers begin, press in a wave and end`() throws {
    let (surface, buffer) = try events(of: "ten-fingers.evemu")
    #expect(surface.slotCount == 10)
    let most = buffer.events.compactMap { event in
      if case .weight(let report) = event.kind { report.contacts.count } else { nil }
    }.max()
    #expect(most == 10)
    #expect(
      maximumForceEvents(in: buffer) == ["43 reached", "43 released", "42 reached", "42 released"])
    let holders = holders(in: buffer)
    #expect(holders.last == .some(nil))
    #expect(Set(holders.compactMap(\.self)).count >= 9, "nearly every finger is the heaviest once")
  }

  @Test func `grams continue beyond the maximum force`() throws {
    let (surface, buffer) = try events(of: "true-force.evemu")
    #expect(surface.capability == .force)
    #expect(surface.weightSource == .kernel)
    #expect(maximumForceEvents(in: buffer) == ["41 reached", "41 released"])
    #expect(holders(in: buffer) == [40, 41, 40, nil])
    let peaks = peaks(in: buffer)
    try #require(peaks.count == 2)
    #expect(abs(peaks[0] - 620) < 15)
    #expect(abs(peaks[1] - 204) < 3)
  }

  @Test(.enabled(if: Python.isThere, "python3 is needed to regenerate the recordings"))
  func `the recordings are the output of the script`() throws {
    let fresh = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: fresh, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: fresh) }
    let script = Folder.ofTests + "/dumps/make-dumps.py"
    #expect(try Python.run([script, fresh.path]) == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: fresh.path).sorted()
    let known = ["force-click", "strokes", "ten-fingers", "true-force", "two-plums"]
    #expect(names == known.map { "\($0).evemu" })
    for name in names {
      let written = try Data(contentsOf: fresh.appendingPathComponent(name))
      let isExample = ["force-click.evemu", "strokes.evemu"].contains(name)
      let folder = isExample ? Folder.ofTests + "/../docs/examples/" : Dump.folder
      let kept = try Data(contentsOf: URL(fileURLWithPath: folder + name))
      #expect(written == kept, "\(name) is not what Tests/dumps/make-dumps.py writes")
    }
  }
}

/// The interpreter of the script that generates the recordings.
private enum Python {
  static let isThere = (try? run(["--version"])) == 0

  /// Runs it without output.
  static func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
