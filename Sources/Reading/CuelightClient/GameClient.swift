public import Basics
public import GameEvents
import ID3
import Seals
public import StateMachine

/// The game of a viewer whose player hands over timed metadata: tags or texts in, what to show out.
///
/// All times are those of the player's clock. The copies of events tell where the programme lies on it, and nothing happens before the first copy.
/// Ads and cuts are found by the copies behind them. Where the player announces them (``discontinuity(at:)``), no question closes meanwhile.
///
/// ```swift
/// var client = GameClient()
/// for transition in client.receive(tag: bytes, presentedAt: time, now: now) { show(transition) }
/// ```
public struct GameClient: Sendable {
  /// What becomes of the seals of answers.
  public enum SealPolicy: Sendable {
    /// They are checked: a result that does not open its question's seal does not count.
    case verify
    /// They are taken as they are, and marked ``GameState/Seal/unchecked``.
    case trust
    /// Another check than that of the wire format.
    case custom(SealCheck)
  }

  /// A copy, and when it is presented on the player's clock.
  private struct Presentation: Sendable {
    var copy: EventCopy
    var time: MediaTime
  }

  /// The number of events that could not be used: they were damaged, or not signed as they must be.
  public private(set) var unusable = 0
  private var game: GameStateMachine
  private var timeline = PlayerTimeline()
  private var parser: CopyParser
  private var now: MediaTime?
  /// Copies that contradict the timeline, until another one agrees with them.
  private var withheld: [Presentation] = []
  /// Copies that wait until they are presented, in the order of their times: those that do not say when they happened, and those that came before
  /// the programme began.
  private var early: [Presentation] = []
  /// What has been announced as opened or begun since the viewer moved.
  private var opened: [GUID] = []

  /// The most copies that wait, and the most announcements that are remembered.
  private static let mostHeld = 256
  /// A discontinuity that is announced no later than this after the start of a piece means that start: players announce it a little late.
  private static let discontinuitySlack = MediaTime(seconds: 2)
  /// How far the player's clock may go back without having been moved by the viewer: it is read by several threads.
  private static let clockJitter = MediaTime(seconds: 1)

  /// A client that knows nothing yet.
  ///
  /// - Parameters:
  ///   - seals: What becomes of the seals of answers.
  ///   - signatures: Checks the signature that every event must have, or else it counts as ``unusable``; `nil` if signatures do not matter.
  ///   - limits: How much is kept, and how long missing events are waited for.
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

  /// What to show.
  public var state: GameState { game.state }

  /// What came so far.
  public var counters: GameStateMachine.Counters { game.counters }

  /// The player's time of the timeline origin, where the player is now; `nil` until a copy has told it, and while the programme is paused.
  public var origin: MediaTime? { now.flatMap { timeline.origin(at: $0) } }

  /// The programme time now: what ``GameState/Question/closesAt`` and the other times of the state are compared with. `nil` until a copy has
  /// told it.
  public var programmeTime: MediaTime? { now.flatMap { timeline.programmeTime(at: $0) } }

  /// The player's time at which the programme reaches `time`, from now on; `nil` if that is not known.
  public func playerTime(ofProgrammeTime time: MediaTime) -> MediaTime? { now.flatMap { timeline.playerTime(of: time, from: $0) } }

  /// The player's time at which something changes next if nothing comes: call ``advance(to:)`` then, by a timer.
  public var nextDeadline: MediaTime? {
    guard let now else { return nil }
    var next = game.nextDeadline.flatMap { timeline.playerTime(of: $0, from: now) }
    if let piece = timeline.nextPiece(after: now) { next = min(next ?? timeline.pieces[piece].start, timeline.pieces[piece].start) }
    if let first = early.first, !timeline.isUnknown { next = min(next ?? first.time, first.time) }
    return next
  }
}

// MARK: - What the player hands over

extension GameClient {
  /// Receives a whole ID3 tag.
  ///
  /// - Parameters:
  ///   - tag: The bytes, from `ID3` to the end of the tag; from its sixth byte on if the player is made with FFmpeg before 6.1, which cuts
  ///     the first five. Bytes that are no tag count as ``unusable``.
  ///   - time: When the tag is presented. That may lie ahead: what happens then is announced then.
  ///   - now: The player's time.
  public mutating func receive(tag: some Sequence<UInt8>, presentedAt time: MediaTime, now: MediaTime) -> [GameTransition] {
    receive(bytes: [UInt8](tag), presentedAt: time, now: now)
  }

  private mutating func receive(bytes: [UInt8], presentedAt time: MediaTime, now: MediaTime) -> [GameTransition] {
    var transitions = advance(to: now)
    let whole = ID3Tag.restored(bytes.view) ?? bytes
    guard let tag = try? ID3Tag.decode(whole.view) else {
      unusable += 1
      return transitions
    }
    for result in parser.copies(in: tag) {
      switch result {
      case .success(let copy): transitions += receive(Presentation(copy: copy, time: time), now: now)
      case .failure: unusable += 1
      }
    }
    return transitions
  }

  /// Receives a `TXXX` frame that the player has taken out of its tag.
  ///
  /// - Parameters:
  ///   - text: The frame's value.
  ///   - description: The frame's description; empty if the player does not hand it over.
  ///   - time: When the frame is presented. That may lie ahead.
  ///   - now: The player's time.
  public mutating func receive(text: String, description: String, presentedAt time: MediaTime, now: MediaTime) -> [GameTransition] {
    var transitions = advance(to: now)
    do throws(EventError) {
      let copy = try parser.parse(text, description: description)
      transitions += receive(Presentation(copy: copy, time: time), now: now)
    } catch {
      if error != .notAnEvent { unusable += 1 }
    }
    return transitions
  }

  /// Receives an event of a playlist's date range: the bytes that its attribute `X-COM-CUELIGHT-EVENT` has in hexadecimal digits.
  ///
  /// A client that uses date ranges tells all times as dates: seconds since 1970, of the player's current date.
  ///
  /// - Parameters:
  ///   - event: The attribute's bytes.
  ///   - startDate: The range's START-DATE.
  ///   - now: The player's current date.
  public mutating func receive(dateRange event: [UInt8], startDate: Double, now: Double) -> [GameTransition] {
    receive(
      text: String(decoding: event, as: UTF8.self), description: "", presentedAt: MediaTime(seconds: startDate),
      now: MediaTime(seconds: now))
  }

  /// Receives a copy that was read already. Its signature is not checked.
  public mutating func receive(_ copy: EventCopy, presentedAt time: MediaTime, now: MediaTime) -> [GameTransition] {
    advance(to: now) + receive(Presentation(copy: copy, time: time), now: now)
  }

  private mutating func receive(_ presentation: Presentation, now: MediaTime) -> [GameTransition] {
    guard let told = presentation.copy.programmeTime else { return receiveWithoutTime(presentation, now: now) }
    let origin = presentation.time - told
    switch timeline.accept(origin: origin, isVerified: presentation.copy.isVerified, presentedAt: presentation.time) {
    case .contradicts:
      if withheld.count >= Self.mostHeld { withheld.removeFirst() }
      withheld.append(presentation)
      return []
    case .agrees: return follow(now) + handOver(presentation, now: now)
    case .moves:
      var transitions = follow(now)
      let confirmed = withheld.filter { held in
        held.copy.programmeTime.map { (held.time - $0 - origin).magnitude <= ProgrammeClock.tolerance } ?? false
      }
      withheld = []
      for presentation in confirmed + [presentation] { transitions += handOver(presentation, now: now) }
      return transitions
    }
  }

  /// Receives a copy of an event that does not say when it happened: it happens when it is presented.
  private mutating func receiveWithoutTime(_ presentation: Presentation, now: MediaTime) -> [GameTransition] {
    // Where no event of a stream tells its time, the player's clock is the programme's.
    if timeline.isUnknown { _ = timeline.accept(origin: .zero, isVerified: false, presentedAt: presentation.time) }
    guard presentation.time > now else { return handOver(presentation, now: presentation.time) }
    hold(presentation)
    return []
  }

  /// Keeps a copy until it is presented.
  private mutating func hold(_ presentation: Presentation) {
    early.insert(presentation, at: early.partitionIndex { $0.time > presentation.time })
    if early.count > Self.mostHeld { early.removeLast() }
  }

  private mutating func handOver(_ presentation: Presentation, now: MediaTime) -> [GameTransition] {
    guard let time = timeline.programmeTime(at: now) else {
      // The programme has not begun. A later copy of an event that is held already brings nothing new.
      let isHeld = early.contains { $0.copy.event == presentation.copy.event && $0.time <= presentation.time }
      if presentation.time > now, !isHeld { hold(presentation) }
      return []
    }
    return announced(game.receive(presentation.copy, at: time))
  }
}

// MARK: - Time and the viewer

extension GameClient {
  /// Goes on to `now`, and does what is due on the way. Before the first copy nothing is.
  ///
  /// Call it at ``nextDeadline``, and a few times a second besides. A clock that has gone back by more than a second was moved.
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
      let piece = timeline.nextPiece(after: position).flatMap { timeline.pieces[$0].start <= now ? $0 : nil }
      let stop = piece.map { timeline.pieces[$0].start } ?? now
      if let first = early.first, first.time <= stop {
        early.removeFirst()
        self.now = first.time
        transitions += follow(first.time) + handOver(first, now: first.time)
        position = max(position, first.time)
        continue
      }
      // The end of a piece comes before the next one.
      if let piece, let time = timeline.programmeTime(at: stop, in: piece - 1) { transitions += move(to: time) }
      self.now = stop
      transitions += follow(stop)
      position = stop
    }
    return transitions
  }

  /// Moves to `now`, because the viewer did: what lies between is not announced. A question that is open there is announced, even if it was before.
  public mutating func seek(to now: MediaTime) -> [GameTransition] {
    self.now = now
    timeline.forgetContradictions()
    withheld = []
    let held = early.prefix(early.partitionIndex { $0.time > now })
    early.removeFirst(held.count)
    opened = []
    guard let time = timeline.programmeTime(at: now) else { return [] }
    var transitions = announced(game.seek(to: time))
    // Copies that were held until the programme began are handed over if the viewer has moved beyond its beginning.
    for presentation in held where presentation.copy.programmeTime != nil { transitions += handOver(presentation, now: now) }
    return transitions
  }

  /// The player says that something else begins, at `time` or now: an ad, or the programme behind it. The programme is paused until the next
  /// copy tells how it goes on, unless one that is presented later has told that already.
  ///
  /// Say it of an ad in front of the programme too, before any tag is handed over: then the programme does not begin before its first copy is
  /// presented, however early that is handed over.
  public mutating func discontinuity(at time: MediaTime? = nil) {
    // Before the player has begun, there is nothing that could be paused: the time does not matter.
    timeline.stop(at: time ?? now ?? .zero, slack: Self.discontinuitySlack)
  }

  /// Selects an answer of the open question. Until the question closes another may be selected in its place.
  ///
  /// - Parameters:
  ///   - answer: The index of the answer.
  ///   - now: The player's time.
  /// - Returns: What became of it, and the transitions that were due.
  public mutating func select(_ answer: Int, now: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    let transitions = advance(to: now)
    guard let time = timeline.programmeTime(at: now) else { return (.noQuestion, transitions) }
    let (outcome, further) = game.select(answer: answer, at: time)
    return (outcome, transitions + announced(further))
  }

  /// The stream has ended: an open question closes, and what is missing is lost.
  public mutating func finish(now: MediaTime) -> [GameTransition] {
    let transitions = advance(to: now)
    return transitions + announced(game.finish())
  }

  /// Brings the game to the programme time of `now`.
  private mutating func follow(_ now: MediaTime) -> [GameTransition] { timeline.programmeTime(at: now).map { move(to: $0) } ?? [] }

  /// Brings the game to a programme time. Where that is earlier than the game's, there was an ad that nobody had announced.
  private mutating func move(to time: MediaTime) -> [GameTransition] {
    guard let before = game.time, time < before else { return announced(game.advance(to: time)) }
    return announced(game.seek(to: time))
  }

  /// Leaves out questions that were announced before: behind an ad that nobody had announced, the programme goes back to where it was.
  private mutating func announced(_ transitions: [GameTransition]) -> [GameTransition] {
    transitions.filter { transition in
      guard transition.kind.isOpening, let guid = transition.guid else { return true }
      guard !opened.contains(guid) else { return false }
      opened.append(guid)
      if opened.count > Self.mostHeld { opened.removeFirst() }
      return true
    }
  }
}

extension GameTransition.Kind {
  /// Whether it says that a question opens.
  fileprivate var isOpening: Bool { if case .questionAsked = self { true } else { false } }
}
