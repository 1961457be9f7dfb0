public import Basics
public import GameEvents
import ID3
import Seals
public import StateMachine

/// A viewer's game, for a player that delivers timed metadata: tags or texts in, the state to show out.
///
/// All times are those of the player's clock. The copies of events determine where the programme lies on it; nothing happens before the first copy.
/// A time that is more than 2^32 ticks (13 h 15 min) from the player's clock is a presentation time that has wrapped: 2^33 ticks are added or taken away. If
/// that does not bring it nearer than 2^32 ticks, the event is unusable.
///
/// Ads and cuts are found by the copies after them. If the player announces them (``discontinuity(at:)``), no question closes meanwhile.
///
/// ```swift
/// var client = GameClient()
/// for transition in client.receive(tag: bytes, presentedAt: time, now: now) { show(transition) }
/// ```
public struct GameClient: Sendable {
  /// How the seals of answers are checked.
  public enum SealPolicy: Sendable {
    /// They are checked: a result that does not open its question's seal does not count.
    case verify
    /// They are not checked, and are marked ``GameState/Seal/unchecked``.
    case trust
    /// Another check than that of the wire format.
    case custom(SealCheck)
  }

  /// A copy, and its presentation time on the player's clock.
  private struct TimedCopy: Sendable {
    var copy: EventCopy
    var time: MediaTime
  }

  /// The number of unusable events: they were damaged, not signed as required, or dated implausibly far from the player's clock.
  public private(set) var unusable = 0
  private var game: GameStateMachine
  private var timeline = PlayerTimeline()
  private var parser: CopyParser
  private var now: MediaTime?
  /// Copies that contradict the timeline, held until another one agrees with them.
  private var withheld: [TimedCopy] = []
  /// Copies that are held until they are presented, in the order of their times: those without a time of their own, and those that arrived before
  /// the programme began.
  private var early: [TimedCopy] = []
  /// The events that were announced as opened or begun since the viewer moved.
  private var opened: [GUID] = []

  /// The questions whose results the viewer has seen. Going back behind a result does not open its question again.
  private var revealed: [GUID] = []

  /// The maximum number of held copies, and of remembered announcements and results.
  private static let mostHeld = 256
  /// If a discontinuity is announced at most this long after the start of an interval, it means that start: players announce it a little late.
  private static let discontinuitySlack = MediaTime(seconds: 2)
  /// How far the player's clock may go back although the viewer did not move: several threads read it.
  private static let clockJitter = MediaTime(seconds: 1)
  /// After how much presentation times of 33 bits begin again.
  private static let wrap = MediaTime(ticks: 1 << 33)
  /// How far a time may be from the player's clock.
  private static let farthest = MediaTime(ticks: 1 << 32)
  /// How long after the end of the video events still happen. Not more than the jitter, or else the player's clock would go back afterwards.
  private static let endSlack = clockJitter

  /// A client that knows nothing yet.
  ///
  /// - Parameters:
  ///   - seals: How the seals of answers are checked.
  ///   - signatures: Checks the signature that every event must have, or else it counts as ``unusable``; `nil` if signatures are not required.
  ///   - limits: How much is kept, and how long to wait for missing events.
  public init(seals: SealPolicy = .verify, signatures: SignatureCheck? = nil, limits: EventLog.Limits = EventLog.Limits()) {
    parser = CopyParser(requiring: signatures)
    let check: SealCheck? =
      switch seals {
      case .verify: AnswerSeal.verify
      case .trust: nil
      case .custom(let check): check
      }
    game = GameStateMachine(limits: limits, verifySeal: check)
  }

  /// The state to show.
  public var state: GameState { game.state }

  /// Totals so far.
  public var counters: GameStateMachine.Counters { game.counters }

  /// The player's time of the timeline origin at the current position; `nil` before the first copy, and while the programme is paused.
  public var origin: MediaTime? { now.flatMap { timeline.origin(at: $0) } }

  /// The programme time now, to be compared with ``GameState/Question/closesAt`` and the other times of the state. `nil` before the first
  /// copy.
  public var programmeTime: MediaTime? { now.flatMap { timeline.programmeTime(at: $0) } }

  /// The player's time at which the programme reaches `time`, from now on; `nil` if that is not known.
  public func playerTime(ofProgrammeTime time: MediaTime) -> MediaTime? { now.flatMap { timeline.playerTime(of: time, from: $0) } }

  /// The player's time at which something changes next if no copy arrives: set a timer, and call ``advance(to:)`` then.
  public var nextDeadline: MediaTime? {
    guard let now else { return nil }
    var next = game.nextDeadline.flatMap { timeline.playerTime(of: $0, from: now) }
    if let start = timeline.nextInterval(after: now).map({ timeline.intervals[$0].start }) { next = min(next ?? start, start) }
    if let first = early.first, !timeline.isUnknown { next = min(next ?? first.time, first.time) }
    return next
  }
}

// MARK: - Metadata from the player

extension GameClient {
  /// Receives a complete ID3 tag, or what an event message holds: several tags, or one with padding behind it.
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

  private mutating func play(_ timed: TimedCopy, now: MediaTime) -> [GameTransition] {
    guard let time = timeline.programmeTime(at: now) else {
      // The programme has not begun. A further copy of an event that is held already is not needed.
      let isHeld = early.contains { $0.copy.event == timed.copy.event && $0.time <= timed.time }
      if timed.time > now, !isHeld { hold(timed) }
      return []
    }
    return announced(game.receive(timed.copy, at: time))
  }
}

// MARK: - Time and the viewer

extension GameClient {
  /// Advances to `now`, and does everything that is due until then. Before the first copy nothing is due.
  ///
  /// Call it at ``nextDeadline``, and also a few times a second. If the clock goes back by more than a second, the viewer has moved.
  public mutating func advance(to now: MediaTime) -> [GameTransition] {
    guard let before = self.now else {
      self.now = now
      return []
    }
    guard now >= before else { return before - now > Self.clockJitter ? seek(to: now) : [] }
    var transitions: [GameTransition] = []
    var position = before
    // Several copies may be due at once.
    while position < now || early.first.map({ $0.time <= now }) == true {
      let interval = timeline.nextInterval(after: position).flatMap { timeline.intervals[$0].start <= now ? $0 : nil }
      let stop = interval.map { timeline.intervals[$0].start } ?? now
      if let first = early.first, first.time <= stop {
        early.removeFirst()
        self.now = first.time
        transitions += follow(first.time) + play(first, now: first.time)
        position = max(position, first.time)
        continue
      }
      // The end of an interval precedes the next one.
      if let interval, let time = timeline.programmeTime(at: stop, in: interval - 1) { transitions += move(to: time) }
      self.now = stop
      transitions += follow(stop)
      position = stop
    }
    return transitions
  }

  /// Moves to `now`, because the viewer did. Events in between are not announced. A question that is open there is announced, even if it was before.
  public mutating func seek(to now: MediaTime) -> [GameTransition] {
    self.now = now
    timeline.forgetContradictions()
    withheld = []
    let held = early.prefix(early.partitionIndex { $0.time > now })
    early.removeFirst(held.count)
    opened = []
    guard let time = timeline.programmeTime(at: now) else { return [] }
    var transitions = announced(game.seek(to: time))
    // Copies that were held until the programme began are received now if the viewer has moved beyond its beginning.
    for timed in held where timed.copy.programmeTime != nil { transitions += play(timed, now: now) }
    return transitions
  }

  /// Records that the player announces a discontinuity, at `time` or now: the start of an ad, or of the programme after it. The programme is paused
  /// until the next copy determines its time, unless a copy that is presented later has already done so.
  ///
  /// Call it for an ad before the programme, too, before any tag is received: then the programme does not begin before its first copy is
  /// presented, however early that is received.
  public mutating func discontinuity(at time: MediaTime? = nil) {
    // Before the player has started, nothing can be paused, so the time does not matter.
    timeline.stop(at: time ?? now ?? .zero, slack: Self.discontinuitySlack)
  }

  /// Selects an answer of the open question. Until the question closes, another answer may replace it. Once its result was shown, it is too late, even
  /// if the viewer goes back.
  ///
  /// - Parameters:
  ///   - answer: The index of the answer.
  ///   - now: The player's time.
  /// - Returns: The outcome, and the transitions that were due.
  public mutating func select(_ answer: Int, now: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    let transitions = advance(to: now)
    guard let time = timeline.programmeTime(at: now) else { return (.noQuestion, transitions) }
    if let question = state.question?.guid, revealed.contains(question) { return (.tooLate, transitions) }
    let (outcome, further) = game.select(answer: answer, at: time)
    return (outcome, transitions + announced(further))
  }

  /// Ends the stream: what is due within a second still happens, since a video may be a little shorter than its metadata. Then an open question
  /// closes, and missing events are lost.
  public mutating func finish(now: MediaTime) -> [GameTransition] {
    var transitions = advance(to: now)
    if let next = nextDeadline, next <= now + Self.endSlack { transitions += advance(to: now + Self.endSlack) }
    return transitions + announced(game.finish())
  }

  /// Advances the game to the programme time of `now`.
  private mutating func follow(_ now: MediaTime) -> [GameTransition] { timeline.programmeTime(at: now).map { move(to: $0) } ?? [] }

  /// Moves the game to a programme time. If that is earlier than the game's time, there was an unannounced ad.
  private mutating func move(to time: MediaTime) -> [GameTransition] {
    guard let before = game.time, time < before else { return announced(game.advance(to: time)) }
    return announced(game.seek(to: time))
  }

  /// Leaves out questions that were announced before: after an unannounced ad, the programme goes back to where it was.
  private mutating func announced(_ transitions: [GameTransition]) -> [GameTransition] {
    for transition in transitions {
      guard let question = transition.state.result?.content.questionGuid, !revealed.contains(question) else { continue }
      revealed.append(question)
      if revealed.count > Self.mostHeld { revealed.removeFirst() }
    }
    return transitions.filter { transition in
      guard transition.kind.isOpening, let guid = transition.guid else { return true }
      guard !opened.contains(guid) else { return false }
      opened.append(guid)
      if opened.count > Self.mostHeld { opened.removeFirst() }
      return true
    }
  }
}

extension GameTransition.Kind {
  /// Whether it announces that a question opens.
  fileprivate var isOpening: Bool { if case .questionAsked = self { true } else { false } }
}
