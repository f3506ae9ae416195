import Glibc
import PressureTestSupport
import Testing

@testable import PressureDevices
@testable import PressureLoop
@testable import PressureSystem

struct PathMonitorTests {
  /// Directories and links that are created and removed, each change after the previous one was detected.
  private final class Changes {
    private let loop: EventLoop
    private let folder: String
    private let path: String
    private var monitor: PathMonitor?
    private var steps: ArraySlice<(Changes) -> Void> = []

    /// The number of notifications with an existing link.
    private(set) var sightings = 0

    init(of path: String) throws {
      folder = try TemporaryDirectory.make(in: "/tmp")
      self.path = "\(folder)/\(path)"
      loop = try EventLoop()
      monitor = PathMonitor(loop: loop, path: self.path) { [unowned self] in performNext() }
    }

    deinit { Files.removeAll(folder) }

    func make(_ path: String) { mkdir("\(folder)/\(path)", 0o700) }

    func link(_ path: String) { symlink("/dev/null", "\(folder)/\(path)") }

    func drop(_ path: String) { remove("\(folder)/\(path)") }

    private func performNext() {
      if access(path, F_OK) == 0 { sightings += 1 }
      guard let step = steps.popFirst() else { return loop.stop() }
      step(self)
    }

    /// Times out after much longer than any change takes.
    func perform(_ steps: (Changes) -> Void...) throws {
      self.steps = steps.dropFirst()
      let limit = try loop.timer { [unowned self] in loop.stop() }
      limit.set(to: loop.now + 20_000_000)
      steps.first?(self)
      _ = try loop.run()
    }
  }

  @Test func `a link in directories that are created and removed is detected`() throws {
    let changes = try Changes(of: "by/path/pad")
    try changes.perform(
      { $0.make("by") }, { $0.make("by/path") }, { $0.link("by/path/pad") },
      { changes in
        changes.drop("by/path/pad")
        changes.drop("by/path")
      },
      { $0.make("by/path") }, { $0.link("by/path/pad") })
    #expect(changes.sightings == 2)
  }

  @Test func `a link is detected if its directories are created at the same time`() throws {
    let changes = try Changes(of: "by/path/pad")
    try changes.perform({ changes in
      changes.make("by")
      changes.make("by/path")
      changes.link("by/path/pad")
    })
    #expect(changes.sightings == 1)
  }
}
