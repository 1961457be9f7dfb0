import EventReading
import HLSReading

/// Reports damage in a stream: of each kind the first few places one by one, the others as a number.
struct DamageSummary {
  private let source: StreamSource
  /// The kinds found so far, in the order in which they came.
  private var kinds: [(kind: String, reason: String, count: Int)] = []

  /// The number of places of a kind that are reported one by one.
  private static let placesSaid = 5
  /// The most kinds that are distinguished; further ones count as one kind.
  private static let mostKinds = 32

  /// Nothing found so far.
  init(source: StreamSource) { self.source = source }

  /// Counts a damaged place, and reports it if it is one of the first of its kind.
  mutating func add(_ damage: Damage, in segment: HLSSource?) {
    // The same kind of damage has different numbers in different places.
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
      source.say("\(source.name): \(more) more \(more == 1 ? "place" : "places") like this: \(reason)")
    }
  }
}
