/// What has become of requests.
struct Tally: Sendable {
  /// Requests, each counted once however often it was written.
  var sent = 0
  /// Answers that the server says it has recorded, or players who have joined.
  var accepted = 0
  /// By what the server says of them.
  private(set) var refused: [String: Int] = [:]
  /// By the status of responses.
  private(set) var statuses: [Int: Int] = [:]
  /// How often the server asked to come back later, and a player did.
  var retried = 0
  /// How often a connection was closed before the response, and the request was sent once more.
  var resent = 0
  /// Answers that nobody came to send before the time was up.
  var leftOut = 0
  /// Requests without any response in the end.
  var unanswered = 0
  /// From the writing of the request to the whole response.
  var latency = LatencyHistogram()
  /// From the moment that the plan says to the writing of the request: what the crowd itself was late.
  var lateness = LatencyHistogram()

  /// A server that makes up kinds must not fill the memory.
  private static let mostKinds = 64

  mutating func note(status: Int, microseconds: UInt64) {
    statuses[status, default: 0] += 1
    latency.add(microseconds)
  }

  mutating func refuse(_ kind: String, count: Int = 1) {
    let key = refused[kind] != nil || refused.count < Self.mostKinds ? kind : "other"
    refused[key, default: 0] += count
  }

  mutating func add(_ other: Tally) {
    sent += other.sent
    accepted += other.accepted
    for (kind, count) in other.refused { refuse(kind, count: count) }
    statuses.merge(other.statuses) { $0 + $1 }
    retried += other.retried
    resent += other.resent
    leftOut += other.leftOut
    unanswered += other.unanswered
    latency.add(other.latency)
    lateness.add(other.lateness)
  }
}
