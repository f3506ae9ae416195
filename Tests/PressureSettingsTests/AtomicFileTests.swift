import Glibc
import PressureSystem
import PressureTestSupport
import Testing

@testable import PressureSettings

struct AtomicFileTests {
  /// An existing file with the temporary name must neither block the writer nor be written to.
  @Test(arguments: ["pipe", "link", "hard link", "file"])
  func `a file is written even if its temporary name exists`(_ kind: String) throws {
    let file = try TemporaryFile("old", name: "store")
    let other = try TemporaryFile("other")
    let draft = file.path + ".new"
    // Without a reader, opening it for writing would block for ever.
    var reader: Int32 = -1
    switch kind {
    case "pipe":
      try #require(mkfifo(draft, 0o600) == 0)
      reader = open(draft, O_RDONLY | O_NONBLOCK)
      try #require(reader >= 0)
    case "link": try #require(symlink(other.path, draft) == 0)
    case "hard link": try #require(link(other.path, draft) == 0)
    default: try file.write(Array("a longer draft".utf8), beside: "store.new")
    }
    defer { if reader >= 0 { close(reader) } }
    try AtomicFile.write(Array("new".utf8), to: file.path)
    #expect(try InputFile.read(file.path, limit: 100) == Array("new".utf8))
    #expect(try InputFile.read(other.path, limit: 100) == Array("other".utf8))
    #expect(access(draft, F_OK) != 0)
  }
}
