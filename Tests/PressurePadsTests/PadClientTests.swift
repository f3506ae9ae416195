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
  func aServiceThatDoesNotAnswerIsNotWaitedForWithoutEnd(_ others: Int) throws {
    let folder = try TemporaryDirectory.make(in: "/tmp")
    let path = "\(folder)/socket"
    defer {
      unlink(path)
      rmdir(folder)
    }
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

  @Test func aServiceThatIsNotThereIsAnError() {
    let error = #expect(throws: PadError.self) {
      _ = try PadClient.ask("restore", at: "/nonexistent/socket")
    }
    #expect(error?.code == .failed)
    #expect(error?.message.contains("No such file or directory") == true)
  }
}
