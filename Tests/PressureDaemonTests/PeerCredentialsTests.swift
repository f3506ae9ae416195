import Glibc
import Testing

@testable import PressureDaemon
@testable import PressureKit

struct PeerCredentialsTests {
  private func peer(_ userID: UInt32, _ groups: Set<UInt32> = []) -> PeerCredentials {
    PeerCredentials(userID: userID, groupIDs: groups)
  }

  /// Somebody who is neither root nor we.
  private let stranger: UInt32 = 54_321

  @Test func `the kernel says who is there`() throws {
    var pair: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { for number in pair { close(number) } }
    let peer = try #require(PeerCredentials(of: pair[0]))
    #expect(peer.userID == geteuid())
    #expect(peer.groupIDs.contains(getegid()))
    var groups = [gid_t](repeating: 0, count: 65_536)
    let count = getgroups(Int32(groups.count), &groups)
    #expect(peer.groupIDs.isSuperset(of: groups.prefix(Int(count))))
    #expect(PeerCredentials(of: -1) == nil)
  }

  @Test func `root and our own user have control`() {
    let nobody = ControlConfiguration()
    #expect(peer(0).mayControl(nobody))
    #expect(peer(geteuid()).mayControl(nobody))
    #expect(!peer(stranger, [0]).mayControl(nobody))
  }

  @Test func `users and groups have it by their names`() throws {
    var control = ControlConfiguration()
    control.users = ["no-such-user", "daemon"]
    control.groups = ["no-such-group", "games"]
    let daemon = try #require(getpwnam("daemon")).pointee.pw_uid
    let games = try #require(getgrnam("games")).pointee.gr_gid
    #expect(peer(daemon).mayControl(control))
    #expect(peer(stranger, [games]).mayControl(control))
    #expect(!peer(stranger, [stranger]).mayControl(control))
  }
}
