public import Basics
public import GameEvents
import ID3
public import StateMachine

/// Metadata from the player.
extension GameClient {
  /// Receives a complete ID3 tag, or what an event message holds: several tags, or one with padding after it.
  ///
  /// - Parameters:
  ///   - tag: The bytes, from `ID3` to the end of the tag; from its sixth byte on if the player is built with FFmpeg before 6.1, which cuts
  ///     the first five. Bytes that are not a tag count as ``unusable``.
  ///   - time: When the tag is presented. It may be in the future: transitions are announced when it is reached.
  ///   - now: The player's time.
  public mutating func receive(tag: some Sequence<UInt8>, presentedAt time: MediaTime, now: MediaTime) -> [GameTransition] {
    receive(bytes: [UInt8](tag), presentedAt: time, now: now)
  }

  private mutating func receive(bytes: [UInt8], presentedAt time: MediaTime, now: MediaTime) -> [GameTransition] {
    var transitions = advance(to: now)
    let payload = ID3Payload(bytes.view)
    if payload.tags.isEmpty { unusable += 1 }
    for part in payload.tags where !part.isRepeat {
      guard let tag = try? ID3Tag.decode(part.bytes.view) else {
        unusable += 1
        continue
      }
      for result in parser.copies(in: tag) {
        switch result {
        case .success(let copy): transitions += receive(copy, at: time, now: now)
        case .failure: unusable += 1
        }
      }
    }
    return transitions
  }

  /// Receives a `TXXX` frame that the player has extracted from its tag.
  ///
  /// - Parameters:
  ///   - text: The frame's value.
  ///   - description: The frame's description; empty if the player does not provide it.
  ///   - time: When the frame is presented. It may be in the future.
  ///   - now: The player's time.
  public mutating func receive(text: String, description: String, presentedAt time: MediaTime, now: MediaTime) -> [GameTransition] {
    let transitions = advance(to: now)
    guard let copy = copy(of: text, description: description) else { return transitions }
    return transitions + receive(copy, at: time, now: now)
  }

  /// The copy in the value of a frame; `nil` if there is none, or if it is unusable.
  private mutating func copy(of text: String, description: String) -> EventCopy? {
    do throws(EventError) {
      return try parser.parse(text, description: description)
    } catch {
      if error != .notAnEvent { unusable += 1 }
      return nil
    }
  }

  /// Receives an event of a playlist's date range: the bytes of its attribute `X-COM-CUELIGHT-EVENT`, which writes them in hexadecimal.
  ///
  /// A client that uses date ranges states all times as dates: seconds since 1970, by the player's current date.
  ///
  /// - Parameters:
  ///   - event: The attribute's bytes.
  ///   - startDate: The range's START-DATE.
  ///   - now: The player's current date.
  public mutating func receive(dateRange event: [UInt8], startDate: Double, now: Double) -> [GameTransition] {
    let now = MediaTime(seconds: now)
    let transitions = advance(to: now)
    guard let copy = copy(of: String(decoding: event, as: UTF8.self), description: "") else { return transitions }
    // Dates do not wrap.
    return transitions + receive(TimedCopy(copy: copy, time: MediaTime(seconds: startDate)), now: now)
  }

  /// Receives a copy that was already parsed. Its signature is not checked.
  public mutating func receive(_ copy: EventCopy, presentedAt time: MediaTime, now: MediaTime) -> [GameTransition] {
    advance(to: now) + receive(copy, at: time, now: now)
  }

  /// Receives a copy whose time may have wrapped, or be implausible.
  private mutating func receive(_ copy: EventCopy, at time: MediaTime, now: MediaTime) -> [GameTransition] {
    let unwrapped = [time, time < now ? time + Self.wrap : time - Self.wrap].first { ($0 - now).magnitude <= Self.farthest }
    guard let unwrapped else {
      unusable += 1
      return []
    }
    return receive(TimedCopy(copy: copy, time: unwrapped), now: now)
  }

  private mutating func receive(_ timed: TimedCopy, now: MediaTime) -> [GameTransition] {
    guard let programmeTime = timed.copy.programmeTime else { return receiveWithoutTime(timed, now: now) }
    let origin = timed.time - programmeTime
    switch timeline.accept(origin: origin, isVerified: timed.copy.isVerified, presentedAt: timed.time) {
    case .contradicts:
      if withheld.count >= Self.mostHeld { withheld.removeFirst() }
      withheld.append(timed)
      return []
    case .agrees: return follow(now) + play(timed, now: now)
    case .moves:
      var transitions = follow(now)
      let confirmed = withheld.filter { held in
        held.copy.programmeTime.map { (held.time - $0 - origin).magnitude <= ProgrammeClock.tolerance } ?? false
      }
      withheld = []
      for timed in confirmed + [timed] { transitions += play(timed, now: now) }
      return transitions
    }
  }

  /// Receives a copy of an event without a time: it happens when it is presented.
  private mutating func receiveWithoutTime(_ timed: TimedCopy, now: MediaTime) -> [GameTransition] {
    // If no event of a stream states its time, the player's clock is the programme's.
    if timeline.isUnknown { _ = timeline.accept(origin: .zero, isVerified: false, presentedAt: timed.time) }
    guard timed.time > now else { return play(timed, now: timed.time) }
    hold(timed)
    return []
  }

  /// Keeps a copy until it is presented.
  private mutating func hold(_ timed: TimedCopy) {
    early.insert(timed, at: early.partitionIndex { $0.time > timed.time })
    if early.count > Self.mostHeld { early.removeLast() }
  }

  mutating func play(_ timed: TimedCopy, now: MediaTime) -> [GameTransition] {
    guard let time = timeline.programmeTime(at: now) else {
      // The programme has not begun. A further copy of an event that is held already is not needed.
      let isHeld = early.contains { $0.copy.event == timed.copy.event && $0.time <= timed.time }
      if timed.time > now, !isHeld { hold(timed) }
      return []
    }
    return announced(game.receive(timed.copy, at: time))
  }
}
