import Synchronization

/// What becomes of a stream whose session ends.
enum SessionEnding {
  /// It ends, too.
  case over
  /// Another session of this process continues it.
  case paused
  /// The other node of a pair continues it.
  case handedOver
}

/// The end of a session: for good, or until another session of this process continues the stream.
extension LiveSession {
  /// Ends everything: the playlist with ENDLIST, the journal, clients. Placed events are written first, which usually takes a fraction of a second, and at
  /// most ``endPatience`` if the disk does not answer.
  package func stop() {
    inputStop.set()
    let patience = ContinuousClock.now + Self.endPatience
    for worker in workers.withLock({ $0 }) { worker.join(until: patience) }
  }

  /// The maximum time for the end of a session.
  private static let endPatience = Duration.seconds(20)
  /// The maximum time for each step of it: the last segments, the journal, the files of a folder.
  static let endStepSeconds = 5.0

  /// Ends everything as ``stop()`` does, for a task, which must not block.
  package func stopWaiting() async {
    await Worker.run { [self] in stop() }
  }

  /// Ends as ``abandon()`` does, but not the stream: its playlists stay open for the session that continues it. Without a journal no session can.
  ///
  /// It blocks as ``stop()`` does.
  package func pause() {
    isPaused.set()
    abandon()
  }

  /// Ends the playlists of a stream that no session continues after all. It blocks for some seconds at most.
  package func conclude() {
    guard !store.isClosed else { return }
    presentation.conclude()
    store.close()
  }

  /// The presentation, for the session that continues the stream; `nil` if clients have to begin anew with it.
  func storeToContinue(with next: LiveSettings) -> SegmentStore? {
    guard !store.isClosed else { return nil }
    if next.journal == settings.journal, next.hasSamePresentation(as: settings) { return store }
    store.close()
    return nil
  }

  /// Gives up a session without a pair, so that it cannot begin any more: ends its outputs and their threads, and gives back its folders and its
  /// journal, which another session can continue. A session that was started is ended as ``stop()`` does.
  ///
  /// It blocks, for a second at most unless a disk does not answer.
  package func abandon() {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return stop() }
    inputStop.set()
    for inbox in inboxes { inbox.close() }
    desk.abandon()
    outputStop.set()
    for sink in sinks { sink.close() }
    finishPushes()
    let patience = ContinuousClock.now + .seconds(1)
    for sink in sinks { _ = sink.join(until: patience) }
    // The next session has the presentation that this one would have continued.
    if !continuesPresentation { store.close() }
    folderLocks.withLock { $0 = [] }
    state.withLock { $0.situation.hasEnded = true }
    changes.tell()
    feed.close()
  }

  /// What becomes of the stream now that the session ends.
  private var ending: SessionEnding {
    if handsOver.isSet { return .handedOver }
    // The next session restores the stream from the journal.
    guard settings.journal != nil, pair == nil else { return .over }
    return isPaused.isSet || (settings.beginsAgain && failure != nil) ? .paused : .over
  }

  /// Writes what was received, and ends. The thread of the input does it.
  func finish() {
    let ending = ending
    if ending == .handedOver { return leave() }
    // The last segments have the placed events. After an input that has ended by itself there may be more of them.
    let seconds = inputStop.isSet ? Self.endStepSeconds : 60
    inputStop.set()
    if ending == .over { for push in pushes { push.prepareEnd() } }
    let output = state.withLock { state in
      state.pipeline.interrupt()
      return state.pipeline.take()
    }
    send(output)
    finishVariants(seconds: seconds / 3)
    presentation.release(isEnding: true)
    if ending == .over { presentation.end() }
    desk.close(ending)
    for sink in sinks { sink.close() }
    // A receiver that does not accept the rest in this time, or is not connected, is interrupted. Files get the time that segments get.
    let patience = ContinuousClock.now + .milliseconds(300)
    let receivers = sinks.filter { !$0.isFile && !$0.join(until: patience) }
    outputStop.set()
    for sink in receivers { _ = sink.join(until: patience + .milliseconds(700)) }
    let deadline = ContinuousClock.now + .seconds(seconds)
    for sink in sinks where sink.isFile && !sink.join(until: deadline) {
      report("\(sink.name): the end of the stream is missing, because it cannot be written fast enough")
    }
    finishPushes()
    if ending == .over { store.close() }
    folderLocks.withLock { $0 = [] }
    pair?.mirror.leave(isEnd: true)
    for notice in state.withLock({ $0.notices.takeAll(at: .now) }) { tell(notice) }
    state.withLock { if ending == .over { $0.situation.hasEnded = true } else { $0.situation.isInputUp = false } }
    changes.tell()
    feed.close()
  }
}
