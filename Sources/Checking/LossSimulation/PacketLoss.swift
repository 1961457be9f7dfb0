import Basics

/// How transport packets get lost.
public enum PacketLoss: Hashable, Sendable {
  /// Each packet with this probability, whatever happens to the others.
  case random(Double)
  /// In bursts of so many packets on average, and so many of all packets altogether (the model of Gilbert and Elliott, whose good state loses
  /// nothing and whose bad state everything).
  case bursts(length: Double, Double)

  /// How much of all is lost.
  public var probability: Double {
    switch self {
    case .random(let probability), .bursts(_, let probability): probability
    }
  }

  /// Whether such a loss is possible: probabilities from 0 to 1, bursts of at least a packet, and where they are frequent so long that there
  /// is a packet between them.
  public var isPossible: Bool {
    guard probability >= 0, probability <= 1 else { return false }
    guard case .bursts(let length, let probability) = self else { return true }
    return length >= 1 && length <= Self.longestBurst && probability < 1 && probability <= (1 - probability) * length
  }

  private static let longestBurst = 1e9
}

extension PacketLoss: CustomStringConvertible {
  /// The loss as the command line takes it: `0.01`, or `50:0.01` for bursts.
  public var description: String {
    switch self {
    case .random(let probability): "\(probability)"
    case .bursts(let length, let probability):
      "\(length == length.rounded() ? "\(Int(length))" : "\(length)"):\(probability)"
    }
  }
}

/// Which packets of a stream are lost, with one seed.
struct LossProcess: Sendable {
  private enum Model: Sendable {
    case random(Chance)
    case bursts(Bursts)
  }

  /// Packets that are lost and packets that are not take turns.
  private struct Bursts: Sendable {
    var lost: Gaps
    var kept: Gaps
    var isLosing: Bool
    /// The first packet that the present turn does not hold.
    var end = 0

    mutating func takeTurns(until index: Int, _ numbers: inout SeededNumbers) {
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

  /// The process of a loss that is possible. Those of several purposes are independent of one another.
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

  /// Whether a packet of the stream, counted from 0, is lost. Packets are asked for in their order; some may be left out.
  mutating func isLost(_ index: Int) -> Bool {
    switch model {
    case .random(let chance): return chance.includes(numbers[UInt64(index)])
    case .bursts(var bursts):
      guard index >= bursts.end else { return bursts.isLosing }
      bursts.takeTurns(until: index, &numbers)
      model = .bursts(bursts)
      return bursts.isLosing
    }
  }
}
