import Glibc
import PressureKit
import Testing

private let corpus = getenv("PRESSURED_CORPUS").map { String(cString: $0) } ?? ""

/// Real recordings, which are stored elsewhere as they cannot be published.
@Suite(.enabled(if: !corpus.isEmpty, "PRESSURED_CORPUS names the directory with the recordings"))
struct CorpusReadingTests {
  @Test func `every recording is read to its end`() throws {
    for folder in ["evemu", "evtest", "libinput", "refuse"] {
      let names = try files(in: "\(corpus)/\(folder)")
      #expect(!names.isEmpty)
      for path in names where !path.hasSuffix(".ndjson") && !path.hasSuffix(".desc") {
        let reading = Reading(path: path, describe: descriptionFile(of: path, among: names))
        #expect(reading.error == nil, "\(path)")
        #expect(!reading.events.isEmpty, "\(path)")
        let isGuessed = reading.description.name == "unknown device"
        #expect(isGuessed == (reading.warning?.contains("inferred") ?? false))
        #expect(isGuessed == path.contains("no-description"), "\(path)")
      }
    }
  }

  @Test func `a recording of the Cypress pad is the same in three formats`() throws {
    let name = "cypress-ps2.two-finger-press"
    let evemu = Reading(path: "\(corpus)/evemu/\(name).evemu")
    let libinput = Reading(path: "\(corpus)/libinput/\(name).yml")
    let raw = Reading(
      path: "\(corpus)/raw/\(name).input_event64", describe: "\(corpus)/evemu/\(name).evemu")
    #expect(evemu.events.count > 100)
    #expect(raw.events == evemu.events)
    #expect(raw.description == evemu.description)
    #expect(rebased(libinput.events) == rebased(evemu.events))
    #expect(libinput.description.axes == evemu.description.axes)
    for reading in [evemu, libinput, raw] { #expect(reading.error == nil) }
  }

  @Test func `a recording of the Atmel pad is the same in two formats`() throws {
    let evtest = Reading(path: "\(corpus)/evtest/atmel-pixel.drumroll.evtest")
    let libinput = Reading(path: "\(corpus)/libinput/atmel-pixel.drumroll.yml")
    #expect(evtest.events.count > 1000)
    #expect(rebased(libinput.events) == rebased(evtest.events))
  }

  /// The same events with times relative to the first one.
  private func rebased(_ events: [InputEvent]) -> [InputEvent] {
    let origin = events.first?.time.microseconds ?? 0
    return events.map { event($0.time.microseconds - origin, $0.code, $0.value) }
  }

  /// The description "a.desc" belongs to the events "a.events" and "a.what-was-done.events".
  private func descriptionFile(of path: String, among names: [String]) -> String? {
    guard path.hasSuffix(".events") else { return nil }
    return names.first { $0.hasSuffix(".desc") && path.hasPrefix($0.dropLast(4)) }
  }

  private func files(in folder: String) throws -> [String] {
    let stream = try #require(opendir(folder))
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append("\(folder)/\(name)") }
    }
    return names.sorted()
  }
}
