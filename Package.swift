// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors in continuous integration; elsewhere another compiler may know more of them.
let warningLevel: WarningLevel = Context.environment["CI"] == nil ? .warning : .error

/// The same strictness for every Swift target.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: warningLevel),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A Swift module, which may import only what is listed here.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Tests of the module of that name, and of what it is built on.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "pressured",
  products: [
    .library(name: "PressureKit", targets: ["PressureKit"]),
    .library(name: "PressureProtocol", targets: ["PressureProtocol"]),
    .library(name: "PressureClient", targets: ["PressureClient"]),
    .executable(name: "pressured", targets: ["pressured"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(
      name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev", "pkg-config"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .target(name: "CTerminal"),

    // For programs of others.
    // Without an import nothing else would link rounding and square roots.
    .target(
      name: "PressureKit", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
    module("PressureProtocol", ["PressureKit"]),
    module(
      "PressureClient",
      ["PressureKit", "PressureProtocol", "PressureConnection", "PressureSystem", "CLinux"]),
    module("PressureConnection", ["PressureKit", "PressureProtocol", "PressureSystem", "CLinux"]),

    // For our own.
    module("PressureSystem", ["PressureKit", "CLinux"]),
    module("PressureLoop", ["PressureSystem", "CLinux", "CSystemd"]),
    module("PressureYAML", ["PressureSystem", "CYAML"]),
    module(
      "PressureSettings", ["PressureKit", "PressureProtocol", "PressureSystem", "PressureYAML"]),
    module(
      "PressureRecordings", ["PressureKit", "PressureSystem", "PressureYAML", "CEvdev", "CLinux"]),
    module("PressureHID", ["PressureKit"]),
    module(
      "PressureDevices",
      [
        "PressureKit", "PressureHID", "PressureSettings", "PressureSystem", "PressureLoop",
        "CEvdev", "CLinux",
      ]),
    module(
      "PressureDaemon",
      [
        "PressureKit", "PressureProtocol", "PressureConnection", "PressureSystem", "PressureLoop",
        "PressureSettings",
        "PressureRecordings", "PressureDevices", "CLinux", "CSystemd",
      ]),
    module(
      "PressureLoopConnection",
      [
        "PressureProtocol", "PressureConnection", "PressureSystem", "PressureLoop",
        "PressureSettings",
      ]),
    module(
      "PressureTerminal",
      [
        "PressureKit", "PressureProtocol", "PressureConnection", "PressureLoopConnection",
        "PressureSystem", "PressureLoop", "PressureSettings",
        "CLinux", "CTerminal",
      ]),
    module(
      "PressurePlots",
      [
        "PressureKit", "PressureProtocol", "PressureSystem", "PressureSettings",
        "PressureRecordings",
      ]),
    module(
      "PressureBindings",
      [
        "PressureKit", "PressureProtocol", "PressureConnection", "PressureLoopConnection",
        "PressureSystem", "PressureLoop", "PressureSettings", "CEvdev", "CSystemd",
      ]),
    .executableTarget(
      name: "pressured",
      dependencies: [
        "PressureKit", "PressureProtocol", "PressureConnection", "PressureSystem", "PressureLoop",
        "PressureSettings",
        "PressureRecordings", "PressureDevices", "PressureDaemon", "PressureTerminal",
        "PressureBindings", "PressurePlots", "CEvdev", "CLinux", "CSystemd", argumentParser,
      ],
      swiftSettings: strict),

    .executableTarget(
      name: "EngineBenchmark", dependencies: ["PressureKit", "CEvdev"],
      path: "Benchmarks/EngineBenchmark", swiftSettings: strict),
    .target(
      name: "PressureTestSupport",
      dependencies: ["PressureKit", "PressureProtocol", "PressureSystem"],
      path: "Tests/Support",
      swiftSettings: strict),
    tests(
      "PressureKitTests", ["PressureKit", "PressureProtocol", "PressureTestSupport"],
      exclude: ["Scenarios", "Recordings"]),
    tests(
      "PressureClientTests", ["PressureClient", "PressureProtocol", "PressureSystem", "CLinux"]),
    tests(
      "PressureBindingsTests",
      ["PressureBindings", "PressureKit", "PressureProtocol", "PressureSettings", "CEvdev"]),
    tests(
      "PressureDaemonTests",
      ["PressureDaemon", "PressureKit", "PressureProtocol", "PressureConnection", "PressureSystem"]),
    tests("PressureHIDTests", ["PressureHID", "PressureKit", "PressureTestSupport"]),
    tests(
      "PressureDevicesTests",
      [
        "PressureDevices", "PressureKit", "PressureSettings", "PressureLoop", "PressureSystem",
        "PressureTestSupport", "CEvdev",
      ]),
    tests("PressureLoopTests", ["PressureLoop", "PressureSystem", "CLinux"]),
    tests(
      "PressurePlotsTests",
      [
        "PressurePlots", "PressureKit", "PressureProtocol", "PressureRecordings",
        "PressureSettings",
      ]),
    tests("PressureRecordingsTests", ["PressureRecordings", "PressureKit", "PressureTestSupport"]),
    tests(
      "PressureSettingsTests",
      [
        "PressureSettings", "PressureYAML", "PressureKit", "PressureProtocol", "PressureSystem",
        "PressureTestSupport",
      ]),
    tests(
      "PressureTerminalTests",
      [
        "PressureTerminal", "PressureKit", "PressureProtocol", "PressureConnection",
        "PressureSystem",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// Only on request, as the linker finds libFuzzer only with `--sanitize=fuzzer`: `Fuzz/run` builds it.
if Context.environment["PRESSURED_WITH_FUZZ"] != nil {
  package.targets += [
    .target(name: "CFuzz", path: "Fuzz/Work"),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "PressureKit", "PressureProtocol", "PressureConnection", "PressureSystem",
        "PressureSettings", "PressureHID",
        "PressureRecordings", "PressureDaemon", "PressureTerminal", "PressureBindings",
        "PressurePlots", "PressureTestSupport", "CFuzz",
      ],
      path: "Fuzz", exclude: ["Work", "corpus", "found", "words", "make-corpus", "run"],
      swiftSettings: strict),
  ]
}
