// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors in continuous integration; elsewhere another compiler may know more of them.
let warningLevel: WarningLevel = Context.environment["CI"] == nil ? .warning : .error

/// Without network, the sources of the argument parser are where this variable points; see `scripts/build-release`.
///
/// One version, so that a commit is one program. SwiftPM fetches it for packages that use only the libraries as well.
let argumentParserPackage: Package.Dependency =
  Context.environment["PRESSURED_ARGUMENT_PARSER"].map { .package(path: $0) }
  ?? .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")

/// Whether modules that no frame passes are optimized for size, as in the installed program; see `scripts/build-release`.
///
/// SwiftPM refuses packages with unsafe flags as dependencies, so by default there are none.
let optimizesSize = Context.environment["PRESSURED_OPTIMIZE_SIZE"] != nil

/// The same strictness for every Swift target.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: warningLevel),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The same, for modules that no frame passes.
let small = strict + (optimizesSize ? [.unsafeFlags(["-Osize"])] : [])

/// A Swift module, which may import only what is listed here; each frame passes a hot one, live or from a recording.
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], isHot: Bool = false,
  exclude: [String] = [], resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources,
    swiftSettings: isHot ? strict : small)
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
  dependencies: [argumentParserPackage],
  targets: [
    .systemLibrary(
      name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev", "pkg-config"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .target(name: "CTerminal"),
    .target(name: "CPage", exclude: ["page"]),

    // For programs of others.
    // Without an import nothing else would link rounding and square roots.
    .target(
      name: "PressureKit", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
    module("PressureProtocol", ["PressureKit"], isHot: true),
    // Without the asynchronous client the installed program needs no concurrency runtime, nor Dispatch.
    module(
      "PressureClient",
      ["PressureKit", "PressureProtocol", "PressureSystem", "CLinux"],
      exclude: optimizesSize ? ["DaemonClient.swift", "Exchange.swift", "SocketPoller.swift"] : []),

    // For our own.
    module("PressureSystem", ["PressureKit", "CLinux"], isHot: true),
    module(
      "PressureLoop",
      ["PressureProtocol", "PressureClient", "PressureSystem", "CLinux", "CSystemd"],
      isHot: true),
    module(
      "PressureSettings", ["PressureKit", "PressureProtocol", "PressureSystem", "CYAML"]),
    module(
      "PressureDevices",
      [
        "PressureKit", "PressureSettings", "PressureSystem", "PressureLoop", "CEvdev", "CLinux",
      ], isHot: true),
    module(
      "PressureRecordings",
      [
        "PressureKit", "PressureDevices", "PressureSystem", "CEvdev", "CLinux",
      ], isHot: true),
    module(
      "PressurePads",
      [
        "PressureKit", "PressureDevices", "PressureProtocol", "PressureClient", "PressureSettings",
        "PressureSystem", "PressureLoop", "CLinux",
      ]),
    module(
      "PressureDaemon",
      [
        "PressureKit", "PressureProtocol", "PressureClient", "PressureSystem", "PressureLoop",
        "PressureSettings",
        "PressureRecordings", "PressureDevices", "CLinux", "CSystemd",
      ], isHot: true),
    module(
      "PressureDesktop",
      [
        "PressureKit", "PressureProtocol", "PressureClient", "PressureSystem", "PressureLoop",
        "PressureSettings", "CEvdev", "CLinux", "CPage",
      ], resources: [.embedInCode("Click/force-click.lua")]),
    module(
      "PressureTerminal",
      [
        "PressureKit", "PressureProtocol", "PressureClient", "PressureSystem", "PressureLoop",
        "PressureSettings", "PressureRecordings", "PressureDesktop", "CLinux", "CTerminal",
      ]),
    .executableTarget(
      name: "pressured",
      dependencies: [
        "PressureKit", "PressureProtocol", "PressureClient", "PressureSystem", "PressureLoop",
        "PressureSettings",
        "PressureRecordings", "PressureDevices", "PressurePads", "PressureDaemon",
        "PressureTerminal", "PressureDesktop", "CEvdev", "CLinux", argumentParser,
      ],
      swiftSettings: small),

    // For scripts/generate.
    .executableTarget(
      name: "Generator",
      dependencies: ["PressureKit", "PressureProtocol", "PressureSettings", "PressureSystem"],
      path: "scripts/generator", swiftSettings: strict),
    .executableTarget(
      name: "EngineBenchmark", dependencies: ["PressureKit", "CEvdev"],
      path: "Benchmarks/EngineBenchmark", swiftSettings: strict),
    .target(
      name: "PressureTestSupport",
      dependencies: ["PressureKit", "PressureProtocol", "PressureSystem"],
      path: "Tests/Support",
      swiftSettings: strict),
    tests(
      "PressureKitTests",
      [
        "PressureKit", "PressureProtocol", "PressureSettings", "PressureSystem",
        "PressureTestSupport",
      ],
      exclude: ["Scenarios", "Recordings"]),
    tests(
      "PressureClientTests", ["PressureClient", "PressureProtocol", "PressureSystem", "CLinux"]),
    tests(
      "PressureDesktopTests",
      [
        "PressureDesktop", "PressureClient", "PressureKit", "PressureProtocol", "PressureSettings",
        "PressureTestSupport", "CEvdev",
      ]),
    tests(
      "PressureDaemonTests",
      [
        "PressureDaemon", "PressureKit", "PressureProtocol", "PressureClient", "PressureSystem",
        "PressureTestSupport",
      ]),
    tests(
      "PressurePadsTests",
      [
        "PressurePads", "PressureKit", "PressureDevices", "PressureSettings", "PressureSystem",
        "PressureTestSupport",
      ]),
    tests(
      "PressureDevicesTests",
      [
        "PressureDevices", "PressureKit", "PressureSettings", "PressureLoop", "PressureSystem",
        "PressureTestSupport", "CEvdev",
      ]),
    tests(
      "PressureProtocolTests", ["PressureProtocol", "PressureKit", "PressureTestSupport"]),
    tests("PressureSystemTests", ["PressureSystem", "CLinux"]),
    tests("PressureLoopTests", ["PressureLoop"]),
    tests(
      "PressureRecordingsTests",
      ["PressureRecordings", "PressureKit", "PressureSystem", "PressureTestSupport"]),
    tests(
      "PressureSettingsTests",
      [
        "PressureSettings", "PressureKit", "PressureProtocol", "PressureSystem",
        "PressureTestSupport",
      ]),
    tests(
      "PressureTerminalTests",
      [
        "PressureTerminal", "PressureKit", "PressureProtocol", "PressureClient",
        "PressureDesktop", "PressureRecordings", "PressureSettings", "PressureSystem",
        "PressureTestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// Only on request, as the linker finds libFuzzer only with `--sanitize=fuzzer`: `Fuzz/run` builds it, or one with a `main` of its
// own that only replays known inputs.
if let purpose = Context.environment["PRESSURED_WITH_FUZZ"] {
  package.targets += [
    .target(
      name: "CFuzz", path: "Fuzz/Work",
      cSettings: purpose == "replay" ? [.define("FUZZ_REPLAYS")] : []),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "PressureKit", "PressureProtocol", "PressureClient", "PressureSystem", "PressureSettings",
        "PressureDevices", "PressureRecordings", "PressureDaemon", "PressureTerminal",
        "PressureDesktop", "PressurePads", "PressureTestSupport", "CFuzz",
      ],
      path: "Fuzz", exclude: ["Work", "corpus", "found", "words", "make-corpus", "run"],
      swiftSettings: strict),
  ]
}
