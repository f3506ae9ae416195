import Foundation
import Testing

@testable import PressureKit

/// The long recordings show what they promise, and are what the script next door writes.
struct DumpTests {
  /// What the engine says to a recording.
  private func said(of name: String) throws -> (surface: Surface, buffer: EventBuffer) {
    let dump = try Dump(name)
    var engine = Engine(surface: try Surface(dump.description))
    var buffer = EventBuffer()
    for event in dump.events { engine.receive(event, into: &buffer) }
    #expect(engine.contacts.isEmpty, "all contacts are lifted at the end")
    return (engine.surface, buffer)
  }

  /// Who wore the crown, one after another; nil for nobody.
  private func crowns(in buffer: EventBuffer) -> [Int32?] {
    buffer.events.compactMap { event -> Int32?? in
      if case .heaviest(let contact, _) = event.kind { .some(contact?.id.value) } else { nil }
    }
  }

  /// Who pressed to the full, in turn, and whether it was reached or released.
  private func fullForces(in buffer: EventBuffer) -> [String] {
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

  @Test func `of two plums the lighter is pressed until it is the heaviest`() throws {
    let (surface, buffer) = try said(of: "two-plums.evemu")
    #expect(surface.capability == .size)
    #expect(crowns(in: buffer) == [40, 41, 40, nil])
    #expect(fullForces(in: buffer) == ["41 reached", "41 released"])
    let longest = try #require(buffer.events.last?.time.microseconds)
    #expect((11_000_000...12_000_000).contains(longest))
  }

  @Test func `two plums at rest weigh what they weigh`() throws {
    let (_, buffer) = try said(of: "two-plums.evemu")
    let resting = buffer.events.last { event in
      if case .weight = event.kind { event.time.microseconds < 4_200_000 } else { false }
    }
    guard case .weight(let report) = try #require(resting).kind else { return }
    let grams = buffer.contacts[report.contacts].compactMap(\.weight?.grams)
    try #require(grams.count == 2)
    #expect(abs(grams[0] - 62) < 2.5)
    #expect(abs(grams[1] - 45) < 2.5)
  }

  @Test func `ten fingers come, press in a wave and go`() throws {
    let (surface, buffer) = try said(of: "ten-fingers.evemu")
    #expect(surface.slotCount == 10)
    let most = buffer.events.compactMap { event in
      if case .weight(let report) = event.kind { report.contacts.count } else { nil }
    }.max()
    #expect(most == 10)
    #expect(fullForces(in: buffer) == ["43 reached", "43 released", "42 reached", "42 released"])
    let worn = crowns(in: buffer)
    #expect(worn.last == .some(nil))
    #expect(Set(worn.compactMap(\.self)).count >= 9, "the crown goes round")
  }

  @Test func `a finger presses true grams beyond full force`() throws {
    let (surface, buffer) = try said(of: "true-force.evemu")
    #expect(surface.capability == .force)
    #expect(surface.weightSource == .kernel)
    #expect(fullForces(in: buffer) == ["41 reached", "41 released"])
    #expect(crowns(in: buffer) == [40, 41, 40, nil])
    let peaks = peaks(in: buffer)
    try #require(peaks.count == 2)
    #expect(abs(peaks[0] - 620) < 15)
    #expect(abs(peaks[1] - 204) < 3)
  }

  @Test(.enabled(if: Python.isThere, "there is no python3 to write the recordings anew"))
  func `the recordings are what the script writes`() throws {
    let fresh = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: fresh, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: fresh) }
    let script = Folder.ofTests + "/../dumps/make-dumps.py"
    #expect(try Python.run([script, fresh.path]) == 0)
    let names = try Folder.names(in: fresh.path, ending: ".evemu")
    let known = ["force-click", "strokes", "ten-fingers", "true-force", "two-plums"]
    #expect(names == known.map { "\($0).evemu" })
    for name in names {
      let written = try Data(contentsOf: fresh.appendingPathComponent(name))
      let isExample = ["force-click.evemu", "strokes.evemu"].contains(name)
      let folder = isExample ? Folder.ofTests + "/../../docs/examples/" : Folder.ofRecordings
      let kept = try Data(contentsOf: URL(fileURLWithPath: folder + name))
      #expect(written == kept, "\(name) is not what Tests/dumps/make-dumps.py writes")
    }
  }
}

/// The interpreter of the script that writes the recordings.
private enum Python {
  static let isThere = (try? run(["--version"])) == 0

  /// Runs it in silence.
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
