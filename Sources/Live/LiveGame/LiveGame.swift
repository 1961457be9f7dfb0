package import Basics
package import CueSheet
package import EventSchedule
package import GameEvents
package import Sheets

/// The events of a game that runs: takes what is posted, gives sequence numbers in the order in which events go into the stream, and knows what
/// became of each.
///
/// It touches neither clock nor file: every change gives back the records that have to be in the journal before anybody hears of it, and
/// ``init(records:settings:)`` makes the same game of them again.
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
    /// Signs each event; `nil` for no signatures. Whoever gives an event its time signs it again.
    package var sign: EventSigner?

    package init(game: String, title: String? = nil, policy: CopyPolicy, answers: CueSheet.AnswerMode, sign: EventSigner? = nil) {
      (self.game, self.title, self.policy, self.answers, self.sign) = (game, title, policy, answers, sign)
    }
  }

  /// Where the programme is.
  package struct Now: Equatable, Sendable {
    /// The time on the programme's timeline; `nil` as long as there is no input.
    package var time: MediaTime?
    /// Milliseconds since 1970.
    package var wallClock: Int64
    /// Which date the programme has when; `nil` as long as there is no input.
    package var dates: DateAnchor?

    /// A moment of the programme.
    package init(time: MediaTime?, wallClock: Int64, dates: DateAnchor? = nil) {
      (self.time, self.wallClock, self.dates) = (time, wallClock, dates)
    }
  }

  /// An event that goes into the stream.
  package struct Arrival: Equatable, Sendable {
    /// The event; its `at` is its earliest time, `nil` for the next access unit.
    package var planned: PlannedEvent
    /// After this moment, in milliseconds since 1970, it does not go into the stream any more.
    package var deadline: Int64?
  }

  /// What a request has changed.
  package struct Change: Equatable, Sendable {
    /// What has to be in the journal first.
    package var records: [JournalRecord] = []
    /// What goes into the stream then, in this order.
    package var arrivals: [Arrival] = []
  }

  /// The answer to a request.
  package struct Answer: Equatable, Sendable {
    /// What became of the event so far.
    package var status: EventStatus
    /// Whether the event was not known before.
    package var isNew: Bool
  }

  /// An event that waits for its time.
  private struct Scheduled: Sendable {
    var guid: GUID
    var request: LiveRequest
    var due: LiveRequest.Due
    /// The order in which events of one time were accepted.
    var order: Int
  }

  private struct Entry: Sendable {
    var status: EventStatus
    /// What was posted, to recognize it when it is posted again.
    var object: JSONObject
    /// What clients call the requests for it, where they call them anything.
    var keys: [String] = []
    /// The event, as long as it can be needed for a late viewer or after a restart.
    var planned: PlannedEvent?
    /// When it happens, if nobody else decides that: its time, or that of its acceptance.
    var happens: MediaTime?
  }

  /// What is the same for all events.
  package let settings: Settings
  /// For each game its composer; sequence numbers are a game's own.
  private var composers: [GameID: EventComposer] = [:]
  private var entries: [GUID: Entry] = [:]
  /// The identifiers in the order of acceptance.
  private var order = Queue<GUID>()
  private var keys: [String: GUID] = [:]
  private var scheduled: [Scheduled] = []
  private var acceptedCount = 0

  /// The most events that wait for their time.
  package static let mostScheduled = CueSheet.largestCueCount
  /// The most games of one session.
  package static let mostGames = 10_000
  /// The most events whose fate is remembered.
  package static let mostRemembered = 20_000
  /// Events get their numbers this long before their time: the journal needs a moment.
  private static let lead = MediaTime(ticks: 22_500)

  /// A game without events.
  package init(_ settings: Settings) {
    self.settings = settings
  }

  private func composer(of game: String?) -> EventComposer {
    let name = game ?? settings.game
    return composers[GameID(name)]
      ?? EventComposer(game: name, title: settings.title, policy: settings.policy, answers: settings.answers, sign: settings.sign)
  }

  // MARK: Requests

  /// Accepts an event.
  ///
  /// - Parameters:
  ///   - key: What the client calls the request, to send it again without effect; `nil` where only the identifier does that.
  ///   - newGUID: The identifier of an event whose request gives none.
  /// - Throws: `LiveProblem`; then nothing has changed.
  package mutating func accept(
    _ request: LiveRequest, key: String? = nil, newGUID: @autoclosure () -> GUID, now: Now
  ) throws(LiveProblem) -> (Answer, Change) {
    if let key, let known = keys[key], let entry = entries[known] {
      guard entry.object == request.object else { throw .conflict(key) }
      return (Answer(status: entry.status.firstAnswer, isNew: false), Change())
    }
    let guid = request.guid ?? newGUID()
    if let entry = entries[guid] {
      guard entry.object == request.object else { throw .conflict(guid.text) }
      return (Answer(status: entry.status.firstAnswer, isNew: false), Change())
    }
    let acceptance = JournalRecord.Acceptance(wallClock: now.wallClock, time: now.time)
    var change = Change()
    change.records.append(.accepted(guid: guid, key: key, request: request.object, from: acceptance))
    if let due = try due(of: request, acceptance) {
      guard scheduled.count < Self.mostScheduled else { throw .busy("\(scheduled.count) events wait for their time") }
      try check(request, guid, due)
      wait(guid, request, due)
    } else {
      let arrival = try number(guid, request, at: nil, from: acceptance)
      change.records.append(.record(of: arrival))
      change.arrivals.append(arrival)
    }
    call(guid, key)
    entries[guid]?.happens = acceptance.time
    guard let status = entries[guid]?.status else { throw .unknownEvent(guid.text) }
    return (Answer(status: status, isNew: true), change)
  }

  /// Accepts all of several events, or none.
  ///
  /// - Parameter pointer: The JSON pointer to the list that they are in.
  /// - Throws: `LiveProblem` with pointers into the list; then nothing has changed.
  package mutating func accept(
    _ requests: [LiveRequest], at pointer: String = "", newGUID: () -> GUID, now: Now
  ) throws(LiveProblem) -> ([Answer], Change) {
    var game = self
    var answers: [Answer] = []
    var change = Change()
    for (index, request) in requests.enumerated() {
      do throws(LiveProblem) {
        let (answer, part) = try game.accept(request, newGUID: newGUID(), now: now)
        answers.append(answer)
        change.records += part.records
        change.arrivals += part.arrivals
      } catch {
        throw error.at("\(pointer)/\(index)")
      }
    }
    self = game
    return (answers, change)
  }

  /// Accepts all cues of a sheet, or none. Those that were accepted before, with the same sheet or in another way, change nothing.
  ///
  /// - Throws: `LiveProblem` with pointers into the sheet; then nothing has changed.
  package mutating func accept(_ sheet: LiveSheet, now: Now) throws(LiveProblem) -> ([Answer], Change) {
    try accept(sheet.requests(for: settings.game), at: "/cues", newGUID: { GUID.random() }, now: now)
  }

  /// Accepts the cues of the sheet that a session starts with. After a restart the same sheet changes nothing, and further cues at its end are added.
  ///
  /// - Throws: `SheetError` with the cue that contradicts what the journal has of that sheet, or of another event; then nothing has changed.
  package mutating func start(with sheet: LiveSheet, now: Now) throws(SheetError) -> Change {
    var game = self
    var change = Change()
    let requests = sheet.requests(for: settings.game)
    for (index, request) in requests.enumerated() {
      do throws(LiveProblem) {
        let (_, part) = try game.accept(request, key: Self.key(ofStart: index), newGUID: GUID.random(), now: now)
        change.records += part.records
        change.arrivals += part.arrivals
      } catch {
        let reason =
          switch error {
          case .conflict: "the journal has another event in the place of this cue; \(Self.adviceForStart)"
          case .invalid(let mistakes): mistakes.map(\.message).joined(separator: "; ")
          default: "\(error)"
          }
        throw SheetError(at: request.cue.place, reason)
      }
    }
    guard game.keys[Self.key(ofStart: requests.count)] == nil else {
      throw SheetError(at: requests.last?.cue.place ?? .start, "the journal has further cues behind this one; \(Self.adviceForStart)")
    }
    self = game
    return change
  }

  private static let adviceForStart = "start with the sheet as it was, or with a new journal"

  /// What a cue of the sheet that the session started with is called. No client can call a request so: header fields have no line breaks.
  private static func key(ofStart index: Int) -> String { "cue\n\(index)" }

  /// When a request is due; `nil` at once.
  private func due(of request: LiveRequest, _ acceptance: JournalRecord.Acceptance) throws(LiveProblem) -> LiveRequest.Due? {
    let isLate: Bool
    let due: LiveRequest.Due
    switch request.due {
    case .next: return nil
    case .go: return .go
    case .at(let time):
      due = .at(time)
      isLate = acceptance.time.map { time <= $0 } ?? false
      if isLate, !request.isLateAllowed { throw .tooLate(at: .time(time), now: acceptance.time ?? .zero) }
    case .after(let wait):
      // Without an input there is no programme time to count from.
      due = acceptance.time.map { .at($0 + wait) } ?? .wallClock(acceptance.wallClock + wait.milliseconds)
      isLate = wait == .zero
    case .wallClock(let date):
      due = .wallClock(date)
      isLate = date <= acceptance.wallClock
      if isLate, !request.isLateAllowed, let now = acceptance.time {
        throw .tooLate(at: .date(date, now: acceptance.wallClock), now: now)
      }
    }
    return isLate ? nil : due
  }

  /// Finds mistakes in a request that waits, as far as the events before it are known.
  private func check(_ request: LiveRequest, _ guid: GUID, _ due: LiveRequest.Due) throws(LiveProblem) {
    var composer = composer(of: request.game)
    // Results are tied to questions: those that come before this event, or that the operator sends first. What is wrong with them concerns them alone.
    for other in scheduled
    where ["askQuestion", "showResults"].contains(other.request.type) && isSameGame(other.request, request)
      && !Self.isBefore(due, other.due)
    {
      _ = try? composer.event(of: other.request.cue, guid: other.guid)
    }
    do throws(SheetError) { _ = try composer.event(of: request.cue, guid: guid) } catch { throw LiveProblem(error, in: request.cue) }
  }

  private func isSameGame(_ left: LiveRequest, _ right: LiveRequest) -> Bool {
    (left.game ?? settings.game).hasSameBytes(as: right.game ?? settings.game)
  }

  private static func isBefore(_ left: LiveRequest.Due, _ right: LiveRequest.Due) -> Bool {
    switch (left, right) {
    case (.at(let left), .at(let right)): left < right
    case (.wallClock(let left), .wallClock(let right)): left < right
    default: false
    }
  }

  private mutating func wait(_ guid: GUID, _ request: LiveRequest, _ due: LiveRequest.Due) {
    acceptedCount += 1
    scheduled.append(Scheduled(guid: guid, request: request, due: due, order: acceptedCount))
    remember(guid, EventStatus(guid: guid, type: request.type, state: .scheduled), request.object)
  }

  /// Gives an event its place in the game.
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
    var status = EventStatus(guid: guid, type: planned.event.type.text, state: .accepted, sequence: planned.event.sequence)
    if case .askQuestion(let question) = planned.event.content { status.allottedTime = question.allottedTime }
    remember(guid, status, request.object)
    entries[guid]?.planned = planned
    lastSequence = max(lastSequence, planned.event.sequence ?? 0)
    return Arrival(planned: planned, deadline: request.expires.map { acceptance.wallClock + $0.milliseconds })
  }

  /// Gives none of the sequence numbers of a game up to this one.
  private mutating func reserve(upTo sequence: Int, of game: String?) {
    var composer = composer(of: game)
    composer.reserve(upTo: sequence)
    composers[GameID(game ?? settings.game)] = composer
    lastSequence = max(lastSequence, sequence)
  }

  private mutating func remember(_ guid: GUID, _ status: EventStatus, _ object: JSONObject) {
    let known = entries[guid]
    if known == nil { order.append(guid) }
    entries[guid] = Entry(status: status, object: object, keys: known?.keys ?? [], happens: known?.happens)
    while order.count > Self.mostRemembered, let oldest = order.first, entries[oldest]?.status.state.isFinal ?? true {
      _ = order.popFirst()
      for key in entries.removeValue(forKey: oldest)?.keys ?? [] { keys[key] = nil }
    }
  }

  private mutating func call(_ guid: GUID, _ key: String?) {
    guard let key else { return }
    keys[key] = guid
    entries[guid]?.keys.append(key)
  }

  /// Takes back an event that waits for its time or for the operator.
  ///
  /// - Throws: `LiveProblem` where the event is not known, or does not wait any more.
  package mutating func cancel(_ guid: GUID) throws(LiveProblem) -> Change {
    guard let entry = entries[guid] else { throw .unknownEvent(guid.text) }
    guard entry.status.state == .scheduled else { throw .notCancellable(entry.status.state) }
    scheduled.removeAll { $0.guid == guid }
    entries[guid]?.status.state = .cancelled
    return Change(records: [.cancelled(guid: guid)])
  }

  /// Sends the first event that waits for the operator.
  ///
  /// - Parameter key: What the client calls the request, to send it again without sending another event.
  package mutating func goNext(key: String? = nil, now: Now) throws(LiveProblem) -> (Answer, Change) {
    // No request for an event can have this name: header fields have no line breaks.
    let key = key.map { "next\n\($0)" }
    if let known = key.flatMap({ keys[$0] }), let status = entries[known]?.status {
      return (Answer(status: status.firstAnswer, isNew: false), Change())
    }
    guard let index = scheduled.firstIndex(where: { $0.due == .go }) else { throw .nothingWaits }
    let waiting = scheduled.remove(at: index)
    do throws(LiveProblem) {
      let arrival = try number(waiting.guid, waiting.request, at: nil, from: .init(wallClock: now.wallClock, time: now.time))
      guard let status = entries[waiting.guid]?.status else { throw .unknownEvent(waiting.guid.text) }
      call(waiting.guid, key)
      let records: [JournalRecord] = [.released(guid: waiting.guid, key: key), .record(of: arrival)]
      return (Answer(status: status, isNew: true), Change(records: records, arrivals: [arrival]))
    } catch {
      scheduled.insert(waiting, at: index)
      throw error
    }
  }

  // MARK: Time

  /// The events whose time is about to come.
  package mutating func release(now: Now) -> Change {
    var change = Change()
    let dueNow = scheduled.filter { isDue($0.due, now) }.sorted {
      (time($0.due, now) ?? .zero, $0.order) < (time($1.due, now) ?? .zero, $1.order)
    }
    guard !dueNow.isEmpty else { return change }
    let guids = Set(dueNow.map(\.guid))
    scheduled.removeAll { guids.contains($0.guid) }
    for waiting in dueNow {
      do throws(LiveProblem) {
        let arrival = try number(
          waiting.guid, waiting.request, at: time(waiting.due, now), from: .init(wallClock: now.wallClock, time: now.time))
        change.records.append(.record(of: arrival))
        change.arrivals.append(arrival)
      } catch {
        // What it needs was cancelled meanwhile, such as the question of a result.
        change.records.append(lose(waiting.guid, error.description))
      }
    }
    return change
  }

  /// The programme time from which on ``release(now:)`` has something to do; `nil` where no event waits for a time.
  package func nextRelease(dates: DateAnchor?) -> MediaTime? {
    let now = Now(time: nil, wallClock: 0, dates: dates)
    return scheduled.lazy.compactMap { [self] in $0.due == .next ? .zero : time($0.due, now).map { $0 - Self.lead } }.min()
  }

  private func isDue(_ due: LiveRequest.Due, _ now: Now) -> Bool {
    guard let time = now.time else { return false }
    switch due {
    // Only after a restart: the journal ended between the event's acceptance and its number.
    case .next: return true
    case .at, .wallClock: return self.time(due, now).map { $0 <= time + Self.lead } ?? false
    case .after, .go: return false
    }
  }

  private func time(_ due: LiveRequest.Due, _ now: Now) -> MediaTime? {
    switch due {
    case .at(let time): time
    case .wallClock(let date): now.dates?.time(of: date)
    case .next, .after, .go: nil
    }
  }

  // MARK: What becomes of events

  /// Records that copies of an event are in the stream.
  ///
  /// - Returns: The record of its first copy; `nil` for further ones.
  package mutating func place(_ copy: EventCopy, pts: UInt64, wallClock: Int64) -> JournalRecord? {
    let guid = copy.event.guid
    guard entries[guid] != nil, let at = copy.event.at else { return nil }
    if copy.isRefresh { entries[guid]?.status.refreshes += 1 } else { entries[guid]?.status.copies += 1 }
    guard let state = entries[guid]?.status.state, state == .accepted else {
      if let count = entries[guid]?.status.copyDates.count, count < EventStatus.mostCopyDates {
        entries[guid]?.status.copyDates.append(wallClock)
      }
      return nil
    }
    place(guid, at: at, pts: pts, wallClock: wallClock)
    return .placed(guid: guid, at: at, pts: pts, wallClock: wallClock)
  }

  private mutating func place(_ guid: GUID, at: MediaTime, pts: UInt64, wallClock: Int64) {
    // Where tags wait for null packets, a segment that has the copy may be complete before the stream has it.
    let isPublished = entries[guid]?.status.segments.isEmpty == false
    entries[guid]?.status.state = isPublished ? .published : .placed
    entries[guid]?.status.at = at
    entries[guid]?.status.pts = pts
    entries[guid]?.status.wallClock = wallClock
    entries[guid]?.status.copyDates = [wallClock]
    entries[guid]?.planned?.event.at = at
  }

  /// Records that a segment with copies of these events is in the playlist.
  package mutating func publish(_ guids: [GUID], in mediaSequence: UInt64) {
    for guid in guids {
      guard var status = entries[guid]?.status else { continue }
      if status.state == .placed {
        status.state = .published
        // The schedule has it; here it would only take memory.
        entries[guid]?.planned = nil
      }
      status.segments.append(mediaSequence)
      if status.segments.count > EventStatus.mostSegments { status.segments.removeFirst() }
      entries[guid]?.status = status
    }
  }

  /// Records that an event will not be in the stream.
  package mutating func lose(_ guid: GUID, _ reason: String) -> JournalRecord {
    entries[guid]?.status.state = .lost
    entries[guid]?.status.reason = reason
    return .lost(guid: guid, reason: reason)
  }

  // MARK: Questions

  /// What became of an event; `nil` where it is not known.
  package func status(_ guid: GUID) -> EventStatus? { entries[guid]?.status }

  /// All events that are remembered, in the order in which they were accepted.
  package var statuses: [EventStatus] { order.elements.compactMap { entries[$0]?.status } }

  /// When an event happens, if nobody decides that who sees the stream: the same before and after a restart. `nil` where it is not known.
  package func happens(_ guid: GUID) -> MediaTime? { entries[guid]?.happens }

  /// What was posted for an event.
  package func request(_ guid: GUID) -> JSONObject? { entries[guid]?.object }

  /// The number of events that wait for their time, or for the operator.
  package var waitingCount: Int { scheduled.count }

  /// The place in the game of the last event that has one.
  package private(set) var lastSequence = 0

  /// The events that are in the stream, in the order of their places, unless that was forgotten: those among them that are active must be refreshed
  /// after a restart.
  package var placedEvents: [PlannedEvent] {
    entries.values.filter { [.placed, .published].contains($0.status.state) }.compactMap(\.planned)
      .sorted { ($0.event.sequence ?? 0) < ($1.event.sequence ?? 0) }
  }

  /// Forgets what the events are that are in the stream, but not what became of them.
  package mutating func forgetPlacedEvents() {
    entries = entries.mapValues { entry in
      var entry = entry
      if [.placed, .published].contains(entry.status.state) { entry.planned = nil }
      return entry
    }
  }

  // MARK: Restarts

  /// The game that a journal tells of.
  ///
  /// - Returns: The game, and the events that were accepted and are not known to be in the stream: they go before the next access unit.
  /// - Throws: `JournalText.Damage` where the journal contradicts itself, or has an event that these settings do not allow.
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
    return (game, arrivals.elements.filter { game.entries[$0.planned.event.guid]?.status.state == .accepted })
  }

  /// Takes over, for events in the stream, what another game knows of them and the journal does not.
  package mutating func adopt(_ other: LiveGame) {
    for (guid, entry) in other.entries where [.placed, .published].contains(entry.status.state) && entries[guid] != nil {
      entries[guid]?.status = entry.status
      entries[guid]?.planned = entry.planned
    }
  }

  private mutating func restore(_ record: JournalRecord) throws(LiveProblem) -> Arrival? {
    switch record {
    case .accepted(let guid, let key, let object, let acceptance):
      let request = try LiveRequest(json: JSONValue.object(object).text, isStored: true)
      guard request.guid.map({ $0 == guid }) ?? true else { throw .conflict(guid.text) }
      // An event that got its number at once has it in the next record. Any other waits.
      wait(guid, request, try due(of: request.whenever, acceptance) ?? .next)
      call(guid, key)
      entries[guid]?.happens = acceptance.time
    case .numbered(let guid, let sequence, let deadline):
      guard let index = scheduled.firstIndex(where: { $0.guid == guid }) else { throw .unknownEvent(guid.text) }
      let waiting = scheduled.remove(at: index)
      if case .at(let time) = waiting.due { entries[guid]?.happens = time }
      // Numbers stay as they are where a repaired journal lacks an event.
      reserve(upTo: sequence - 1, of: waiting.request.game)
      var arrival = try number(guid, waiting.request, at: nil, from: .init(wallClock: 0, time: nil))
      arrival.deadline = deadline
      return arrival
    case .reserved(let sequence): reserve(upTo: sequence, of: nil)
    case .cancelled(let guid): _ = try cancel(guid)
    case .lost(let guid, let reason):
      scheduled.removeAll { $0.guid == guid }
      _ = lose(guid, reason)
    case .placed(let guid, let at, let pts, let wallClock): place(guid, at: at, pts: pts, wallClock: wallClock)
    case .released(let guid, let key): call(guid, key)
    case .started, .segment, .led, .ended: break
    }
    return nil
  }
}

extension JournalRecord {
  /// That an event has its place in the game.
  fileprivate static func record(of arrival: LiveGame.Arrival) -> JournalRecord {
    let event = arrival.planned.event
    return .numbered(guid: event.guid, sequence: event.sequence ?? 0, deadline: arrival.deadline)
  }
}

extension LiveRequest {
  /// The request as one that is never too late, since it was accepted before.
  fileprivate var whenever: LiveRequest {
    var request = self
    request.isLateAllowed = true
    return request
  }
}
