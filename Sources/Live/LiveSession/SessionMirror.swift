package import LivePair
import Synchronization

/// The other node of a pair, for the session of the one that leads: it gets what the journal has, and each change of the presentation, before anybody
/// else hears of it.
///
/// The thread that writes the journal sends, and waits; whoever reads the connection tells what has arrived.
package final class SessionMirror: Sendable {
  /// A connection with the other node.
  package protocol Line: AnyObject, Sendable {
    func send(_ message: PairMessage)
    func close()
  }

  /// A node that wants to follow.
  private struct Candidate {
    var line: any Line
    /// What its journal has.
    var hello: PairHello
  }

  private struct State {
    var candidate: Candidate?
    var line: (any Line)?
    /// How many messages were sent that count, and how many have arrived.
    var sent = 0
    var arrived = 0
    /// Whether nobody follows, and whether the journal knows that.
    var isAlone = true
    var isNoted = true
    /// When something has come from the input of the node that follows; `nil` where nothing has.
    var input: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let arrival = WakeUp()
  /// Wakes the thread that writes the journal: a node wants to follow, or has gone.
  let attention = Relay<Void>()
  /// Told when a node wants to follow, follows or has gone, and when something has come from its input.
  package let changes = Changes()
  /// How long the other node may take before it counts as gone.
  private let patience: Duration

  /// A mirror without another node.
  package init(patience: Duration = PairRole.silence) { self.patience = patience }

  /// Whether nobody follows.
  package var isAlone: Bool { state.withLock { $0.isAlone } }

  /// When something has come from the input of the node that follows; `nil` where nobody does, or nothing has.
  package var otherInput: ContinuousClock.Instant? { state.withLock { $0.input } }

  // MARK: The connection

  /// Lets a node follow, as soon as the journal is between two writes. The one before is let go.
  package func offer(_ line: any Line, _ hello: PairHello) {
    let old = state.withLock { state in
      defer { state.candidate = Candidate(line: line, hello: hello) }
      return state.candidate?.line
    }
    old?.close()
    attention.send(())
  }

  /// The node has handled this number of further messages.
  package func note(received count: Int, by line: any Line) {
    state.withLock { state in
      if state.line === line, count > 0 { state.arrived = min(state.arrived + count, state.sent) }
    }
    arrival.signal()
  }

  /// Something has come from the input of the node.
  package func note(input instant: ContinuousClock.Instant?, by line: any Line) {
    state.withLock { state in
      if state.line === line { state.input = instant }
    }
    changes.tell()
  }

  /// The connection has ended.
  package func lose(_ line: any Line) {
    state.withLock { state in
      if state.candidate?.line === line { state.candidate = nil }
      guard state.line === line else { return }
      (state.line, state.isAlone, state.isNoted, state.input) = (nil, true, false, nil)
    }
    arrival.signal()
    attention.send(())
    changes.tell()
  }

  /// Tells the node of a message for those who listen.
  func tell(_ message: LiveFeed.Message) {
    guard message.id > 0 else { return }
    state.withLock { $0.line }?.send(.told(id: message.id, event: message.event, data: message.data))
  }

  /// Says goodbye: everything that was sent has arrived, or never will. Nobody follows any more.
  ///
  /// - Parameter isEnd: Whether the stream is over.
  package func leave(isEnd: Bool) {
    let line = state.withLock { state in
      defer { (state.line, state.isAlone, state.isNoted, state.input) = (nil, true, true, nil) }
      return state.line
    }
    line?.send(.leaving(isEnd: isEnd))
    arrival.signal()
    changes.tell()
  }

  // MARK: The journal's thread

  /// Sends lines that the journal has on the disk now.
  func send(journal bytes: [UInt8], at offset: Int) { send(.journal(offset: offset, bytes: bytes)) }

  /// Sends a change of the presentation.
  func send(_ update: SegmentStore.Update) { send(.files(update.files)) }

  private func send(_ message: PairMessage) {
    let line = state.withLock { state in
      if state.line != nil { state.sent += 1 }
      return state.line
    }
    line?.send(message)
  }

  /// Waits until the other node has everything, or is gone. One that takes too long is let go, and hears that: the one that leads is still there.
  func settle() {
    var (last, deadline) = (0, ContinuousClock.now + patience)
    while true {
      let (line, arrived, isSettled) = state.withLock { ($0.line, $0.arrived, $0.arrived == $0.sent) }
      guard let line, !isSettled else { return }
      if arrived > last { (last, deadline) = (arrived, .now + patience) }
      guard ContinuousClock.now < deadline else {
        lose(line)
        return line.close()
      }
      arrival.wait(until: deadline)
    }
  }

  /// Whether nobody follows any more, or somebody does, which the journal does not know yet; `nil` where nothing has changed. It is given back once.
  func takeChange() -> Bool? {
    state.withLock { state in
      guard !state.isNoted else { return nil }
      state.isNoted = true
      return state.isAlone
    }
  }

  /// Lets a node that waits follow, with everything that there is.
  ///
  /// - Parameters:
  ///   - journal: Gives what the journal has on the disk; `nil` where that cannot be read.
  ///   - store: Has the presentation.
  func admit(_ journal: () -> [UInt8]?, _ store: SegmentStore?) {
    guard let candidate = state.withLock({ $0.candidate.take() }) else { return }
    guard let written = journal() else { return candidate.line.close() }
    let known = candidate.hello.length
    let isBeginning = known <= written.count && PairHello.digest(written[..<known]) == candidate.hello.digest
    let start = isBeginning ? known : 0
    let old = state.withLock { state in
      defer {
        (state.line, state.sent, state.arrived, state.isAlone, state.isNoted, state.input) = (candidate.line, 0, 0, false, false, nil)
      }
      return state.line
    }
    old?.close()
    send(.journal(offset: start, bytes: Array(written[start...])))
    for update in store?.snapshot ?? [] { send(update) }
    send(.complete)
    changes.tell()
  }
}
