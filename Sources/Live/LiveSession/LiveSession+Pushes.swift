import Synchronization

// The origins that the presentation is pushed to.
extension LiveSession {
  /// The origins: the name of each, whether it takes what it is sent, and the number of segments that it does not have.
  package var origins: [(name: String, isUp: Bool, lostSegments: Int)] { pushes.map { ($0.name, $0.isUp, $0.lostSegments) } }

  /// Ends a session whose outputs are origins that have all refused the first thing that they were sent: nobody would notice otherwise.
  func handle(_ refusal: OriginPush.Refusal) {
    guard pushes.count == settings.outputs.count, pushes.allSatisfy(\.isRefused) else { return }
    state.withLock { $0.failure = $0.failure ?? .origin(refusal.name, reason: refusal.reason) }
    inputStop.set()
  }

  /// Sends origins the rest of the stream, for some seconds at most.
  func finishPushes() {
    for push in pushes { push.close() }
    let patience = ContinuousClock.now + .seconds(Self.endStepSeconds)
    for push in pushes { push.join(until: patience) }
  }
}
