// swift-tools-version: 6.2
import PackageDescription

/// What every target is built with.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // Readers borrow spans; their lifetimes are written down with @_lifetime.
  .enableExperimentalFeature("Lifetimes"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// A module in `Sources/<floor>/<name>` and its tests in `Tests/<floor>/<name>Tests`.
func module(_ name: String, on floor: String, imports: [Target.Dependency] = [], testsImport: [Target.Dependency] = [])
  -> [Target]
{
  let tests = Target.testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + imports + testsImport, path: "Tests/\(floor)/\(name)Tests",
    swiftSettings: strict)
  return [.target(name: name, dependencies: imports, path: "Sources/\(floor)/\(name)", swiftSettings: strict), tests]
}

let package = Package(
  name: "Cuelight",
  platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .visionOS(.v26)],
  products: [],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: []
    + module("ByteCursor", on: "Wire"),
  swiftLanguageModes: [.v6]
)
