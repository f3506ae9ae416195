import Glibc
import PressureSystem
import Testing

@testable import PressureDaemon
@testable import PressureKit

struct PeerCredentialsTests {
  /// A user who is neither root nor that of the daemon.
  private let otherUser: UInt32 = 54_321

  @Test func `the kernel provides the credentials of the peer`() {
    var pair: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { for number in pair { close(number) } }
    #expect(PeerCredentials.userID(of: pair[0]) == geteuid())
    let peerGroups = PeerCredentials.groupIDs(of: pair[0])
    #expect(peerGroups.contains(getegid()))
    var groups = [gid_t](repeating: 0, count: 65_536)
    let count = getgroups(Int32(groups.count), &groups)
    #expect(Set(peerGroups).isSuperset(of: groups.prefix(Int(count))))
    #expect(PeerCredentials.userID(of: -1) == nil)
  }

  @Test func `root and the daemon's own user may control`() {
    let nobody = Permissions(Configuration())
    #expect(nobody.mayControl(0, in: []))
    #expect(nobody.mayControl(geteuid(), in: []))
    #expect(!nobody.mayControl(otherUser, in: [0]))
  }

  @Test func `configured users and groups may control`() throws {
    var configuration = Configuration()
    configuration.control.users = ["no-such-user", "daemon"]
    configuration.control.groups = ["no-such-group", "games"]
    let permissions = Permissions(configuration)
    let daemon = try #require(getpwnam("daemon")).pointee.pw_uid
    let games = try #require(getgrnam("games")).pointee.gr_gid
    #expect(permissions.mayControl(daemon, in: []))
    #expect(permissions.mayControl(otherUser, in: [games]))
    #expect(!permissions.mayControl(otherUser, in: [otherUser]))
  }

  @Test func `groups are read only if the user does not decide`() throws {
    var configuration = Configuration()
    configuration.access.users = ["daemon"]
    configuration.access.group = "games"
    let access = Permissions(configuration).access
    let daemon = try #require(getpwnam("daemon")).pointee.pw_uid
    var reads = 0
    func groups() -> [UInt32] {
      reads += 1
      return []
    }
    // Not within the macro, which evaluates each argument.
    let isDaemonIncluded = access.include(daemon, in: groups())
    #expect(isDaemonIncluded && reads == 0)
    let isOtherIncluded = access.include(otherUser, in: groups())
    #expect(!isOtherIncluded && reads == 1)
    let isOtherNamed = Accounts().include(otherUser, in: groups())
    #expect(!isOtherNamed && reads == 1)
  }
}
