import EventReading
import HLSReading

/// Reports damage in a stream: the first few places of each kind one by one, the others as a number.
struct DamageSummary {
  private let source: StreamSource
  /// Five places of each kind are reported one by one.
  private var tally = MessageTally(said: 5, of: "place")

  /// Nothing found so far.
  init(source: StreamSource) { self.source = source }

  /// Counts a damaged place, and reports it if it is one of the first of its kind.
  mutating func add(_ damage: Damage, in segment: HLSSource?) {
    // The same kind of damage has different numbers in different places.
    if tally.add(damage.reason.filter { !$0.isNumber }, example: damage.reason) { source.report(damage, in: segment) }
  }

  /// Reports how many more places there are.
  func finish() {
    for line in tally.others { source.say("\(source.name): \(line)") }
  }
}
