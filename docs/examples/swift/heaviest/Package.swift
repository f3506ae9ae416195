// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "heaviest",
  // Elsewhere: .package(url: …), with the address of these sources.
  dependencies: [.package(name: "pressured", path: "../../../..")],
  targets: [
    .executableTarget(
      name: "heaviest", dependencies: [.product(name: "PressureClient", package: "pressured")])
  ]
)
