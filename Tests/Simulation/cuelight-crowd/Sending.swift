/// A request that a player is to make: sixteen bytes, because there are a hundred thousand of them at a time.
struct Sending: Equatable, Sendable {
  /// What it is for.
  enum Kind: UInt8, Sendable {
    case join
    case answer
    /// The same request as the answer's.
    case again
    /// Another answer than before.
    case change
  }

  var kind: Kind
  /// The player's place in the squad.
  var player: UInt32
  /// The question's place among those that the squad was asked.
  var question: UInt16 = 0
  var answer: UInt8 = 0
  /// When, in microseconds from the plan's beginning.
  var moment: UInt32
  /// How often the server has asked to come back later.
  var retries: UInt8 = 0
  /// Whether it was sent once more because its connection was closed before the response.
  var isResent = false
}
