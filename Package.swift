// swift-tools-version: 6.2
import PackageDescription

// The plan of the house, and the only table of modules: `scripts/check-architecture` and the documentation are held against it.
//
// A module lies in `Sources/<floor>/<name>`. It imports modules that stand above it in this table, and none of a floor below its own.

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

/// - Parameter data: Files and folders that are no source code; programs embed them, see CEmbeddedFiles.
func module(_ path: String, _ imports: [Target.Dependency] = [], data: [String] = []) -> Target {
  .target(name: name(of: path), dependencies: imports, path: "Sources/\(path)", exclude: data, swiftSettings: strict)
}

/// A C library of the system: a module map and a header.
func library(_ path: String, package: String, debian: [String], homebrew: String) -> Target {
  // libav and libcurl are opened when they are needed, and pkg-config would link to them. On Linux the compiler finds their headers itself.
  #if os(Linux)
    let pkgConfig: String? = nil
  #else
    let pkgConfig: String? = package
  #endif
  return .systemLibrary(
    name: name(of: path), path: "Sources/\(path)", pkgConfig: pkgConfig, providers: [.apt(debian), .brew([homebrew])])
}

func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

let modules: [Target] = [
  module("Basics"),

  module("Wire/HLSPlaylist", ["Basics"]),
  module("Wire/ID3", ["Basics"]),
  module("Wire/NALUnits", ["Basics"]),
  module("Wire/SCTE35", ["Basics"]),
  module("Wire/CMAF", ["Basics", "NALUnits"]),
  module("Wire/DASH", ["Basics"]),
  module("Wire/TransportStream", ["Basics", "ID3", "NALUnits"]),
  module("Wire/RTMP", ["Basics", "NALUnits", "CMAF", "TransportStream"]),

  library(
    "System/CLibAV", package: "libavformat", debian: ["libavformat-dev", "libavcodec-dev"], homebrew: "ffmpeg"),
  library("System/CCurl", package: "libcurl", debian: ["libcurl4-openssl-dev"], homebrew: "curl"),
  .systemLibrary(name: name(of: "System/CMalloc"), path: "Sources/System/CMalloc"),
  module("System/LibC", ["CMalloc"]),
  // The files that programs carry in themselves. They lie with the modules that use them; `scripts/make-embedded` lists them.
  .target(name: name(of: "System/CEmbeddedFiles"), path: "Sources/System/CEmbeddedFiles"),
  module("System/EmbeddedFiles", ["CEmbeddedFiles"]),
  module("System/Files", ["Basics", "LibC"]),
  module("System/Terminal", ["LibC"]),
  module("System/LibAV", ["Basics", "CLibAV"]),
  module("System/LibCrypto", ["LibC"]),
  module("System/LibQRCode", ["LibC"]),
  module("System/LibPQ", ["LibC"]),
  module("System/XML", ["LibC"]),
  module("System/Spreadsheets", ["LibC", "XML"]),
  module("System/HTTPClient", ["HLSPlaylist", "CCurl"]),

  module("Game/GameEvents", ["Basics", "ID3"]),
  module("Game/Seals", ["Basics", "GameEvents"]),
  module("Game/StateMachine", ["Basics", "GameEvents"]),
  module("Game/Scoring", ["Basics", "GameEvents", "StateMachine"]),
  module("Game/GameJSON", ["Basics", "GameEvents", "StateMachine", "Scoring"]),
  module("Game/AnswerIntake", ["Basics", "GameEvents"]),
  module("Game/PublicRecord", ["Basics", "GameEvents", "Seals"]),

  module("Reading/EventReading", ["Basics", "ID3", "NALUnits", "CMAF", "TransportStream", "GameEvents"]),
  module("Reading/HLSReading", ["Basics", "HLSPlaylist", "TransportStream", "GameEvents", "EventReading"]),
  module(
    "Reading/MetadataReading",
    ["Basics", "HLSPlaylist", "NALUnits", "SCTE35", "CMAF", "TransportStream", "RTMP", "EventReading", "HLSReading"]),
  module("Reading/ReadingJSON", ["Basics", "ID3", "TransportStream", "GameJSON", "EventReading"]),
  module("Reading/CuelightClient", ["Basics", "ID3", "GameEvents", "Seals", "StateMachine"]),
  module(
    "Reading/CuelightReader",
    [
      "Basics", "HLSPlaylist", "ID3", "GameEvents", "Seals", "StateMachine", "Scoring", "GameJSON", "EventReading", "HLSReading",
      "ReadingJSON", "CuelightClient",
    ]),
  module("Reading/DASHReading", ["Basics", "HLSPlaylist", "XML"]),
  module(
    "Reading/StreamInput",
    [
      "Basics", "HLSPlaylist", "TransportStream", "LibC", "Files", "Terminal", "LibCrypto", "HTTPClient", "EventReading", "HLSReading",
      "DASHReading",
    ]),

  // The header that C includes. It has no code: the functions are Swift's.
  .target(name: name(of: "Clients/CuelightHeader"), path: "Sources/Clients/CuelightHeader"),
  module("Clients/GameBoundary", ["Basics", "GameEvents", "StateMachine", "GameJSON", "CuelightClient"]),
  module(
    "Clients/CuelightC",
    ["Basics", "GameEvents", "StateMachine", "EventReading", "ReadingJSON", "CuelightClient", "GameBoundary"]),
  module(
    "Clients/CuelightKit",
    ["Basics", "HLSPlaylist", "GameEvents", "StateMachine", "EventReading", "HLSReading", "CuelightClient"]),

  module("Producing/Sheets", ["Basics", "GameEvents", .product(name: "Yams", package: "Yams", condition: .when(traits: ["Tools"]))]),
  module("Producing/Questions", ["Basics", "EmbeddedFiles", "Spreadsheets", "XML", "GameEvents", "Sheets"], data: ["HTMLEntities.txt"]),
  module("Producing/EventSchedule", ["Basics", "GameEvents"]),
  module(
    "Producing/CueSheet", ["Basics", "ID3", "GameEvents", "Seals", "Sheets", "EventSchedule"]),
  module("Producing/ShowPlanning", ["Basics", "GameEvents", "Seals", "Sheets", "Questions", "EventSchedule", "CueSheet"]),
  module("Producing/PacketStamping", ["Basics", "ID3", "NALUnits", "TransportStream", "GameEvents", "EventSchedule"]),
  module(
    "Producing/Stamping",
    [
      "Basics", "HLSPlaylist", "ID3", "NALUnits", "SCTE35", "CMAF", "DASH", "TransportStream", "Files", "LibAV", "GameEvents",
      "EventReading",
      "MetadataReading", "EventSchedule", "PacketStamping",
    ]),
  module(
    "Producing/CuelightStamper",
    [
      "Basics", "HLSPlaylist", "GameEvents", "Seals", "Sheets", "Questions", "EventSchedule", "CueSheet", "ShowPlanning", "PacketStamping",
      "Stamping",
    ]),

  module(
    "Checking/LossSimulation",
    ["Basics", "ID3", "TransportStream", "GameEvents", "EventReading", "HLSReading", "EventSchedule", "PacketStamping"]),
  module("Checking/Verification", ["Basics", "GameEvents", "StateMachine", "EventReading", "EventSchedule"]),
  module("Checking/DeliveryWatch", ["Basics", "HLSPlaylist", "GameEvents"]),
  module(
    "Checking/StreamDoctor",
    [
      "Basics", "HLSPlaylist", "ID3", "NALUnits", "SCTE35", "CMAF", "TransportStream", "GameEvents", "EventReading", "HLSReading",
      "MetadataReading", "DASHReading",
    ]),

  module("Live/LiveInterface", ["Basics", "HLSPlaylist"]),
  module("Live/LivePair", ["Basics"]),
  module("Live/Reach", ["Basics", "GameEvents"]),
  module("Live/Nicknames", ["GameEvents"]),
  module("Live/LiveGame", ["Basics", "HLSPlaylist", "SCTE35", "RTMP", "GameEvents", "Sheets", "EventSchedule", "CueSheet"]),
  module(
    "Live/LiveHLS",
    [
      "Basics", "HLSPlaylist", "NALUnits", "CMAF", "DASH", "TransportStream", "GameEvents", "EventSchedule", "PacketStamping", "Stamping",
      "LiveGame",
    ]),
  module("Live/OtherInjectors", ["Basics", "HLSPlaylist", "ID3", "HTTPClient", "GameEvents", "EventSchedule"]),
  module(
    "Live/LiveSession",
    [
      "Basics", "HLSPlaylist", "SCTE35", "NALUnits", "CMAF", "TransportStream", "LibC", "Files", "LibAV", "HTTPClient", "GameEvents",
      "Seals", "HLSReading", "StreamInput", "Sheets", "EventSchedule", "CueSheet", "PacketStamping", "Stamping", "LiveInterface",
      "LivePair", "Reach", "LiveGame", "LiveHLS", "OtherInjectors",
    ]),
  module("Live/Webhooks", ["Basics", "HLSPlaylist", "LibC", "Files", "HTTPClient", "LiveInterface", "LiveSession"]),

  module(
    "Commands/CommandSupport",
    [
      "Basics", "LibC", "Files", "Terminal", "LibAV", "LibCrypto", "HTTPClient", "GameEvents", "Seals", "EventReading", "HLSReading",
      "StreamInput", "Sheets", "EventSchedule", "LiveGame", "OtherInjectors", "LiveSession", "Webhooks",
      .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"])),
    ]),
  module("Commands/LineSchemas", ["Basics", "EmbeddedFiles"], data: ["schemas.ndjson"]),
]

/// What needs a web server's packages: only `cuelight-server` does, so that nobody else waits for them to be built.
let servingModules: [Target] = [
  module(
    "Serving/WebSupport",
    ["Basics", "LiveInterface", "LiveSession", .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"]))]),
  module(
    "Serving/WebShell",
    [
      "Basics", "HLSPlaylist", "LibC", "Files", "LiveInterface", "LiveSession", "WebSupport",
      .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
      .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"])),
      .product(name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["Server"])),
      .product(name: "HummingbirdHTTP2", package: "hummingbird", condition: .when(traits: ["Server"])),
    ]),
  module(
    "Serving/GameHosting",
    [
      "Basics", "Spreadsheets", "GameEvents", "Scoring", "AnswerIntake", "PublicRecord", "Sheets", "Questions", "EventSchedule", "CueSheet",
      "Reach", "Nicknames",
    ]),
  module("Serving/AccessTokens", ["Basics", "LibCrypto"]),
  module(
    "Serving/GameStore",
    [
      "Basics", "LibC", "LibPQ", "GameEvents", "AnswerIntake", "Nicknames", "GameHosting",
      .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Server"])),
    ]),
  module(
    "Serving/LiveServer",
    [
      "Basics", "HLSPlaylist", "LibC", "Terminal", "GameEvents", "Sheets", "CueSheet", "LiveInterface", "LivePair", "Reach", "LiveGame",
      "LiveHLS", "LiveSession", "AccessTokens", "WebSupport", "WebShell",
      .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
      .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
      .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
    ]),
  module(
    "Serving/PublisherServer",
    [
      "Basics", "RTMP", "LiveGame", "LiveSession", "WebSupport", "WebShell",
      .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
      .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
    ]),
  module("Serving/ServerConfiguration", ["Basics", "Sheets"]),
  module("Serving/StreamHosting", ["Basics", "LiveInterface", "LiveSession", "LiveServer", "PublisherServer"]),
  module("Serving/WebPages", ["Basics", "EmbeddedFiles", "WebSupport"], data: ["Pages"]),
  module(
    "Serving/StreamPreview",
    [
      "Basics", "HLSPlaylist", "CMAF", "TransportStream", "Files", "Terminal", "GameEvents", "EventReading", "HLSReading", "StreamInput",
      "LiveSession", "WebSupport", "WebShell", "WebPages",
      .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
    ]),
  module(
    "Serving/GameServer",
    [
      "Basics", "HLSPlaylist", "LibC", "EmbeddedFiles", "Terminal", "LibCrypto", "Spreadsheets", "HTTPClient", "GameEvents", "Scoring",
      "GameJSON", "AnswerIntake", "PublicRecord",
      "Sheets", "Questions", "LiveInterface", "Reach", "LiveGame", "LiveSession", "GameHosting", "AccessTokens",
      "GameStore",
      "WebSupport", "WebShell", "LiveServer", "WebPages",
      .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
    ], data: ["rehearsal.ts"]),
]

/// The modules by themselves: what tests may import.
let everything: [Target.Dependency] = modules.filter { $0.type == .regular && !isForClients($0) }.map { .byName(name: $0.name) }

/// Whether a module is for programs of others alone: none of ours links it.
func isForClients(_ target: Target) -> Bool { target.path?.hasPrefix("Sources/Clients/") ?? false }

/// The tests of a floor: `Tests/<floor>Tests/<module>`.
func tests(_ name: String, alsoImport others: [Target.Dependency] = []) -> Target {
  .testTarget(name: name, dependencies: everything + ["TestSupport"] + others, path: "Tests/\(name)", swiftSettings: strict)
}

func testSupport(_ path: String, exclude: [String] = []) -> Target {
  .target(name: name(of: path), dependencies: everything, path: "Tests/\(path)", exclude: exclude, swiftSettings: strict)
}

let testing: [Target] = [
  // Starts the servers whose scripts lie beside it.
  testSupport(
    "Support/TestSupport",
    exclude: ["HostileServer/hostile_server.py", "HostileServer/trivia_server.py", "PostgreSQL/postgresql_server.py"]),
  // What the example of a phone client uses of AVFoundation, so that it compiles everywhere.
  testSupport("Support/AVFoundationStandIn"),
  .target(
    name: "FuzzTargets", dependencies: everything + ["TestSupport", "AccessTokens", "GameHosting", "WebSupport", "WebShell"],
    path: "Tests/Support/FuzzTargets",
    swiftSettings: strict),
  .target(name: "Benchmarks", dependencies: everything, path: "Tests/Benchmarks/Benchmarks", swiftSettings: strict),
  .executableTarget(
    name: "cuelight-bench",
    dependencies: [
      "Benchmarks", "Basics", .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"])),
    ],
    path: "Tests/Benchmarks/cuelight-bench", swiftSettings: strict),
  // Simulated viewers. `scripts/check-architecture --viewers` builds the same sources with Embedded Swift, so they import little.
  .target(
    name: "PlayerSimulation", dependencies: ["Basics", "GameEvents", "EventSchedule", "CuelightClient"],
    path: "Tests/Simulation/PlayerSimulation", swiftSettings: strict),
  // A crowd that plays against `cuelight serve`: `scripts/crowd` builds and runs it.
  .executableTarget(
    name: "cuelight-crowd",
    dependencies: [
      "Basics", "Terminal",
      .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"])),
      .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
      .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
    ],
    path: "Tests/Simulation/cuelight-crowd", swiftSettings: strict),
  tests("BasicsTests"),
  tests("WireTests"),
  tests("SystemTests"),
  tests("GameTests"),
  // Compiles and runs the examples of the documentation, too.
  tests("ReadingTests", alsoImport: ["AVFoundationStandIn", "PlayerSimulation"]),
  tests("ClientsTests", alsoImport: modules.filter(isForClients).map { .byName(name: $0.name) }),
  tests("ProducingTests"),
  tests("CheckingTests", alsoImport: ["Benchmarks", "FuzzTargets"]),
  tests("LiveTests"),
  tests("CommandsTests"),
  tests(
    "ServingTests",
    alsoImport: servingModules.map { .byName(name: $0.name) } + [
      // Connections without sockets, whose time the tests make.
      .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["Server"]))
    ]),
  tests("cuelightTests", alsoImport: ["cuelight", "cuelight-bench"]),
]

let package = Package(
  name: "Cuelight",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .visionOS(.v1)],
  products: [
    .library(name: "CuelightClient", targets: ["CuelightClient"]),
    .library(name: "CuelightReader", targets: ["CuelightReader"]),
    .library(name: "CuelightStamper", targets: ["CuelightStamper"]),
    .library(name: "CuelightKit", targets: ["CuelightKit"]),
    // For C and all languages that call C, with the header: to be loaded, and to be linked in.
    .library(name: "CuelightC", type: .dynamic, targets: ["CuelightC", "CuelightHeader"]),
    .library(name: "CuelightCStatic", type: .static, targets: ["CuelightC", "CuelightHeader"]),
    .executable(name: "cuelight", targets: ["cuelight"]),
    .executable(name: "cuelight-server", targets: ["cuelight-server"]),
  ],
  // A client's package that asks for no traits fetches no other package.
  traits: [
    .trait(name: "Tools", description: "The command line and CuelightStamper, with the packages that they need."),
    .trait(name: "Server", description: "cuelight-server, with the web server's packages.", enabledTraits: ["Tools"]),
    .default(enabledTraits: ["Tools", "Server"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
    // Without its traits it needs no Foundation.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
  ],
  targets: modules + servingModules + [
    .executableTarget(
      name: "cuelight-server",
      dependencies: everything + servingModules.map { .byName(name: $0.name) } + [
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "cuelight",
      dependencies: everything + [
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"]))
      ],
      swiftSettings: strict),
  ] + testing,
  swiftLanguageModes: [.v6]
)

// libFuzzer brings its own `main`: `scripts/fuzz` builds this and nothing else does.
if Context.environment["CUELIGHT_FUZZER"] != nil {
  package.targets.append(
    .executableTarget(name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Fuzzer", swiftSettings: strict))
}
