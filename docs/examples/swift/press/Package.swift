// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "press",
  // Elsewhere: .package(url: …), with the address of these sources.
  dependencies: [.package(name: "pressured", path: "../../../..")],
  targets: [
    .executableTarget(
      name: "press", dependencies: [.product(name: "PressureKit", package: "pressured")])
  ]
)
