import PressureKit
import PressureTestSupport
import Testing

@testable import PressureSettings
@testable import PressureSystem

@Test func `an explicit file must exist`() {
  let location = ConfigurationLocation(path: "/nonexistent/config.yaml", isRequired: true)
  let error = #expect(throws: ConfigurationErrors.self) {
    try ConfigurationFile.read(at: location)
  }
  #expect(error?.status == 66)
  #expect(error?.sentences == ["/nonexistent/config.yaml: there is no such file"])
}

@Test func `a default file need not exist`() throws {
  let location = ConfigurationLocation(path: "/nonexistent/config.yaml", isRequired: false)
  #expect(try ConfigurationFile.read(at: location) == Configuration())
  #expect(try ConfigurationFile.read(at: nil) == Configuration())
}

@Test func `a directory is an invalid configuration`() {
  let error = #expect(throws: ConfigurationErrors.self) { try ConfigurationFile.read(path: "/") }
  #expect(error?.status == 78)
  #expect(error?.sentences == ["cannot read /: Is a directory"])
}

@Test func `an endless file is limited`() {
  let error = #expect(throws: ConfigurationErrors.self) {
    try ConfigurationFile.read(path: "/dev/zero", accepting: .any)
  }
  #expect(error?.status == 78)
  #expect(error?.sentences == ["cannot read /dev/zero: it is larger than 1024 KiB"])
}

@Test func `a device file is refused`() {
  let error = #expect(throws: ConfigurationErrors.self) {
    try ConfigurationFile.read(path: "/dev/zero")
  }
  #expect(error?.status == 78)
  #expect(error?.sentences == ["cannot read /dev/zero: it is a device, not a regular file"])
}

@Test func `errors contain the path of the file`() throws {
  let text = "always_read: true\n"
  let file = try TemporaryFile(text)
  #expect(try ConfigurationFile.read(path: file.path).alwaysRead)
  try file.replace(Array((text + "a: 1\n").utf8))
  let error = #expect(throws: ConfigurationErrors.self) {
    try ConfigurationFile.read(path: file.path)
  }
  #expect(error?.status == 78)
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
