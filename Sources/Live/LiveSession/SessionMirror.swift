package import LivePair
import Synchronization

/// The following node of a pair, as the leading node's session sees it. It gets the journal and each change of the presentation before clients learn of
/// them.
///
/// The journal's thread sends and waits. The thread that reads the connection records confirmations.
package final class SessionMirror: Sendable {
  /// A connection with the other node.
  package protocol Line: AnyObject, Sendable {
    func send(_ message: PairMessage)
    func close()
  }

  /// A node that wants to follow. It gets the segments first.
  private struct Candidate {
    let line: any Line
    /// The state of its journal.
    let hello: PairHello
    /// The segments that it was sent, and the sizes of those that it has not confirmed.
    var sent: Set<String> = []
    var underway: [Int] = []
  }

  private struct State {
    var candidate: Candidate?
    var line: (any Line)?
    /// The numbers of sent and of confirmed messages, of the kinds that are confirmed.
    var sent = 0
    var arrived = 0
    /// Whether no node follows, and whether the journal has that.
    var isAlone = true
    var isNoted = true
    /// When the following node last received bytes from its input; `nil` if it has not.
    var input: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let arrival = WakeUp()
  /// Wakes the thread that writes the journal: a node wants to follow, or has gone.
  let attention = Relay<Void>()
  /// Notified when a node wants to follow, follows or has gone, and when its input has sent something.
  package let changes = Changes()
  /// The bytes of segments that a candidate has not confirmed at which it gets no further ones: those of a whole event do not fit into memory.
  static let mostUnderway = 8 << 20
  /// How long the other node may take to confirm before it counts as gone.
  private let patience: Duration

  /// A mirror without another node.
  package init(patience: Duration = PairRole.silence) { self.patience = patience }

  /// Whether no node follows.
  package var isAlone: Bool { state.withLock { $0.isAlone } }

  /// When the following node last received bytes from its input; `nil` without such a node or such bytes.
  package var otherInput: ContinuousClock.Instant? { state.withLock { $0.input } }

  // MARK: The connection

  /// Lets a node follow, once it has all segments. An earlier candidate is disconnected.
  package func offer(_ line: any Line, _ hello: PairHello) {
    let old = state.withLock { exchange(&$0.candidate, with: Candidate(line: line, hello: hello)) }
    old?.line.close()
    attention.send(())
  }

  /// Records that the node has confirmed this number of further messages.
  package func note(received count: Int, by line: any Line) {
    let isCandidate = state.withLock { state in
      if state.line === line, count > 0 { state.arrived = min(state.arrived + count, state.sent) }
      guard let candidate = state.candidate, candidate.line === line else { return false }
      state.candidate?.underway = Array(candidate.underway.dropFirst(max(count, 0)))
      return true
    }
    arrival.signal()
    if isCandidate { attention.send(()) }
  }

  /// Records when the node last received bytes from its input.
  package func note(input instant: ContinuousClock.Instant?, by line: any Line) {
    state.withLock { state in
      if state.line === line { state.input = instant }
    }
    changes.tell()
  }

  /// Records that the connection has ended.
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

  /// Sends the node a message for listeners, also while it is still joining.
  func tell(_ message: LiveFeed.Message) {
    guard message.id > 0 else { return }
    let lines = state.withLock { [$0.line, $0.candidate?.line] }
    for line in lines { line?.send(.told(id: message.id, event: message.event, data: message.data)) }
  }

  /// Says goodbye. No node follows any more. A node that is still joining is disconnected: it leads if its own input lives.
  ///
  /// - Parameter isEnd: Whether the stream is over.
  package func leave(isEnd: Bool) {
    let (line, candidate) = state.withLock { state in
      defer { (state.line, state.candidate, state.isAlone, state.isNoted, state.input) = (nil, nil, true, true, nil) }
      return (state.line, state.candidate?.line)
    }
    line?.send(.leaving(isEnd: isEnd))
    candidate?.close()
    arrival.signal()
    changes.tell()
  }

  // MARK: The journal's thread

  /// Sends lines that are on the disk.
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

  /// Waits until the other node has confirmed everything, or is gone. One that takes too long is disconnected, and so learns that this node still leads.
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

  /// Whether no node follows now, if the journal does not have that yet; otherwise `nil`. Each change is returned once.
  func takeChange() -> Bool? {
    state.withLock { state in
      guard !state.isNoted else { return nil }
      state.isNoted = true
      return state.isAlone
    }
  }

  /// Sends a waiting node the segments that it does not have, as many as it may have underway. Once it has all of them, it gets the rest, and follows.
  ///
  /// - Parameters:
  ///   - journal: Reads the journal from the disk; `nil` if that fails.
  ///   - store: The presentation.
  func admit(_ journal: () -> [UInt8]?, _ store: SegmentStore?) {
    guard let candidate = state.withLock({ $0.candidate }) else { return }
    var room = Self.mostUnderway - candidate.underway.reduce(0, +)
    // All names are looked through each time, so it waits until there is room for some.
    guard room > Self.mostUnderway / 2 else { return }
    let (names, playlists) = (store?.segmentNames ?? [], store?.playlists)
    var sent = candidate.sent
    for name in names where sent.insert(name).inserted {
      guard room > 0 else { return }
      // A segment that the disk does not give back is left out.
      let bytes = store?.file(name)?.bytes
      state.withLock { state in
        guard state.candidate?.line === candidate.line else { return }
        state.candidate?.sent.insert(name)
        if let bytes { state.candidate?.underway.append(bytes.count) }
      }
      guard let bytes else { continue }
      room -= bytes.count
      var files = PairFiles(targetDuration: Int(clamping: playlists?.targetDuration ?? 1))
      files.segments = [PairFiles.File(name: name, bytes: bytes)]
      candidate.line.send(.files(files))
    }
    guard let written = journal() else { return candidate.line.close() }
    let known = candidate.hello.length
    let isBeginning = known <= written.count && PairHello.digest(written[..<known]) == candidate.hello.digest
    let start = isBeginning ? known : 0
    let (isThere, old) = state.withLock { state in
      guard let current = state.candidate, current.line === candidate.line else { return (false, (any Line)?.none) }
      defer {
        (state.candidate, state.line, state.sent, state.arrived) = (nil, current.line, current.underway.count, 0)
        (state.isAlone, state.isNoted, state.input) = (false, false, nil)
      }
      return (true, state.line)
    }
    old?.close()
    guard isThere else { return }
    send(.journal(offset: start, bytes: Array(written[start...])))
    if var last = playlists {
      last.removable = sent.subtracting(names).sorted()
      send(last)
    }
    send(.complete)
    changes.tell()
  }
}
