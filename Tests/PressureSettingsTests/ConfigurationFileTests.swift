import PressureKit
import PressureTestSupport
import Testing

@testable import PressureSettings
@testable import PressureSystem

@Test(
  arguments: [
    ("/nonexistent/config.yaml", false, 66, "/nonexistent/config.yaml: there is no such file"),
    ("/", false, 78, "cannot read /: Is a directory"),
    ("/dev/zero", false, 78, "cannot read /dev/zero: it is a device, not a regular file"),
    ("/dev/zero", true, 78, "cannot read /dev/zero: it is larger than 1024 KiB"),
  ] as [(String, Bool, Int32, String)])
func `an explicit file must be there and regular, or of limited size`(
  path: String, acceptsAny: Bool, status: Int32, sentence: String
) {
  let location = ConfigurationLocation(path: path, isRequired: true)
  let error = #expect(throws: ConfigurationErrors.self) {
    try ConfigurationFile.read(at: location, accepting: acceptsAny ? .any : .regular)
  }
  #expect(error?.exitError.status == status)
  #expect(error?.sentences == [sentence])
}

@Test func `a default file need not exist`() throws {
  let location = ConfigurationLocation(path: "/nonexistent/config.yaml", isRequired: false)
  #expect(try ConfigurationFile.read(at: location) == Configuration())
  #expect(try ConfigurationFile.read(at: nil) == Configuration())
}

@Test func `errors contain the path of the file`() throws {
  let text = "always_read: true\n"
  let file = try TemporaryFile(text)
  #expect(try ConfigurationFile.read(path: file.path).alwaysRead)
  try file.replace(Array((text + "a: 1\n").utf8))
  let error = #expect(throws: ConfigurationErrors.self) {
    try ConfigurationFile.read(path: file.path)
  }
  #expect(error?.exitError.status == 78)
  #expect(error?.sentences.first?.hasPrefix(#"\#(file.path):2:1: unknown key "a";"#) == true)
}

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
