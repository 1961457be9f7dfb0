import LiveGame
import LivePair
import Synchronization

/// What a node of a pair begins to lead with.
package struct PairLead: Sendable {
  /// What is read already.
  package var input: StandbyInput
  /// The presentation as the other node has left it.
  package var store: SegmentStore
  /// Whoever listens hears this session, too.
  package var feed: LiveFeed
  /// The other node, when it comes back.
  package var mirror: SessionMirror
  /// When the last segment came that the other node has listed; `nil` for none.
  package var lastListing: ContinuousClock.Instant?

  package init(
    input: StandbyInput, store: SegmentStore, feed: LiveFeed, mirror: SessionMirror, lastListing: ContinuousClock.Instant?
  ) {
    (self.input, self.store, self.feed, self.mirror, self.lastListing) = (input, store, feed, mirror, lastListing)
  }

  /// Goes on where the other node has stopped.
  func begin(_ restored: inout RestoredSession) {
    // Only who has followed until now has the beginning of the segment that comes next.
    let next = lastListing.flatMap { _ in restored.nextTimestamp }
    restored.begin(input.attach(at: next, since: lastListing))
    restored.beginning.append(.led(term: restored.term + 1, isAlone: true))
  }

  /// Passes the input on to the session that leads, to its end.
  ///
  /// - Throws: `LiveSessionError` where the input cannot be read.
  func readInput(into session: LiveSession) throws(LiveSessionError) {
    try input.feed(session)
    // An input that ends here alone ends nothing: the other node goes on with its own.
    if !mirror.isAlone { session.inputStop.wait(until: .now + PairRole.inputLead * 2) }
  }
}

extension LiveSession {
  /// Ends and lets the other node of a pair go on: what it has not got is not promised to anybody. The presentation and those who listen stay.
  package func handOver() {
    handsOver.set()
    stop()
  }

  /// Ends without an end of the stream. The segment that is open is made by the other node, from its beginning on.
  func leave() {
    inputStop.set()
    desk.close(isHandedOver: true)
    pair?.mirror.leave(isEnd: false)
    outputStop.set()
    for sink in sinks { sink.close() }
    folderLocks.withLock { $0 = [] }
    state.withLock { $0.situation.hasEnded = true }
    changes.tell()
  }
}
