// swift-tools-version: 6.2
// Feeds the parsers with whatever libFuzzer makes up: scripts/fuzz builds and runs this. The sources are those of the main package, by way of the
// links `Modules` and `Support`, so that all of them are built for libFuzzer; the targets are also part of its tests, which replay the inputs.
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  .strictMemorySafety(),
]

func module(_ path: String, _ imports: String..., products: [Target.Dependency] = []) -> Target {
  .target(
    name: path.split(separator: "/").last.map(String.init) ?? path, dependencies: imports.map { .byName(name: $0) } + products, path: path,
    swiftSettings: settings)
}

let package = Package(
  name: "CuelightFuzzing",
  dependencies: [
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
  ],
  targets: [
    module("Modules/Wire/ByteCursor"),
    module("Modules/Wire/MediaTime"),
    module("Modules/Wire/HLSPlaylist"),
    module("Modules/Wire/JSONText", "ByteCursor"),
    module("Modules/Wire/SeededNumbers"),
    module("Modules/Wire/SheetSyntax", "ByteCursor", "JSONText"),
    module("Modules/Wire/ID3", "ByteCursor"),
    module("Modules/Wire/CMAF", "ByteCursor", "MediaTime"),
    module("Modules/Wire/TransportStream", "ByteCursor", "MediaTime"),
    module("Modules/Game/GameEvents", "ByteCursor", "ID3", "JSONText", "MediaTime"),
    module("Modules/Game/GameState", "GameEvents", "JSONText", "MediaTime"),
    module("Modules/Game/QuestionBank", "ByteCursor", "JSONText", "SheetSyntax", "GameEvents"),
    module("Modules/Game/Scoring", "ByteCursor", "JSONText", "MediaTime", "SeededNumbers", "GameEvents", "GameState"),
    module("Modules/Reading/EventReading", "ByteCursor", "CMAF", "ID3", "MediaTime", "TransportStream", "GameEvents"),
    module(
      "Modules/Reading/HLSReading", "ByteCursor", "HLSPlaylist", "MediaTime", "TransportStream", "GameEvents", "EventReading"),
    module("Modules/Producing/EventSchedule", "GameEvents", "MediaTime"),
    module(
      "Modules/Producing/PacketStamping", "ByteCursor", "ID3", "MediaTime", "TransportStream", "GameEvents", "EventSchedule"),
    module("Modules/Producing/YAMLSheets", "SheetSyntax", products: [.product(name: "Yams", package: "Yams")]),
    module("Modules/Producing/QuizFiles", "ByteCursor", "SheetSyntax", "QuestionBank", "YAMLSheets"),
    module(
      "Modules/Producing/CueSheet", "ByteCursor", "JSONText", "MediaTime", "SheetSyntax", "GameEvents", "EventSchedule", "YAMLSheets",
      products: [.product(name: "Crypto", package: "swift-crypto")]),
    module(
      "Modules/Checking/Verification", "ByteCursor", "JSONText", "MediaTime", "GameEvents", "GameState", "EventReading", "EventSchedule"),
    module(
      "Modules/Checking/StreamDoctor", "ByteCursor", "CMAF", "HLSPlaylist", "ID3", "MediaTime", "TransportStream", "GameEvents",
      "EventReading", "HLSReading"),
    module("Support/SeededRandom"),
    module(
      "Support/StreamSamples", "ByteCursor", "ID3", "MediaTime", "TransportStream", "GameEvents", "EventReading", "EventSchedule",
      "PacketStamping"),
    module(
      "FuzzTargets", "ByteCursor", "CMAF", "CueSheet", "EventReading", "EventSchedule", "GameEvents", "GameState", "HLSPlaylist",
      "HLSReading", "ID3", "JSONText", "MediaTime", "PacketStamping", "QuestionBank", "QuizFiles", "Scoring", "SeededRandom", "SheetSyntax",
      "StreamDoctor", "StreamSamples", "TransportStream", "Verification"),
    .executableTarget(name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Fuzzer", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
