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
    name: "\(name)Tests", dependencies: [.byName(name: name), "SeededRandom"] + imports + testsImport, path: "Tests/\(floor)/\(name)Tests",
    swiftSettings: strict)
  return [.target(name: name, dependencies: imports, path: "Sources/\(floor)/\(name)", swiftSettings: strict), tests]
}

// libav and libcurl are opened when they are needed, and pkg-config would link to them. On Linux the compiler finds their headers itself.
#if os(Linux)
  let headers: (libav: String?, libcurl: String?) = (nil, nil)
#else
  let headers: (libav: String?, libcurl: String?) = ("libavformat", "libcurl")
#endif

let package = Package(
  name: "Cuelight",
  platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .visionOS(.v26)],
  products: [
    .library(name: "CuelightReader", targets: ["CuelightReader"]),
    .library(name: "CuelightStamper", targets: ["CuelightStamper"]),
    .executable(name: "cuelight", targets: ["cuelight"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: []
    + module("ByteCursor", on: "Wire")
    + module("MediaTime", on: "Wire")
    + module("CMAF", on: "Wire", imports: ["ByteCursor", "MediaTime"], testsImport: ["Programs"])
    + module("HLSPlaylist", on: "Wire")
    + module("JSONText", on: "Wire", imports: ["ByteCursor"])
    + module("SeededNumbers", on: "Wire")
    + module("SheetSyntax", on: "Wire", imports: ["ByteCursor", "JSONText"])
    + module("TransportStream", on: "Wire", imports: ["ByteCursor", "MediaTime"])
    + module("ID3", on: "Wire", imports: ["ByteCursor"])
    + [
      .systemLibrary(
        name: "CLibAV", path: "Sources/Media/CLibAV", pkgConfig: headers.libav,
        providers: [.apt(["libavformat-dev", "libavcodec-dev"]), .brew(["ffmpeg"])])
    ]
    + [
      .systemLibrary(
        name: "CCurl", path: "Sources/Media/CCurl", pkgConfig: headers.libcurl,
        providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])])
    ]
    + module("LibCurl", on: "Media", imports: ["CCurl"], testsImport: ["HostileServer"])
    + module("LibAV", on: "Media", imports: ["CLibAV", "MediaTime"], testsImport: ["Programs"])
    + module("GameEvents", on: "Game", imports: ["ByteCursor", "ID3", "JSONText", "MediaTime"])
    + module(
      "EventReading", on: "Reading", imports: ["ByteCursor", "CMAF", "ID3", "MediaTime", "TransportStream", "GameEvents"],
      testsImport: ["EventSchedule", "PacketStamping", "StreamSamples"])
    + module(
      "HLSReading", on: "Reading",
      imports: ["ByteCursor", "HLSPlaylist", "MediaTime", "TransportStream", "GameEvents", "EventReading"],
      testsImport: ["CMAF", "EventSchedule", "ID3", "PacketStamping", "StreamSamples"])
    + module("EventSchedule", on: "Producing", imports: ["GameEvents", "MediaTime"], testsImport: ["JSONText"])
    + module(
      "PacketStamping", on: "Producing", imports: ["ByteCursor", "ID3", "MediaTime", "TransportStream", "GameEvents", "EventSchedule"],
      testsImport: ["EventReading", "StreamSamples"])
    + module("FileInput", on: "Reading")
    + module("NetworkInput", on: "Reading", imports: ["HLSPlaylist", "LibCurl"], testsImport: ["HostileServer"])
    + module(
      "StreamInput", on: "Reading",
      imports: [
        "ByteCursor", "HLSPlaylist", "MediaTime", "TransportStream", "LibAV", "EventReading", "HLSReading", "FileInput", "NetworkInput",
      ],
      testsImport: ["GameEvents", "StreamSamples"])
    + module("GameState", on: "Game", imports: ["GameEvents", "JSONText", "MediaTime"])
    + module("QuestionBank", on: "Game", imports: ["ByteCursor", "JSONText", "SheetSyntax", "GameEvents"])
    + module("YAMLSheets", on: "Producing", imports: ["SheetSyntax", .product(name: "Yams", package: "Yams")])
    + module(
      "Scoring", on: "Game", imports: ["ByteCursor", "JSONText", "MediaTime", "SeededNumbers", "GameEvents", "GameState"])
    + module(
      "CueSheet", on: "Producing",
      imports: [
        "ByteCursor", "JSONText", "MediaTime", "SheetSyntax", "GameEvents", "EventSchedule", "YAMLSheets",
        .product(name: "Crypto", package: "swift-crypto"),
      ])
    + module("QuizFiles", on: "Producing", imports: ["ByteCursor", "SheetSyntax", "QuestionBank", "YAMLSheets"])
    + module(
      "ShowPlanning", on: "Producing",
      imports: ["ByteCursor", "MediaTime", "SeededNumbers", "SheetSyntax", "QuestionBank", "EventSchedule", "CueSheet"],
      testsImport: ["GameEvents", "JSONText", "QuizFiles"])
    + module(
      "Stamping", on: "Producing",
      imports: [
        "ByteCursor", "CMAF", "FileInput", "HLSPlaylist", "MediaTime", "TransportStream", "GameEvents", "EventSchedule", "PacketStamping",
        "LibAV",
      ], testsImport: ["EventReading", "Programs", "StreamSamples"])
    + [
      .target(
        name: "CuelightReader",
        dependencies: ["EventReading", "GameEvents", "GameState", "HLSPlaylist", "HLSReading", "ID3", "JSONText", "MediaTime", "Scoring"],
        path: "Sources/Reading/CuelightReader", swiftSettings: strict),
      .target(
        name: "CuelightStamper",
        dependencies: [
          "CueSheet", "EventSchedule", "GameEvents", "HLSPlaylist", "MediaTime", "PacketStamping", "QuestionBank", "QuizFiles",
          "SheetSyntax", "ShowPlanning", "Stamping",
        ],
        path: "Sources/Producing/CuelightStamper", swiftSettings: strict),
    ]
    + module(
      "LossSimulation", on: "Checking",
      imports: [
        "ByteCursor", "ID3", "MediaTime", "SeededNumbers", "TransportStream", "GameEvents", "EventReading", "EventSchedule",
        "PacketStamping",
      ], testsImport: ["StreamSamples"])
    + module(
      "Verification", on: "Checking",
      imports: ["ByteCursor", "JSONText", "MediaTime", "GameEvents", "GameState", "EventReading", "EventSchedule"],
      testsImport: ["StreamSamples", "TransportStream"])
    + module(
      "StreamDoctor", on: "Checking",
      imports: ["ByteCursor", "CMAF", "HLSPlaylist", "ID3", "MediaTime", "TransportStream", "GameEvents", "EventReading", "HLSReading"],
      testsImport: ["EventSchedule", "FileInput", "PacketStamping", "SeededNumbers", "StreamInput", "StreamSamples"])
    + module(
      "Benchmarks", on: "Checking",
      imports: [
        "ByteCursor", "ID3", "MediaTime", "TransportStream", "GameEvents", "GameState", "Scoring", "EventReading", "EventSchedule",
        "PacketStamping",
      ])
    + [
      .executableTarget(
        name: "cuelight",
        dependencies: [
          "Benchmarks", "CuelightReader", "CuelightStamper", "FileInput", "HLSPlaylist", "HLSReading", "LossSimulation", "NetworkInput",
          "QuestionBank", "QuizFiles", "Scoring", "SheetSyntax", "ShowPlanning", "StreamDoctor", "StreamInput", "Verification",
          "TransportStream", "LibAV",
          .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], swiftSettings: strict),
      // Runs `hostile_server.py` and `trivia_server.py`, which lie beside it and are read from there.
      .target(
        name: "HostileServer", path: "Tests/Support/HostileServer", exclude: ["hostile_server.py", "trivia_server.py"],
        swiftSettings: strict),
      // What the example of a phone client uses of AVFoundation, so that it compiles everywhere.
      .target(name: "AVFoundationStandIn", path: "Tests/Support/AVFoundationStandIn", swiftSettings: strict),
      .target(name: "Programs", path: "Tests/Support/Programs", swiftSettings: strict),
      .target(name: "SeededRandom", path: "Tests/Support/SeededRandom", swiftSettings: strict),
      .target(
        name: "StreamSamples",
        dependencies: [
          "ByteCursor", "ID3", "MediaTime", "TransportStream", "GameEvents", "EventReading", "EventSchedule", "PacketStamping",
        ], path: "Tests/Support/StreamSamples", swiftSettings: strict),
      .target(
        name: "FuzzTargets",
        dependencies: [
          "ByteCursor", "CMAF", "CueSheet", "EventReading", "EventSchedule", "GameEvents", "GameState", "HLSPlaylist", "HLSReading", "ID3",
          "JSONText", "MediaTime", "PacketStamping", "QuestionBank", "QuizFiles", "Scoring", "SeededRandom", "SheetSyntax", "StreamDoctor",
          "StreamSamples", "TransportStream", "Verification",
        ], path: "Tests/Fuzzing/FuzzTargets", swiftSettings: strict),
      .testTarget(
        name: "FuzzingTests", dependencies: ["FuzzTargets", "SeededRandom"], path: "Tests/FuzzingTests", swiftSettings: strict),
      .testTarget(name: "LimitsTests", path: "Tests/LimitsTests", swiftSettings: strict),
      // Compiles and runs the examples of the documentation, too.
      .testTarget(
        name: "CuelightReaderTests",
        dependencies: [
          "AVFoundationStandIn", "CuelightReader", "CuelightStamper", "SeededRandom", "StreamSamples",
          .product(name: "Crypto", package: "swift-crypto"),
        ],
        path: "Tests/Reading/CuelightReaderTests", swiftSettings: strict),
      .testTarget(
        name: "cuelightTests",
        dependencies: [
          "cuelight", "FileInput", "GameEvents", "GameState", "HostileServer", "MediaTime", "NetworkInput", "Scoring", "SeededRandom",
        ],
        path: "Tests/cuelightTests", swiftSettings: strict),
    ],
  swiftLanguageModes: [.v6]
)
