// swift-tools-version: 6.2
import PackageDescription

/// The same strictness for every Swift target: what the compiler doubts is an error.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "pressured",
  products: [
    .library(name: "PressureKit", targets: ["PressureKit"]),
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
    .target(name: "PressureKit", swiftSettings: strict),
    .executableTarget(
      name: "pressured",
      dependencies: [
        "PressureKit", "CEvdev", "CLinux", "CSystemd", "CTerminal", "CYAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "EngineBenchmark", dependencies: ["PressureKit", "CEvdev"],
      path: "Benchmarks/EngineBenchmark", swiftSettings: strict),
    .testTarget(
      name: "PressureKitTests", dependencies: ["PressureKit"],
      exclude: ["Scenarios", "Recordings"], swiftSettings: strict),
    .testTarget(
      name: "pressuredTests", dependencies: ["pressured", "PressureKit", "CEvdev"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
