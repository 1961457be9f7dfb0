package import Basics
package import CueSheet
package import EventSchedule
package import GameEvents
import SCTE35
package import Sheets

/// The events of a running game: accepts requests, gives sequence numbers in the order in which events go into the stream, and knows the status of each.
///
/// It touches neither clock nor file. Every change returns the records that have to be in the journal before anybody learns of it, and
/// ``restored(_:_:)`` makes the same game from them.
package struct LiveGame: Sendable {
  /// What is the same for all events.
  package struct Settings: Sendable {
    /// The name of the game.
    package var game: String
    /// What the show is called, for a start that does not say it.
    package var title: String?
    /// How often events are repeated, and how large their tags may be.
    package var policy: CopyPolicy
    /// Whether right answers travel sealed or in the clear.
    package var answers: CueSheet.AnswerMode
    /// What happens to questions whose time meets an ad break.
    package var breaks = BreakPolicy.pass
    /// Signs each event; `nil` for no signatures. An event whose time is set later is signed again.
    package var sign: EventSigner?

    package init(game: String, title: String? = nil, policy: CopyPolicy, answers: CueSheet.AnswerMode, sign: EventSigner? = nil) {
      (self.game, self.title, self.policy, self.answers, self.sign) = (game, title, policy, answers, sign)
    }
  }

  /// Where the programme is.
  package struct Now: Equatable, Sendable {
    /// The time on the programme's timeline; `nil` before the input begins.
    package var time: MediaTime?
    /// Milliseconds since 1970.
    package var wallClock: Int64
    /// The dates at which events take place; `nil` before the input begins.
    package var dates: DateAnchor?
    /// The date that playlists give the time, in milliseconds since 1970; `nil` before the input begins.
    package var programmeDate: Int64?
    /// The timecode of the stream.
    package var timecode = StreamTimecode.unknown

    /// A moment of the programme.
    package init(
      time: MediaTime?, wallClock: Int64, dates: DateAnchor? = nil, programmeDate: Int64? = nil, timecode: StreamTimecode = .unknown
    ) {
      (self.time, self.wallClock, self.dates, self.programmeDate) = (time, wallClock, dates, programmeDate)
      self.timecode = timecode
    }

    /// The timecodes of frames; `nil` while the stream has none.
    package var timecodes: TimecodeAnchor? { if case .running(let anchor) = timecode { anchor } else { nil } }

    /// A moment of which nothing is known, as while a journal is read.
    static let unknown = Now(time: nil, wallClock: 0)
  }

  /// An event that goes into the stream.
  package struct Arrival: Equatable, Sendable {
    /// The event; its `at` is its earliest time, `nil` for the next access unit.
    package var planned: PlannedEvent
    /// After this moment, in milliseconds since 1970, it no longer goes into the stream.
    package var deadline: Int64?
  }

  /// What a request has changed.
  package struct Change: Equatable, Sendable {
    /// What has to be in the journal first.
    package var records: [JournalRecord] = []
    /// What goes into the stream after that, in this order.
    package var arrivals: [Arrival] = []

    fileprivate mutating func add(_ arrival: Arrival) {
      let event = arrival.planned.event
      records.append(.numbered(guid: event.guid, sequence: event.sequence ?? 0, deadline: arrival.deadline))
      arrivals.append(arrival)
    }
  }

  /// The answer to a request.
  package struct Answer: Equatable, Sendable {
    /// The status of the event.
    package var status: EventStatus
    /// Whether the request has added the event.
    package var isNew: Bool
  }

  /// What is the same for all events.
  package let settings: Settings
  /// A composer for each game, since each game has its own sequence numbers.
  private var composers: [GameID: EventComposer] = [:]
  private var memory = EventMemory()
  var scheduled = ScheduledEvents()
  private var messageIDs = MessageIDs()
  /// Why the events that wait for a timecode cannot go, in words; `nil` if they can.
  var timecodeProblem: String?

  /// The maximum number of waiting events.
  private static let mostScheduled = CueSheet.largestCueCount
  /// The maximum number of games in one session.
  private static let mostGames = 10_000

  /// A game without events.
  package init(_ settings: Settings) { self.settings = settings }

  func composer(of game: String?) -> EventComposer {
    let name = game ?? settings.game
    return composers[GameID(name)]
      ?? EventComposer(game: name, title: settings.title, policy: settings.policy, answers: settings.answers, sign: settings.sign)
  }

  // MARK: Requests

  /// Accepts an event.
  ///
  /// - Parameters:
  ///   - key: The client's name for the request, to repeat it without effect; `nil` if only the identifier does that.
  ///   - newGUID: The identifier of an event whose request gives none.
  /// - Throws: `LiveProblem`; then nothing has changed.
  package mutating func accept(
    _ request: LiveRequest, key: String? = nil, newGUID: @autoclosure () -> GUID, now: Now
  ) throws(LiveProblem) -> (Answer, Change) {
    let known = key.flatMap { memory.guid(ofKey: $0) }
    let guid = known ?? request.guid ?? newGUID()
    if let entry = memory[guid] {
      guard entry.object == request.object else { throw .conflict(known == nil ? guid.text : key ?? "") }
      return (Answer(status: entry.status.firstAnswer, isNew: false), Change())
    }
    let acceptance = JournalRecord.Acceptance(wallClock: now.wallClock, time: now.time)
    var change = Change(records: [.accepted(guid: guid, key: key, request: request.object, from: acceptance)])
    if let due = try waiting(request, guid, acceptance, now) {
      guard scheduled.events.count < Self.mostScheduled else { throw .busy("\(scheduled.events.count) events wait for their time") }
      try check(request, guid, due)
      wait(guid, request, due)
      noteHeld(now)
    } else {
      change.add(try number(guid, request, at: nil, from: acceptance))
    }
    memory.name(guid, key)
    memory[guid]?.happens = acceptance.time
    guard let status = memory[guid]?.status else { throw .unknownEvent(guid.text) }
    return (Answer(status: status, isNew: true), change)
  }

  /// Accepts all of several events, or none.
  ///
  /// - Parameter pointer: The JSON pointer to their list.
  /// - Throws: `LiveProblem` with pointers into the list; then nothing has changed.
  package mutating func accept(
    _ requests: [LiveRequest], at pointer: String = "", newGUID: () -> GUID, now: Now
  ) throws(LiveProblem) -> ([Answer], Change) {
    try acceptAll(requests, newGUID, now) { $0.at("\(pointer)/\($1)") }
  }

  private mutating func acceptAll<Failure>(
    _ requests: [LiveRequest], _ newGUID: () -> GUID, _ now: Now, key: (Int) -> String? = { _ in nil },
    failure: (LiveProblem, Int) -> Failure
  ) throws(Failure) -> ([Answer], Change) {
    var game = self
    var answers: [Answer] = []
    var all = Change()
    for (index, request) in requests.enumerated() {
      do throws(LiveProblem) {
        let (answer, change) = try game.accept(request, key: key(index), newGUID: newGUID(), now: now)
        answers.append(answer)
        all.records += change.records
        all.arrivals += change.arrivals
      } catch {
        throw failure(error, index)
      }
    }
    self = game
    return (answers, all)
  }

  /// Accepts all cues of a sheet, or none. Cues that were accepted before, from the same sheet or otherwise, change nothing.
  ///
  /// - Throws: `LiveProblem` with pointers into the sheet; then nothing has changed.
  package mutating func accept(_ sheet: LiveSheet, now: Now) throws(LiveProblem) -> ([Answer], Change) {
    try accept(sheet.requests(for: settings.game), at: "/cues", newGUID: { GUID.random() }, now: now)
  }

  /// Accepts the cues of the sheet that a session starts with. After a restart the same sheet changes nothing, and further cues at its end are added.
  ///
  /// - Throws: `SheetError` with the cue that contradicts the sheet in the journal, or another event; then nothing has changed.
  package mutating func start(with sheet: LiveSheet, now: Now) throws(SheetError) -> Change {
    let requests = sheet.requests(for: settings.game)
    var game = self
    let (_, change) = try game.acceptAll(requests, { GUID.random() }, now, key: Self.key(ofStart:)) { problem, index in
      let reason =
        switch problem {
        case .conflict: "the journal has another event in the place of this cue; \(Self.adviceForStart)"
        case .invalid(let mistakes): mistakes.map(\.message).joined(separator: "; ")
        default: "\(problem)"
        }
      return SheetError(at: requests[index].cue.place, reason)
    }
    guard game.memory.guid(ofKey: Self.key(ofStart: requests.count)) == nil else {
      throw SheetError(at: requests.last?.cue.place ?? .start, "the journal has further cues after this one; \(Self.adviceForStart)")
    }
    self = game
    return change
  }

  private static let adviceForStart = "start with the sheet as it was, or with a new journal"

  /// The name of the request for a cue of the sheet that the session started with. No client can choose it: header fields have no line breaks.
  private static func key(ofStart index: Int) -> String { "cue\n\(index)" }

  /// Finds mistakes in a request that has to wait, as far as the events before it are known.
  func check(_ request: LiveRequest, _ guid: GUID, _ due: LiveRequest.Due) throws(LiveProblem) {
    var composer = composer(of: request.game)
    // Results belong to questions that are before this event, or that the operator sends first. Their own mistakes are not those of this request.
    for other in scheduled.events
    where ["askQuestion", "showResults"].contains(other.request.type) && isSameGame(other.request, request) && !due.isBefore(other.due) {
      _ = try? composer.event(of: other.request.cue, guid: other.guid)
    }
    do throws(SheetError) { _ = try composer.event(of: request.cue, guid: guid) } catch { throw LiveProblem(error, in: request.cue) }
  }

  private func isSameGame(_ left: LiveRequest, _ right: LiveRequest) -> Bool {
    (left.game ?? settings.game).hasSameBytes(as: right.game ?? settings.game)
  }

  private mutating func wait(_ guid: GUID, _ request: LiveRequest, _ due: LiveRequest.Due) {
    let game = heldGame(of: request)
    scheduled.add(guid, request, due, in: game, heldSpan: game == nil ? nil : questionSpan(request, guid))
    var status = EventStatus(guid: guid, type: request.type, state: .scheduled)
    status.timecode = request.timecode
    memory.remember(status, request.object)
  }

  /// Gives an event its sequence number.
  private mutating func number(
    _ guid: GUID, _ request: LiveRequest, at time: MediaTime?, from acceptance: JournalRecord.Acceptance
  ) throws(LiveProblem) -> Arrival {
    var planned: PlannedEvent
    var composer = composer(of: request.game)
    guard composers.count < Self.mostGames || composers[GameID(request.game ?? settings.game)] != nil else {
      throw .busy("there are \(composers.count) games; start a session with a new journal")
    }
    do throws(SheetError) { planned = try composer.event(of: request.cue, guid: guid) } catch { throw LiveProblem(error, in: request.cue) }
    composers[GameID(request.game ?? settings.game)] = composer
    planned.event.at = time
    planned.messageID = messageIDs.add(guid)
    var status = EventStatus(guid: guid, type: planned.event.type.text, state: .accepted, sequence: planned.event.sequence)
    status.timecode = request.timecode
    if case .askQuestion(let question) = planned.event.content { status.allottedTime = question.allottedTime }
    memory.remember(status, request.object, planned)
    lastSequence = max(lastSequence, planned.event.sequence ?? 0)
    return Arrival(planned: planned, deadline: request.expires.map { acceptance.wallClock + $0.milliseconds })
  }

  /// Makes sure that no event of a game gets a sequence number up to this one.
  private mutating func reserve(upTo sequence: Int, of game: String?) {
    var composer = composer(of: game)
    composer.reserve(upTo: sequence)
    composers[GameID(game ?? settings.game)] = composer
    lastSequence = max(lastSequence, sequence)
  }

  /// Cancels an event that waits for its time or for the operator.
  ///
  /// - Throws: `LiveProblem` if the event is unknown, or does not wait any more.
  package mutating func cancel(_ guid: GUID) throws(LiveProblem) -> Change {
    guard let state = memory[guid]?.status.state else { throw .unknownEvent(guid.text) }
    guard [.scheduled, .held].contains(state) else { throw .notCancellable(state) }
    scheduled.remove(guid)
    memory[guid]?.status.state = .cancelled
    return Change(records: [.cancelled(guid: guid)])
  }

  /// Sends the first event that waits for the operator.
  ///
  /// - Parameter key: The client's name for the request, to repeat it without sending another event.
  package mutating func goNext(key: String? = nil, now: Now) throws(LiveProblem) -> (Answer, Change) {
    // No request for an event can have this name: header fields have no line breaks.
    let key = key.map { "next\n\($0)" }
    if let known = key.flatMap({ memory.guid(ofKey: $0) }), let status = memory[known]?.status {
      return (Answer(status: status.firstAnswer, isNew: false), Change())
    }
    guard var waiting = scheduled.takeNext() else { throw .nothingWaits }
    let guid = waiting.guid
    do throws(LiveProblem) {
      if let time = now.time, try dueAfterBreak(waiting.request, guid, at: time) ?? dueAfterQuestion(waiting.request, guid, at: time) != nil
      {
        waiting.due = .at(time)
        scheduled.putBack(waiting)
        noteHeld(now)
        guard let status = memory[guid]?.status else { throw .unknownEvent(guid.text) }
        memory.name(guid, key)
        return (Answer(status: status, isNew: true), Change(records: [.released(guid: guid, key: key), .moved(guid: guid, at: time)]))
      }
      let arrival = try number(guid, waiting.request, at: nil, from: .init(wallClock: now.wallClock, time: now.time))
      guard let status = memory[guid]?.status else { throw .unknownEvent(guid.text) }
      memory.name(guid, key)
      var change = Change(records: [.released(guid: guid, key: key)])
      change.add(arrival)
      return (Answer(status: status, isNew: true), change)
    } catch {
      scheduled.putBack(waiting)
      throw error
    }
  }

  /// Records why an event is held; `nil` if it is not. Returns its status if that is new.
  mutating func hold(_ guid: GUID, _ reason: String?) -> EventStatus? {
    guard var status = memory[guid]?.status, status.state == .held || status.state == .scheduled && reason != nil else { return nil }
    let before = status
    (status.state, status.reason) = (reason == nil ? .scheduled : .held, reason)
    guard status != before else { return nil }
    memory[guid]?.status = status
    return status
  }

  /// Records why an event goes on waiting; `nil` if it only waits for its time.
  mutating func note(_ guid: GUID, waitsBecause reason: String?) {
    if memory[guid]?.status.state == .scheduled { memory[guid]?.status.reason = reason }
  }

  // MARK: Time

  /// Releases the events whose time is near.
  package mutating func release(now: Now) -> Change {
    var change = Change(records: follow(now))
    let (due, moved) = scheduled.takeDue(now)
    change.records += moved.map { .moved(guid: $0.guid, at: $0.time) }
    for (waiting, time) in due {
      do throws(LiveProblem) {
        if settings.breaks == .refuse { _ = try dueAfterBreak(waiting.request, waiting.guid, at: time ?? now.time) }
        change.add(try number(waiting.guid, waiting.request, at: time, from: .init(wallClock: now.wallClock, time: now.time)))
      } catch {
        // Something that it needs was cancelled, such as the question of a result.
        change.records.append(lose(waiting.guid, error.description))
      }
    }
    return change
  }

  /// The programme time from which on ``release(now:)`` has something to do; `nil` if no event waits for a time.
  package func nextRelease(now: Now) -> MediaTime? { scheduled.nextTime(now) }

  // MARK: In the stream

  /// Records that a copy of an event is in the stream. Others learn of its place after ``confirm(_:)``.
  ///
  /// - Returns: The record of its first copy; `nil` for further ones.
  package mutating func place(_ copy: EventCopy, pts: UInt64, wallClock: Int64) -> JournalRecord? {
    let guid = copy.event.guid
    guard var status = memory[guid]?.status, let at = copy.event.at else { return nil }
    if copy.isRefresh { status.refreshes += 1 } else { status.copies += 1 }
    let isFirst = status.state == .accepted
    if !isFirst, status.copyDates.count < EventStatus.mostCopyDates { status.copyDates.append(wallClock) }
    memory[guid]?.status = status
    guard isFirst else { return nil }
    memory.place(guid, at: at, pts: pts, wallClock: wallClock)
    memory[guid]?.isUnwritten = true
    return .placed(guid: guid, at: at, pts: pts, wallClock: wallClock)
  }

  /// Records that the journal has the place of an event; returns the event's status.
  package mutating func confirm(_ guid: GUID) -> EventStatus? {
    memory[guid]?.isUnwritten = false
    return memory[guid]?.status
  }

  /// Records that a segment with copies of these events is in the playlist.
  package mutating func publish(_ guids: [GUID], in mediaSequence: UInt64) {
    for guid in guids { memory.publish(guid, in: mediaSequence) }
  }

  /// Records that an event will not be in the stream.
  package mutating func lose(_ guid: GUID, _ reason: String) -> JournalRecord {
    memory.lose(guid, reason)
    return .lost(guid: guid, reason: reason)
  }

  // MARK: Questions

  /// The status of an event; `nil` if it is unknown.
  package func status(_ guid: GUID) -> EventStatus? { memory[guid]?.told }

  /// The statuses of all remembered events in the order of acceptance.
  package var statuses: [EventStatus] { memory.statuses }

  /// When an event happens if the game decides, the same before and after a restart; `nil` if that is unknown.
  package func happens(_ guid: GUID) -> MediaTime? { memory[guid]?.happens }

  /// How long an event is refreshed if its cue says so; `nil` if it does not, or the event is forgotten.
  package func span(_ guid: GUID) -> MediaTime? { memory[guid]?.planned?.currentFor }

  /// What was posted for an event.
  package func request(_ guid: GUID) -> JSONObject? { memory[guid]?.object }

  /// The number of events that wait for their time or for the operator.
  package var waitingCount: Int { scheduled.events.count }

  /// The highest sequence number so far.
  package private(set) var lastSequence = 0

  /// The events in the stream, in the order of their sequence numbers, unless they were forgotten. After a restart those that are active must be
  /// refreshed.
  package var placedEvents: [PlannedEvent] { memory.placedEvents }

  /// Forgets what the events in the stream say, but not their statuses.
  package mutating func forgetPlacedEvents() { memory.forgetPlacedEvents() }

  // MARK: Restarts

  /// The game of a journal.
  ///
  /// - Returns: The game, and the accepted events that may not be in the stream. They go before the next access unit.
  /// - Throws: `JournalText.Damage` if the journal contradicts itself, or has an event that these settings do not allow.
  package static func restored(
    _ records: [JournalRecord], _ settings: Settings
  ) throws(JournalText.Damage) -> (game: LiveGame, arrivals: [Arrival]) {
    var game = LiveGame(settings)
    var arrivals = Queue<Arrival>()
    for (index, record) in records.enumerated() {
      do throws(LiveProblem) {
        if let arrival = try game.restore(record) { arrivals.append(arrival) }
      } catch {
        throw JournalText.Damage(line: index + 1, offset: 0, reason: "\(error)")
      }
    }
    return (game, arrivals.elements.filter { game.memory[$0.planned.event.guid]?.status.state == .accepted })
  }

  /// Copies what another game knows about events in the stream and the journal does not.
  package mutating func adopt(_ other: LiveGame) {
    memory.adopt(other.memory)
    scheduled.breaks = other.scheduled.breaks
    noteHeld(.unknown)
  }

  private mutating func restore(_ record: JournalRecord) throws(LiveProblem) -> Arrival? {
    switch record {
    case .accepted(let guid, let key, let object, let acceptance):
      let request = try LiveRequest(json: JSONValue.object(object).text, isStored: true)
      guard request.guid.map({ $0 == guid }) ?? true else { throw .conflict(guid.text) }
      // An event that got its number at once has it in the next record. Any other waits.
      let due = try request.whenever.due(acceptance, .unknown) ?? .next
      // A question or a result without a number may have been held.
      wait(guid, request, due == .next && heldGame(of: request) != nil ? .at(acceptance.time ?? .zero) : due)
      memory.name(guid, key)
      memory[guid]?.happens = acceptance.time
    case .numbered(let guid, let sequence, let deadline):
      guard let waiting = scheduled.remove(guid) else { throw .unknownEvent(guid.text) }
      if case .at(let time) = waiting.due { memory[guid]?.happens = time }
      // Numbers stay as they are if a repaired journal lacks an event.
      reserve(upTo: sequence - 1, of: waiting.request.game)
      var arrival = try number(guid, waiting.request, at: nil, from: .init(wallClock: 0, time: nil))
      arrival.deadline = deadline
      return arrival
    case .reserved(let sequence): reserve(upTo: sequence, of: nil)
    case .cancelled(let guid): _ = try cancel(guid)
    case .lost(let guid, let reason):
      scheduled.remove(guid)
      memory.lose(guid, reason)
    case .placed(let guid, let at, let pts, let wallClock): memory.place(guid, at: at, pts: pts, wallClock: wallClock)
    case .released(let guid, let key):
      memory.name(guid, key)
      // If the journal has no number of it, it was held.
      scheduled.release(guid)
    case .moved(let guid, let time): scheduled.move(guid, to: time)
    case .adBreak(let known):
      scheduled.breaks.note(known)
      noteHeld(.unknown)
    case .started, .segment, .led, .ended: break
    }
    return nil
  }
}

extension LiveRequest {
  /// The request without a limit for its time, since it was accepted before.
  fileprivate var whenever: LiveRequest {
    var request = self
    request.isLateAllowed = true
    return request
  }
}
