import Testing

@testable import PressureKit

struct ConfigurationKeysTests {
  /// The number of leaf properties in a subtree.
  private func fieldCount(of value: Any) -> Int {
    let mirror = Mirror(reflecting: value)
    return mirror.children.reduce(0) { sum, child in
      switch child.value {
      case is SocketConfiguration, is AccessConfiguration, is UseConfiguration,
        is ControlConfiguration, is HeaviestConfiguration,
        is MaximumForceConfiguration, is PressConfiguration, is PressRules,
        is HapticsConfiguration, is ScaleConfiguration:
        sum + fieldCount(of: child.value)
      default: sum + 1
      }
    }
  }

  @Test func `every property has a key`() {
    // The contents of the quirks file have the key of the file.
    #expect(fieldCount(of: Configuration()) == Configuration.settings.count + 1)
    #expect(Set(Configuration.settings.map(\.key)).count == Configuration.settings.count)
  }

  @Test func `equal configurations do not differ`() {
    #expect(Configuration().keys(thatDifferFrom: Configuration()) == [])
  }

  @Test func `differences are listed in the order of the manual page`() throws {
    var configuration = Configuration()
    configuration.scale.autoZero = true
    configuration.maximumForce = try MaximumForceConfiguration(releaseRatio: 0.5)
    configuration.quirks = [Quirk(title: "Another")]
    configuration.socket.group = "input"
    #expect(
      configuration.keys(thatDifferFrom: Configuration())
        == ["socket.group", "max_force.release_ratio", "scale.auto_zero", "quirks_file"])
  }

  @Test func `only the socket's path and permissions need a restart`() {
    let late = Configuration.settings.map(\.key).filter(Configuration.needsRestart)
    #expect(late == ["socket.path", "socket.mode", "socket.group"])
  }
}
