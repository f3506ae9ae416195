import Glibc
import PressureSystem
import Testing

@Suite struct SymbolicLinkTests {
  /// A directory with a file, a link to it, a link to that link, and links to themselves, each by a relative path.
  @Test func `the name is that behind the links`() throws {
    var template = Array("/tmp/pressured-links-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      for name in ["by-path/far", "by-path/near", "by-path/absolute", "by-path/loop"] {
        unlink("\(folder)/\(name)")
      }
      rmdir("\(folder)/by-path")
      rmdir(folder)
    }
    mkdir("\(folder)/by-path", 0o700)
    symlink("../event7", "\(folder)/by-path/near")
    symlink("near", "\(folder)/by-path/far")
    symlink("/dev/input/event9", "\(folder)/by-path/absolute")
    symlink("loop", "\(folder)/by-path/loop")
    #expect(SymbolicLink.name(of: "\(folder)/by-path/near") == "event7")
    #expect(SymbolicLink.name(of: "\(folder)/by-path/far") == "event7")
    #expect(SymbolicLink.name(of: "\(folder)/by-path/absolute") == "event9")
    #expect(SymbolicLink.name(of: "\(folder)/by-path/loop") == nil)
    #expect(SymbolicLink.name(of: "\(folder)/by-path/far") { $0 == "near" } == "near")
    #expect(SymbolicLink.name(of: "/dev/input/event7") == "event7")
    #expect(SymbolicLink.name(of: "/") == nil)
    #expect(SymbolicLink.name(of: "") == nil)
  }
}
