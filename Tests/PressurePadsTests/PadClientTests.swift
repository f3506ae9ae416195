import Glibc
import PressureSystem
import PressureTestSupport
import Testing

@testable import PressurePads

@Suite struct PadClientTests {
  private static func listener(at path: String, backlog: Int32) throws -> Descriptor {
    let file = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    let address = try #require(SocketAddress(path: path))
    #expect(address.with { bind(file.number, $0, $1) } == 0)
    #expect(listen(file.number, backlog) == 0)
    return file
  }

  /// Nobody accepts: the kernel keeps one connection, and the next one waits.
  @Test(arguments: [0, 1])
  func `waiting for a service that does not answer ends`(_ others: Int) throws {
    let folder = try TemporaryDirectory.make(in: "/tmp")
    let path = "\(folder)/socket"
    defer { Files.removeAll(folder) }
    let listener = try PadClientTests.listener(at: path, backlog: 0)
    let address = try #require(SocketAddress(path: path))
    let first = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    if others == 1 { #expect(address.with { connect(first.number, $0, $1) } == 0) }
    let error = #expect(throws: PadError.self) {
      _ = try PadClient.ask("restore", at: path, seconds: 0.2)
    }
    #expect(error?.code == .noAnswer)
    withExtendedLifetime((listener.number, first.number)) {}
  }

  @Test func `a service that is not there is an error`() {
    let error = #expect(throws: PadError.self) {
      _ = try PadClient.ask("restore", at: "/nonexistent/socket")
    }
    #expect(error?.code == .failed)
    #expect(error?.message.contains("No such file or directory") == true)
  }
}

@Suite struct PadRequestTests {
  @Test func `requests are parsed`() throws {
    #expect(try PadRequest("reset".utf8) == .reset)
    #expect(try PadRequest("restore".utf8) == .restore)
    #expect(
      try PadRequest("set haptics=5 click-force=light once".utf8)
        == .set([.haptics: .number(5), .clickForce: .level(.light)], isSaved: false))
    #expect(
      try PadRequest("set click-force=62.5 haptics=0".utf8)
        == .set([.haptics: .number(0), .clickForce: .number(62.5)], isSaved: true))
  }

  @Test(arguments: [
    "", " ", "set", "set once", "set haptics=5 haptics=6", "reset now", "restore 1",
    "SET haptics=5", "set once haptics=5",
    "set haptics=5 once once", "set haptics=5\u{0}", "set haptics=5\t", "set haptics=5\r", "sät",
    "get",
  ])
  func `invalid requests are refused`(_ line: String) {
    let error = #expect(throws: PadError.self) { _ = try PadRequest(line.utf8) }
    #expect(error?.code == .badRequest)
  }

  @Test func `a line has a limit`() throws {
    let line = Array("set haptics=5".utf8)
    let padding = { Array(repeating: UInt8(ascii: " "), count: $0 - line.count) }
    _ = try PadRequest(line + padding(PadRequest.maximumLength))
    #expect(throws: PadError.self) {
      _ = try PadRequest(line + padding(PadRequest.maximumLength + 1))
    }
  }

  @Test(arguments: [
    "", "click-force", "=5", "haptics=", "haptics=-1", "haptics=1e3", "haptics=nan", "haptics=inf",
    "haptics=light",
    "haptics=0x10", "clickforce=3", "haptics=1234567890", "haptics=5=5", "haptics=٤",
  ])
  func `invalid words are refused`(_ word: String) {
    let error = #expect(throws: PadError.self) { _ = try PadTarget.parse(word) }
    #expect(error?.code == .badRequest)
  }
}
