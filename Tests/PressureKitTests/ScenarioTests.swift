import Glibc
import PressureSystem
import PressureTestSupport
import Testing

/// Each file of `Scenarios` specifies a behavior of the engine, which its name states.
struct ScenarioTests {
  private static let folder = Folder.ofTests + "/PressureKitTests/Scenarios/"

  /// The files in all folders, one for each subject.
  private static let names =
    FileNames.names(in: folder).flatMap { subject in
      FileNames.names(in: folder + subject).map { "\(subject)/\($0)" }
    }

  @Test(arguments: names)
  func `the engine behaves as specified`(name: String) throws {
    let text = try Files.text(Self.folder + name)
    let scenario = try Scenario(text)
    #expect(!scenario.expected.isEmpty, "a scenario must expect something")
    let actual = scenario.run()
    if actual != scenario.expected, getenv("ACCEPT") != nil {
      let head = text.prefix(through: try #require(text.firstRange(of: "\n---\n")).lowerBound)
      let accepted = head + "---\n" + actual.map { $0 + "\n" }.joined()
      try Files.write(accepted.utf8, to: Self.folder + name)
    }
    // Not an equality expectation, which would print both complete lists before the difference.
    if actual != scenario.expected {
      Issue.record("\(Difference(expected: scenario.expected, actual: actual))")
    }
  }

  @Test(arguments: names)
  func `the time of day does not matter`(name: String) throws {
    let scenario = try Scenario(Files.text(Self.folder + name))
    for delay: Int64 in [1, 10_000, 77_777, 86_400_000_000] {
      let actual = scenario.run(delayedBy: delay)
      if actual != scenario.expected {
        Issue.record("\(delay) µs: \(Difference(expected: scenario.expected, actual: actual))")
      }
    }
  }

  @Test func `a syntax error in a scenario is reported`() {
    let wrong = [
      "device slots=1 x=0..9 y=0..9": "no line ---",
      "0 id=1\n---": "the first line is not that of the device",
      "device slots=1 x=0..9 y=0-9\n---": "0-9 is not a range",
      "device slots=1 x=0..9 y=0..9 z=1\n---": "z is no word of a device",
      "device slots=1 x=0..9 y=0..9\nsettings tea: 1\n---":
        "settings:1:3: unknown key \"tea\"; valid keys are socket, access, use, control, always_read, "
        + "nominal_full_scale_grams, quirks_file, press, regions, devices, actions, haptics, scale",
      "device slots=1 x=0..9 y=0..9\nonly tea\n---": "tea is no event",
      "device slots=1 x=0..9 y=0..9\n0 id=one\n---": "one is not a number that fits",
      "device slots=1 x=0..9 y=0..9\n0 color=1\n---": "color is no word of a frame",
    ]
    for (text, fault) in wrong {
      let error = #expect(throws: WordError.self) { try Scenario(text) }
      #expect(error?.description == fault)
    }
  }
}

/// The first line in which two lists differ, as a message.
private struct Difference: CustomStringConvertible {
  var expected: [String]
  var actual: [String]

  var description: String {
    let same = zip(expected, actual).prefix { $0 == $1 }.count
    return """
      they differ in line \(same + 1) of \(expected.count) expected and \(actual.count) actual lines
      expected  \(same < expected.count ? expected[same] : "(nothing more)")
      actual    \(same < actual.count ? actual[same] : "(end)")
      """
  }
}
