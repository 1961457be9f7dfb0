import LiveGame
import LivePair
import Synchronization

/// What a node of a pair has when it begins to lead.
package struct PairLead: Sendable {
  /// The input, which is read already.
  package var input: StandbyInput
  /// The presentation of the node that led before.
  package var store: SegmentStore
  /// The feed, whose listeners stay.
  package var feed: LiveFeed
  /// The other node, when it comes back.
  package var mirror: SessionMirror
  /// When the other node listed its last segment; `nil` for none.
  package var lastListing: ContinuousClock.Instant?

  package init(
    input: StandbyInput, store: SegmentStore, feed: LiveFeed, mirror: SessionMirror, lastListing: ContinuousClock.Instant?
  ) {
    (self.input, self.store, self.feed, self.mirror, self.lastListing) = (input, store, feed, mirror, lastListing)
  }

  /// Continues where the other node has stopped.
  func begin(_ restored: inout RestoredSession) {
    // Only a node that has followed until now has the start of the next segment.
    let next = lastListing.flatMap { _ in restored.nextTimestamp }
    restored.begin(input.attach(at: next, since: lastListing))
    restored.beginning.append(.led(term: restored.term + 1, isAlone: true))
  }

  /// Sends the input to the leading session until it ends.
  ///
  /// - Throws: `LiveSessionError` if the input cannot be read.
  func readInput(into session: LiveSession) throws(LiveSessionError) {
    try input.feed(session)
    // If only this input ends, the other node continues with its own.
    if !mirror.isAlone { session.inputStop.wait(until: .now + PairRole.inputLead * 2) }
  }
}

extension LiveSession {
  /// Ends, and hands leadership over to the other node of a pair, which has every accepted event. The presentation and the listeners stay.
  package func handOver() {
    handsOver.set()
    stop()
  }

  /// Ends without ending the stream. The other node makes the open segment from its start.
  func leave() {
    inputStop.set()
    desk.close(.handedOver)
    pair?.mirror.leave(isEnd: false)
    outputStop.set()
    for sink in sinks { sink.close() }
    for push in pushes { push.close() }
    folderLocks.withLock { $0 = [] }
    state.withLock { $0.situation.hasEnded = true }
    changes.tell()
  }
}
