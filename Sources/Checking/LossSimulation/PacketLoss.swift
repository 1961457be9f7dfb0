import Basics

/// How transport packets are lost.
package enum PacketLoss: Hashable, Sendable {
  /// Each packet with this probability, independent of the others.
  case random(Double)
  /// In bursts with an average length in packets, with the probability that a packet is lost. This is the model of Gilbert and Elliott: its
  /// good state loses nothing, its bad state everything.
  case bursts(length: Double, Double)

  /// The probability that a packet is lost.
  package var probability: Double {
    switch self {
    case .random(let probability), .bursts(_, let probability): probability
    }
  }

  /// Whether such a loss is possible. Probabilities are from 0 to 1, a burst has at least one packet, and at least one packet is left between two
  /// bursts.
  package var isPossible: Bool {
    guard probability >= 0, probability <= 1 else { return false }
    guard case .bursts(let length, let probability) = self else { return true }
    return length >= 1 && length <= Self.longestBurst && probability < 1 && probability <= (1 - probability) * length
  }

  private static let longestBurst = 1e9
}

extension PacketLoss: CustomStringConvertible {
  /// The loss in the form of the command line: `0.01`, or `50:0.01` for bursts.
  package var description: String {
    switch self {
    case .random(let probability): "\(probability)"
    case .bursts(let length, let probability):
      "\(length == length.rounded() ? "\(Int(length))" : "\(length)"):\(probability)"
    }
  }
}

/// Decides for one seed which packets of a stream are lost.
struct LossProcess: Sendable {
  private enum Model: Sendable {
    case random(Chance)
    case bursts(Bursts)
  }

  /// Bursts of lost packets alternate with runs of packets that arrive.
  private struct Bursts: Sendable {
    var lost: Gaps
    var kept: Gaps
    var isLosing: Bool
    /// The first packet after the current burst or run.
    var end = 0

    mutating func advance(to index: Int, _ numbers: inout SeededNumbers) {
      while end <= index {
        if end > 0 { isLosing.toggle() }
        let (sum, overflows) = end.addingReportingOverflow(1 + (isLosing ? lost : kept).gap(numbers.next()))
        end = overflows ? .max : sum
        if end == .max { break }
      }
    }
  }

  private var numbers: SeededNumbers
  private var model: Model

  /// The process of a possible loss. Processes with different purposes are independent.
  init(_ loss: PacketLoss, seed: UInt64, purpose: UInt64 = 0) {
    numbers = SeededNumbers(seed: seed, purpose: purpose)
    switch loss {
    case .random(let probability): model = .random(Chance(probability))
    case .bursts(let length, let probability):
      let isLosing = Chance(probability).includes(numbers.next())
      model = .bursts(
        Bursts(lost: Gaps(1 / length), kept: Gaps(probability / (1 - probability) / length), isLosing: isLosing))
    }
  }

  /// Whether the packet with this index is lost. Indices must ascend; some may be left out.
  mutating func isLost(_ index: Int) -> Bool {
    switch model {
    case .random(let chance): return chance.includes(numbers[UInt64(index)])
    case .bursts(var bursts):
      guard index >= bursts.end else { return bursts.isLosing }
      bursts.advance(to: index, &numbers)
      model = .bursts(bursts)
      return bursts.isLosing
    }
  }
}
