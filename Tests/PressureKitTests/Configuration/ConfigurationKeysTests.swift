import Testing

@testable import PressureKit

struct ConfigurationKeysTests {
  /// How many fields there are in a branch that are no branches themselves.
  private func fieldCount(of value: Any) -> Int {
    let mirror = Mirror(reflecting: value)
    return mirror.children.reduce(0) { sum, child in
      switch child.value {
      case is SocketConfiguration, is UseConfiguration, is ControlConfiguration,
        is HeaviestConfiguration,
        is MaximumForceConfiguration, is PressConfiguration, is HapticsConfiguration,
        is ScaleConfiguration:
        sum + fieldCount(of: child.value)
      default: sum + 1
      }
    }
  }

  @Test func `every field has its key`() {
    // What a file of quirks says goes by the key of the file.
    #expect(fieldCount(of: Configuration()) == Configuration.settings.count + 1)
    #expect(Set(Configuration.settings.map(\.key)).count == Configuration.settings.count)
  }

  @Test func `what is the same does not differ`() {
    #expect(Configuration().keys(thatDifferFrom: Configuration()) == [])
  }

  @Test func `what differs is named in the order of the manual page`() throws {
    var configuration = Configuration()
    configuration.scale.autoZero = true
    configuration.maximumForce = try MaximumForceConfiguration(releaseRatio: 0.5)
    configuration.quirks = [Quirk(title: "Another")]
    configuration.socket.group = "input"
    #expect(
      configuration.keys(thatDifferFrom: Configuration())
        == ["socket.group", "max_force.release_ratio", "scale.auto_zero", "quirks_file"])
  }

  @Test func `only the socket's place and rights take a restart`() {
    let late = Configuration.settings.map(\.key).filter(Configuration.needsRestart)
    #expect(late == ["socket.path", "socket.mode", "socket.group"])
  }
}
