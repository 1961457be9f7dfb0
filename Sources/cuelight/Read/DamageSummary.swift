import EventReading
import HLSReading

/// Says what is damaged in a stream: of each kind the first few places, and how many more there are.
struct DamageSummary {
  private let source: StreamSource
  /// What was found of each kind, in the order in which the kinds came.
  private var kinds: [(kind: String, reason: String, count: Int)] = []

  /// So many places of a kind are said one by one.
  private static let placesSaid = 5
  /// So many kinds are told apart; what comes beyond is one kind.
  private static let mostKinds = 32

  /// Nothing found so far.
  init(source: StreamSource) { self.source = source }

  /// Takes note of a damaged place, and says it if it is one of the first of its kind.
  mutating func take(_ damage: Damage, in segment: HLSSource?) {
    // The same damage states other sizes in other places.
    let kind = kinds.count < Self.mostKinds ? damage.reason.filter { !$0.isNumber } : ""
    let index = kinds.firstIndex { $0.kind == kind } ?? kinds.count
    if index == kinds.count { kinds.append((kind, damage.reason, 0)) }
    kinds[index].count += 1
    if kinds[index].count <= Self.placesSaid { source.report(damage, in: segment) }
  }

  /// Says how many more places there are.
  func finish() {
    for (_, reason, count) in kinds where count > Self.placesSaid {
      let more = count - Self.placesSaid
      source.say(TransitionPrinter.printable("\(source.name): \(more) more \(more == 1 ? "place" : "places") like this: \(reason)"))
    }
  }
}
