import Testing

@testable import PressureSettings

@Test(
  arguments: [
    (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], 1000, "/x/pressured/config.yaml"),
    (["XDG_CONFIG_HOME": "x", "HOME": "/h"], 1000, "/h/.config/pressured/config.yaml"),
    (["XDG_CONFIG_HOME": "", "HOME": "/h"], 1000, "/h/.config/pressured/config.yaml"),
    (["HOME": ""], 1000, nil),
    ([:], 1000, nil),
    (["HOME": "/root"], 0, "/etc/pressured/config.yaml"),
    (["CONFIGURATION_DIRECTORY": "/etc/pressured:/b"], 990, "/etc/pressured/config.yaml"),
  ] as [([String: String], UInt32, String?)])
func `each user has one default path`(
  environment: [String: String], user: UInt32, path: String?
) {
  let location = ConfigurationLocation.first(path: nil, environment: environment, userID: user)
  #expect(location?.path == path)
  #expect(location?.isRequired != true)
}

@Test func `an explicit file takes precedence`() {
  let location = ConfigurationLocation.first(
    path: "my.yaml", environment: ["XDG_CONFIG_HOME": "/x"], userID: 0)
  #expect(location == ConfigurationLocation(path: "my.yaml", isRequired: true))
}
