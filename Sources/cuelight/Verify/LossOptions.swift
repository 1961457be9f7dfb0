import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import EventSchedule
import LossSimulation
import Verification

/// The losses that `verify` simulates, and their seeds.
struct LossOptions: ParsableArguments {
  @Option(name: .long, help: "Lose each transport packet with this probability (0.01, or 1%).")
  var dropPackets: String?

  @Option(name: .long, help: "Lose packets in bursts of LENGTH on average, and P of all of them (50:1%).")
  var dropBurst: [String] = []

  @Option(
    name: .long,
    help: "HLS: lose the segment of this media sequence number; may be repeated; all for every one in turn, pairs for every two neighbours."
  )
  var dropSegment: [String] = []

  @Option(name: .long, help: "Lose what is presented in FROM..TO of the programme (12s..15.5s); may be repeated.")
  var dropRange: [String] = []

  @Option(name: .long, help: "Flip each bit with this probability (0.000001).")
  var flipBits: String?

  @Flag(name: .long, help: "Let each transport packet change places with the next with a probability of 1 %.")
  var reorder = false

  @Flag(name: .long, help: "Let each transport packet come twice with a probability of 1 %.")
  var duplicate = false

  @Option(name: .long, help: "The seed of what is random: the same seed loses the same.")
  var seed: UInt64 = 1

  @Option(name: .long, help: "Try so many seeds, one after the other (1; with --sweep 100).")
  var runs: Int?

  /// The probability that packets change places, and that they are repeated.
  private static let rarely = 0.01
  /// The maximum number of seeds.
  private static let mostRuns = 100_000

  func validate() throws {
    _ = try loss()
    _ = try packetLosses()
    try require((1...Self.mostRuns).contains(runs ?? 1), "--runs takes a number from 1 to \(Self.mostRuns), not \(runs ?? 0).")
    if let word = dropSegment.first(where: { Self.series[$0] != nil }) {
      try require(
        dropSegment.count == 1 && runs == nil, "--drop-segment \(word) tries each once, without other segments and without --runs.")
    }
  }

  /// The number of consecutive segments that are lost in turn, by its keyword.
  private static let series = ["all": 1, "pairs": 2]

  /// The number of consecutive segments that are lost in turn; `nil` if not requested.
  var neighboursInTurn: Int? { dropSegment.lazy.compactMap { Self.series[$0] }.first }

  /// The loss, with the first of each list of probabilities.
  func loss() throws -> SimulatedLoss {
    var loss = SimulatedLoss()
    loss.packetLosses = try randomLosses().prefix(1) + bursts()
    loss.ranges = try dropRange.map { try Self.range($0) }
    loss.flips = try flipBits.map { try Self.probability($0, "--flip-bits") } ?? 0
    loss.reorders = reorder ? Self.rarely : 0
    loss.duplicates = duplicate ? Self.rarely : 0
    for text in dropSegment where Self.series[text] == nil {
      loss.segments.insert(try require(UInt64(text), "--drop-segment takes a media sequence number, all or pairs, not \(text)."))
    }
    return loss
  }

  /// Each of the packet losses that were named.
  func packetLosses() throws -> [PacketLoss] { try randomLosses() + bursts() }

  private func randomLosses() throws -> [PacketLoss] {
    try dropPackets.map { try Self.list($0, "--drop-packets", Self.probability) }?.map { .random($0) } ?? []
  }

  private func bursts() throws -> [PacketLoss] { try dropBurst.flatMap { try Self.list($0, "--drop-burst", Self.burst) } }

  /// Whether anything is requested that a sweep does not support.
  var exceedsSweep: Bool { !dropSegment.isEmpty || !dropRange.isEmpty || flipBits != nil || reorder || duplicate }

  static func list<Value>(_ text: String, _ option: String, _ value: (String, String) throws -> Value) throws -> [Value] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { try value(String($0), option) }
  }

  private static func probability(_ text: String, _ option: String) throws -> Double {
    let isPercentage = text.hasSuffix("%")
    let number = isPercentage ? Double(text.dropLast(), in: 0...100).map { $0 / 100 } : Double(text, in: 0...1)
    return try require(number, "\(option) takes a probability from 0 to 1, such as 0.01 or 1%, not \(text).")
  }

  private static func burst(_ text: String, _ option: String) throws -> PacketLoss {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let length = Double(parts[0]) else {
      throw ValidationError("\(option) takes LENGTH:P, such as 50:0.01, not \(text).")
    }
    let loss = PacketLoss.bursts(length: length, try probability(parts[1], option))
    try require(
      loss.isPossible, "\(option): bursts of \(parts[0]) packets cannot lose \(parts[1]) of all; a packet must be left between them.")
    return loss
  }

  private static func range(_ text: String) throws -> Range<MediaTime> {
    let parts = text.split(separator: "..", omittingEmptySubsequences: false).map { try? MediaTime(cueTime: String($0)) }
    guard parts.count == 2, let from = parts[0], let to = parts[1], from < to else {
      throw ValidationError("--drop-range takes FROM..TO, such as 12s..15.5s, not \(text).")
    }
    return from..<to
  }
}

/// How often events should be repeated, for `verify`: one value each, or lists of them for a sweep.
struct ExpectedPolicyOptions: ParsableArguments {
  @Option(name: .long, help: "How many copies the burst of each event should have; with --sweep a list (1,2,3,5).")
  var copies: String?

  @Option(name: .long, help: "Seconds between refreshes of what is current, or off; with --sweep a list (off,1,2,5).")
  var refresh: String?

  /// The numbers of copies that were named.
  func copyCounts() throws -> [Int]? {
    try copies.map {
      try LossOptions.list($0, "--copies") { text, option in
        try require(Int(text, in: 1...100), "\(option) takes a number from 1 to 100, not \(text).")
      }
    }
  }

  /// The intervals that were named; `nil` among them for no refreshes.
  func intervals() throws -> [MediaTime?]? { try refresh.map { try LossOptions.list($0, "--refresh", PolicyOptions.interval) } }

  /// The copies that are expected in a stream.
  func expectation() throws -> ExpectedCopies {
    let (counts, intervals) = (try copyCounts(), try intervals())
    try require(counts?.count ?? 1 == 1 && intervals?.count ?? 1 == 1, "--copies and --refresh take one value each; lists are for --sweep.")
    return ExpectedCopies(copies: counts?.first, refreshes: intervals?.first.map { $0.map { .every($0) } ?? .off })
  }
}
