package import EventReading

/// One reading of an input through a loss.
package struct LossRun: Equatable, Sendable {
  /// What is lost.
  package var loss: SimulatedLoss
  /// The seed of the random numbers.
  package var seed: UInt64
  /// The name of the run in reports.
  package var name: String

  /// Checks after the reading that the loss was possible for the input.
  ///
  /// - Throws: ``LossError``.
  package func check(_ filter: LossFilter) throws(LossError) {
    if let container = filter.refused { throw .noPackets(container) }
    if let missing = loss.segments.subtracting(filter.segments).min() { throw .noSegment(missing, available: filter.segments) }
  }
}

/// Why a loss is not possible for an input.
package enum LossError: Error, Equatable, Sendable {
  /// Transport packets should be lost, but the input is not a transport stream.
  case noPackets(Container)
  /// A segment should be lost that the input does not have.
  case noSegment(UInt64, available: [UInt64])
  /// Each segment should be lost in turn, but the input is not a presentation.
  case noPresentation
}

extension LossError: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch self {
    case .noPackets(let container): return "packets are lost only from transport streams, and this is \(container.name)"
    case .noSegment(let number, let available):
      guard let first = available.first, let last = available.last else {
        return "no segment \(number): this is no presentation, which has segments"
      }
      return "no segment \(number): its segments are \(first) to \(last)"
    case .noPresentation: return "no presentation, so there are no segments to lose"
    }
  }
}

extension SimulatedLoss {
  /// The run with a seed.
  package func run(seed: UInt64) -> LossRun {
    LossRun(loss: self, seed: seed, name: isRandom ? "seed \(seed)" : "with the loss")
  }

  /// The runs with `count` seeds, from the first one on.
  package func runs(_ count: Int, from seed: UInt64) -> [LossRun] {
    (0..<UInt64(clamping: count)).map { run(seed: seed &+ $0) }
  }

  /// The runs that each lose `count` neighbouring segments, or all if there are fewer.
  package func runs(without count: Int, of segments: [UInt64], seed: UInt64) -> [LossRun] {
    (0...max(segments.count - count, 0)).map { first in
      let lost = segments[first...].prefix(count)
      let names = lost.map(String.init).joined(separator: " and ")
      var run = LossRun(loss: self, seed: seed, name: "without segment\(lost.count == 1 ? "" : "s") \(names)")
      run.loss.segments = Set(lost)
      return run
    }
  }

  /// Whether so much can be lost that the rest is not a stream any more.
  package var canDestroyStreams: Bool { isRandom || !ranges.isEmpty }
}

extension Container {
  fileprivate var name: String {
    switch self {
    case .transportStream: "a transport stream"
    case .fragmentedMP4: "fragmented MP4"
    case .packedAudio: "packed audio"
    }
  }
}
