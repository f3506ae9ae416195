import Glibc
import PressureSystem
import Testing

@testable import PressureDaemon
@testable import PressureKit

struct PeerCredentialsTests {
  private func peer(_ userID: UInt32, _ groups: Set<UInt32> = []) -> PeerCredentials {
    PeerCredentials(userID: userID, groupIDs: groups)
  }

  /// A user who is neither root nor that of the daemon.
  private let otherUser: UInt32 = 54_321

  @Test func `the kernel provides the credentials of the peer`() throws {
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

  @Test func `root and the daemon's own user may control`() {
    let empty = ControlConfiguration()
    #expect(peer(0).mayControl(empty))
    #expect(peer(geteuid()).mayControl(empty))
    #expect(!peer(otherUser, [0]).mayControl(empty))
  }

  @Test func `configured users and groups may control`() throws {
    var control = ControlConfiguration()
    control.users = ["no-such-user", "daemon"]
    control.groups = ["no-such-group", "games"]
    let daemon = try #require(getpwnam("daemon")).pointee.pw_uid
    let games = try #require(getgrnam("games")).pointee.gr_gid
    #expect(peer(daemon).mayControl(control))
    #expect(peer(otherUser, [games]).mayControl(control))
    #expect(!peer(otherUser, [otherUser]).mayControl(control))
  }
}
