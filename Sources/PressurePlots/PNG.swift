internal import Glibc
internal import PressureKit
internal import PressureProtocol
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem

/// A drawing in pixels, as rsvg-convert makes it.
package enum PNG {
  /// Why there is none.
  package enum Fault: Error {
    /// The program is not installed.
    case missing
    /// It does not work, or nobody lets it.
    case failed(String)

    /// To stand after the file's name.
    package var reason: String {
      switch self {
      case .missing:
        "a PNG needs rsvg-convert, which is not installed (Debian has it in librsvg2-bin); "
          + "an SVG needs nothing"
      case .failed(let reason): reason
      }
    }
  }

  /// Bytes; a page at twice its size has a few hundred thousand.
  private static let mostBytes = 64 << 20

  /// The picture's bytes, at twice the size of the drawing.
  package static func bytes(of svg: String) throws(Fault) -> [UInt8] {
    let folder: String
    do throws(SystemError) {
      folder = try TemporaryDirectory.make(in: Environment.value("TMPDIR") ?? "/tmp")
    } catch {
      throw .failed(error.sentence)
    }
    let (drawn, picture) = ("\(folder)/plot.svg", "\(folder)/plot.png")
    defer {
      unlink(drawn)
      unlink(picture)
      rmdir(folder)
    }
    do throws(SystemError) {
      let file = try RecordedFile(path: drawn, replaces: false)
      try file.append(svg)
      try convert(drawn, picture)
    } catch {
      throw error.number == ENOENT ? .missing : .failed(error.sentence)
    }
    do throws(AtomicFile.ReadError) {
      return try AtomicFile.read(picture, limit: mostBytes)
    } catch {
      throw .failed("rsvg-convert has made no picture of it")
    }
  }

  private static func convert(_ drawn: String, _ picture: String) throws(SystemError) {
    let words = ["rsvg-convert", "--zoom", "2", "--format", "png", "--output", picture, drawn]
    let child = try Spawn(words: words).start()
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else {
        throw SystemError(attempt: "wait for rsvg-convert", number: errno)
      }
    }
  }
}
