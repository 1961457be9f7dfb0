import NIOCore

/// Requests that come due one after the other.
struct Plan: Sendable {
  private let sendings: [Sending]
  private let start: NIODeadline
  private var next = 0

  /// - Parameter sendings: In the order of their moments.
  init(_ sendings: [Sending], from start: NIODeadline) { (self.sendings, self.start) = (sendings, start) }

  /// Whether nothing is left.
  var isFinished: Bool { next == sendings.count }

  /// When the next request is due; `nil` where there is none.
  var nextDue: NIODeadline? { isFinished ? nil : due(sendings[next]) }

  /// Takes the next request, where it is due.
  mutating func popDue(_ now: NIODeadline) -> Sending? {
    guard let due = nextDue, due <= now else { return nil }
    defer { next += 1 }
    return sendings[next]
  }

  private func due(_ sending: Sending) -> NIODeadline { start + .microseconds(Int64(sending.moment)) }
}
