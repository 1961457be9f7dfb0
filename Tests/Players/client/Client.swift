import CuelightClient

// A `GameClient` for a page, as a module of WebAssembly. Times are seconds of the player's clock. What changed is printed, a line for each
// transition: its kind, the programme time of what happened, and the event.

/// The game. Unsafe: a page calls the module from one thread.
nonisolated(unsafe) private var client = GameClient()
/// The bytes of the tag that comes. Unsafe: as above.
nonisolated(unsafe) private var tag: [UInt8] = []

private func show(_ transitions: [GameTransition]) {
  for transition in transitions {
    print("\(transition.kind.text) \(transition.eventTime.decimalSeconds) \(transition.guid?.text ?? "-")")
  }
}

/// Takes the next byte of a tag.
@_cdecl("push") public func push(_ byte: UInt8) { unsafe tag.append(byte) }

/// Receives the tag whose bytes have been pushed.
@_cdecl("receive") public func receive(_ presentedAt: Double, _ now: Double) {
  show(unsafe client.receive(tag: tag, presentedAt: MediaTime(seconds: presentedAt), now: MediaTime(seconds: now)))
  unsafe tag = []
}

/// Goes on to a time.
@_cdecl("advance") public func advance(_ now: Double) { show(unsafe client.advance(to: MediaTime(seconds: now))) }

/// An ad begins or ends at a time.
@_cdecl("discontinuity") public func discontinuity(_ time: Double) { unsafe client.discontinuity(at: MediaTime(seconds: time)) }

/// When something changes next; not a number where that is unknown.
@_cdecl("nextDeadline") public func nextDeadline() -> Double { unsafe client.nextDeadline?.seconds ?? .nan }

/// The stream has ended.
@_cdecl("finish") public func finish(_ now: Double) { show(unsafe client.finish(now: MediaTime(seconds: now))) }
