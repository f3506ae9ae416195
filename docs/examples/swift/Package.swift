// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "heaviest",
  // Elsewhere: .package(url: …), by the address that you have these sources from.
  dependencies: [.package(name: "pressured", path: "../../..")],
  targets: [
    .executableTarget(
      name: "heaviest", dependencies: [.product(name: "PressureProtocol", package: "pressured")])
  ]
)
