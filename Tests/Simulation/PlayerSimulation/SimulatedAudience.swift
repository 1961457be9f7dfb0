import Basics
public import CuelightClient

/// What all viewers of one seed saw of its show.
public struct SimulatedAudience: Sendable {
  /// How many seeds there are. With 24 viewers each they go through all combinations of what a viewer does.
  public static let seeds = 200

  private let seed: Int
  private var viewers = 0
  private var asked = 0
  private var transitions = 0
  private var record: [UInt8] = []
  /// What went wrong, in words.
  public private(set) var faults: [String] = []

  /// Lets a number of viewers watch the show of a seed.
  public init(seed: Int, viewers count: Int) throws(EventError) {
    self.seed = seed
    var random = SeededNumbers(seed: UInt64(truncatingIfNeeded: seed))
    let show = try SimulatedShow(&random)
    for turn in 0..<count {
      let viewer = SimulatedViewer((turn * Self.seeds + seed) % SimulatedViewer.combinations, &random)
      let watching = try viewer.watch(show)
      viewers += 1
      for question in show.questions { asked += watching.asked[question.guid]?.count ?? 0 }
      transitions += watching.transitions
      record += watching.record
      faults += watching.faults(of: viewer, show)
    }
  }

  /// A line with what happened: equal lines mean the same transitions, in the same order, at the same times.
  public var summary: String {
    var digest = ""
    for byte in SHA256.hash(record).prefix(8) { digest += String(Int(byte) + 256, radix: 16).dropFirst() }
    return "seed \(seed): \(viewers) viewers, \(asked) questions asked, \(transitions) transitions, \(digest)"
  }
}
