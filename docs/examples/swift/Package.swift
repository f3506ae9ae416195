// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "heaviest",
  // In your own package: .package(url: …), with the URL of this repository.
  dependencies: [.package(name: "pressured", path: "../../..")],
  targets: [
    .executableTarget(
      name: "heaviest", dependencies: [.product(name: "PressureProtocol", package: "pressured")])
  ]
)
