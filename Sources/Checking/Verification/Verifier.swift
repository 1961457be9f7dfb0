package import Basics
package import EventReading
package import EventSchedule
package import GameEvents
package import StateMachine

/// Compares the events of a stream with those of a cue sheet: each exactly once after de-duplication, with the same content, at its time.
///
/// The time of an event is the presentation time of its copies less their age, counted from the first random-access video frame.
/// Seals differ between two stampings, so that they are checked and not compared.
package struct Verifier: Sendable {
  /// How far off a copy may be.
  package let tolerance: MediaTime
  private let expected: [PlannedEvent]
  /// The ID3 tags of the cue sheet that are no events, and which of them were found.
  private let tags: [PlannedEvent]
  private var foundTags: Set<Int> = []
  private let game: GameID?
  private let verifySeal: SealCheck
  private let conditions: Conditions
  /// The events that may be in the stream and need not be, because they happened before its beginning.
  private let optional: Set<GUID>
  /// How much later the events happen than their cue sheet says.
  private let offset: MediaTime
  private var machine: GameStateMachine
  private var conflicts: [GameEvent] = []
  /// Events that have the sequence number of another one, and so do not count.
  private var rivals: [GameEvent] = []
  /// For each event its earliest and its latest copy, by video time less age.
  private var extremes: [GUID: (earliest: Timed, latest: Timed)] = [:]
  private var tallies: [GUID: CopyTally] = [:]
  /// The events of other games.
  private var others: Set<GUID> = []
  /// The game of the first event of another game.
  private var otherGame: GameID?
  /// The GUIDs under which events of the cue sheet were found, if they differ from the cue sheet's.
  private var twins: [GUID: GUID] = [:]
  private var report = Report()

  /// A copy: when its event happened, by the copy's presentation time and age, and where the copy lies.
  private struct Timed: Sendable {
    var eventTime: MediaTime
    var place: Place
  }

  /// A verifier for the events of a cue sheet.
  ///
  /// - Parameters:
  ///   - expected: The cue sheet's events, with unsealed answers, and its ID3 tags.
  ///   - tolerance: How far off a copy may be.
  ///   - conditions: What is compared.
  ///   - optional: The events that may be in the stream and need not be, because they happened before its beginning.
  ///   - offset: How much later the events happen than their cue sheet says. Their `at` may be the cue sheet's, as in a stream that was cut.
  ///   - verifySeal: Checks the seals of answers.
  package init(
    _ expected: [PlannedEvent], tolerance: MediaTime = MediaTime(ticks: 90), conditions: Conditions = .whole(ExpectedCopies()),
    optional: Set<GUID> = [], offset: MediaTime = .zero, verifySeal: @escaping SealCheck
  ) {
    tags = expected.filter { $0.tag != nil }
    let expected = expected.filter { $0.tag == nil }
    (self.expected, self.conditions, self.tolerance, self.verifySeal) = (expected, conditions, tolerance, verifySeal)
    (self.optional, self.offset) = (optional, offset)
    game = expected.first?.event.gameID
    machine = GameStateMachine(limits: Self.limits(expected), verifySeal: verifySeal)
  }

  /// Enough for all events of the cue sheet, and for the same number of unexpected ones.
  private static func limits(_ expected: [PlannedEvent]) -> EventLog.Limits {
    let standard = EventLog.Limits()
    let footprint = expected.reduce(0) { $0 + $1.event.footprint }
    return EventLog.Limits(entries: max(standard.entries, 2 * expected.count), bytes: max(standard.bytes, 2 * footprint))
  }

  /// Receives the next item of the stream.
  package mutating func receive(_ item: StreamItem) {
    switch item {
    case .damage: report.damages += 1
    case .tag(_, let place): findTag(item, at: place.time)
    case .copy(let copy, let place):
      guard copy.event.gameID == game else {
        otherGame = otherGame ?? copy.event.gameID
        if others.count < 4_096 { others.insert(copy.event.guid) }
        return
      }
      report.copies += 1
      if !copy.isVerified { report.unverified += 1 }
      let time = conditions == .lossy ? place.time : place.videoTime ?? place.time
      let timed = Timed(eventTime: time - copy.age, place: place)
      let known = extremes[copy.event.guid]
      if known != nil || extremes.count < 2 * expected.count + 4_096 {
        extremes[copy.event.guid] = (
          earliest: known.map { $0.earliest.eventTime <= timed.eventTime ? $0.earliest : timed } ?? timed,
          latest: known.map { $0.latest.eventTime >= timed.eventTime ? $0.latest : timed } ?? timed
        )
        tallies[copy.event.guid, default: CopyTally()].add(copy, at: place)
      }
      for transition in machine.receive(copy, at: place.time) where transition.guid == copy.event.guid {
        switch transition.kind {
        case .eventConflict: Self.record(copy.event, in: &conflicts)
        case .sequenceConflict: Self.record(copy.event, in: &rivals)
        default: break
        }
      }
    }
  }

  /// Records which tag of the cue sheet an item is.
  private mutating func findTag(_ item: StreamItem, at time: MediaTime) {
    let index = tags.indices.first { index in
      let tag = tags[index]
      return !foundTags.contains(index) && (time - tag.time).magnitude <= tolerance && tag.tag.map(item.isTag) ?? false
    }
    if let index { foundTags.insert(index) }
  }

  /// Adds an event to a list, unless it is in the list or the list is full.
  private static func record(_ event: GameEvent, in list: inout [GameEvent]) {
    if list.count < 100, !list.contains(where: { $0.guid == event.guid }) { list.append(event) }
  }

  /// Ends the stream.
  ///
  /// - Parameters:
  ///   - end: The programme time at which the stream ends.
  ///   - isWhole: Whether all of it could be loaded; otherwise copies are not counted.
  package mutating func finish(at end: MediaTime?, isWhole: Bool = true) -> Report {
    let last = max(end ?? .zero, expected.last?.time ?? .zero)
    // Events may state the times of their cue sheet instead of those of the stream.
    _ = machine.advance(to: max(last, last - offset))
    _ = machine.finish()
    report.otherEvents = others.count
    if report.copies == 0, let otherGame, let game { report.differences.append(.otherGame(found: otherGame, expected: game)) }
    compareEvents(programmeEnd: last, isWhole: isWhole)
    for (index, tag) in tags.enumerated() where !foundTags.contains(index) { report.differences.append(.missing(tag.event)) }
    for event in conflicts {
      report.differences.append(.conflict(event))
      let index = report.results.firstIndex { (twins[$0.event.guid] ?? $0.event.guid) == event.guid }
      if let index { report.results[index].differences.append(.conflict(event)) }
    }
    compareStates(at: last)
    sumUpShift()
    return report
  }

  // MARK: Events

  private mutating func compareEvents(programmeEnd: MediaTime, isWhole: Bool) {
    guard let game else { return }
    var unexpected = Dictionary(machine.log.entries(of: game).map { ($0.event.guid, $0.event) }) { first, _ in first }
    // Built only if it is needed.
    lazy var twinsBySequence = Dictionary(grouping: unexpected.values) { $0.sequence }
    var questions: [GUID: AskQuestion] = [:]
    let ends = expected.endsOfActiveSpans(programmeEnd: programmeEnd)
    for (index, planned) in expected.enumerated() {
      // What belongs to the time before the beginning is compared if it is there.
      if optional.contains(planned.event.guid), unexpected[planned.event.guid] == nil { continue }
      let before = report.differences.count
      var result = EventResult(event: planned.event)
      defer {
        result.differences = Array(report.differences[before...])
        report.results.append(result)
      }
      let found =
        unexpected.removeValue(forKey: planned.event.guid)
        ?? Self.twin(of: planned.event, among: twinsBySequence, left: unexpected).flatMap { unexpected.removeValue(forKey: $0) }
      guard let found else {
        report.differences.append(.missing(planned.event))
        continue
      }
      report.events += 1
      if found.guid != planned.event.guid { twins[planned.event.guid] = found.guid }
      if case .askQuestion(let question) = found.content { questions[found.guid] = question }
      compare(found, with: planned.event, questions)
      result.offset = compareTimes(of: planned.event, foundAs: found.guid)
      guard let tally = tallies[found.guid] else { continue }
      (result.burst, result.refreshes, result.delay) = (tally.burst, tally.refreshes, tally.delay)
      guard isWhole, !optional.contains(planned.event.guid), case .whole(let copies) = conditions else { continue }
      report.differences += tally.differences(planned.event, copies, activeUntil: ends[index])
    }
    let rest = unexpected.values.sorted { ($0.at ?? .zero, $0.guid.text) < ($1.at ?? .zero, $1.guid.text) }
    let known = Set(expected.map { $0.event.guid })
    report.differences += (rest + rivals.filter { !known.contains($0.guid) }).map { .unexpected($0) }
  }

  /// The GUID of the event that corresponds to `event` but has another GUID: a GUID that is derived from the content changes with it.
  private static func twin(of event: GameEvent, among events: [Int?: [GameEvent]], left: [GUID: GameEvent]) -> GUID? {
    guard let sequence = event.sequence, let candidates = events[sequence] else { return nil }
    return candidates.filter { $0.type == event.type && left[$0.guid] != nil }.map(\.guid).min { $0.text < $1.text }
  }

  private mutating func compare(_ found: GameEvent, with expected: GameEvent, _ questions: [GUID: AskQuestion]) {
    let (foundKeys, expectedKeys) = (comparable(found), comparable(expected))
    let before = report.differences.count
    for member in expectedKeys.members where foundKeys[member.key] != member.value {
      // A sealed question does not say which answer is right; its result does.
      if RightAnswer.keys.contains(member.key), case .askQuestion(let question) = found.content, question.seal != nil { continue }
      // A result refers to its question by the GUID under which the question was found.
      if member.key == "at", offset != .zero, let at = expected.at, foundKeys["at"] == Self.number(at - offset) { continue }
      if member.key == "questionGuid", let twin = member.value.string.flatMap({ GUID($0) }).flatMap({ twins[$0] }),
        foundKeys[member.key] == .string(twin.text)
      {
        continue
      }
      report.differences.append(
        .content(expected, key: member.key, found: foundKeys[member.key]?.text ?? "absent", expected: member.value.text))
    }
    for member in foundKeys.members where expectedKeys[member.key] == nil {
      report.differences.append(.content(expected, key: member.key, found: member.value.text, expected: "absent"))
    }
    if found.guid != expected.guid, report.differences.count == before {
      report.differences.append(.content(expected, key: "guid", found: "\"\(found.guid)\"", expected: "\"\(expected.guid)\""))
    }
    guard case .showResults(let results) = found.content, let seal = questions[results.questionGuid]?.seal else { return }
    let opens =
      if let salt = results.salt, let right = results.right { verifySeal(seal, salt, results.questionGuid, right) } else { false }
    if !opens { report.differences.append(.seal(expected)) }
  }

  private static func number(_ time: MediaTime) -> JSONValue? { JSONNumber(time.decimalSeconds).map { .number($0) } }

  /// The content of an event, without the values that differ between two stampings.
  private func comparable(_ event: GameEvent) -> JSONObject {
    var keys = JSONObject()
    keys.append("eventType", .string(event.type.text))
    if let sequence = event.sequence { keys.append("sequence", .number(JSONNumber(sequence))) }
    if let at = event.at, let number = Self.number(at) { keys.append("at", number) }
    // Stamping without a key draws a new seal and salt.
    let drawn =
      switch event.content {
      case .askQuestion: "seal"
      case .showResults: "salt"
      default: ""
      }
    for member in event.content.object.members + event.unknownKeys.members where member.key != drawn {
      keys.append(member.key, member.value)
    }
    return keys
  }

  /// Compares the times of the copies with the cue; returns the largest difference.
  private mutating func compareTimes(of event: GameEvent, foundAs guid: GUID) -> MediaTime {
    guard let (earliest, latest) = extremes[guid], let at = event.at else { return .zero }
    let largest = max((earliest.eventTime - at).magnitude, (latest.eventTime - at).magnitude)
    report.largestOffset = max(report.largestOffset, largest)
    for timed in [earliest, latest] {
      let off = timed.eventTime - at
      guard off.magnitude > tolerance else { continue }
      report.differences.append(.time(event, off: off, at: timed.place))
      break
    }
    return largest
  }

  /// Replaces equal differences of time by one: the stream starts at another time than the cue sheet, for example because it was cut, or it is
  /// shifted from some place on.
  private mutating func sumUpShift() {
    var offs: [(off: MediaTime, place: Place)] = []
    var hasTimely = false
    var areOff: [Bool] = []
    for planned in expected {
      guard let at = planned.event.at, let (earliest, latest) = extremes[twins[planned.event.guid] ?? planned.event.guid] else { continue }
      let copies = [earliest, latest].map { (off: $0.eventTime - at, place: $0.place) }
      let off = copies.filter { $0.off.magnitude > tolerance }
      offs += off
      areOff.append(!off.isEmpty)
      // Copies between a cut and the first key frame after it are not shifted.
      hasTimely = hasTimely || copies.contains { $0.off.magnitude <= tolerance && $0.place.videoTime.map { $0 >= .zero } ?? false }
    }
    let count = areOff.count { $0 }
    let times = report.differences.count { if case .time = $0 { true } else { false } }
    guard count > 1, times == count, areOff.suffix(count).allSatisfy({ $0 }), let low = offs.map({ $0.off }).min(),
      let high = offs.map({ $0.off }).max(), high - low <= max(tolerance, MediaTime(ticks: 2))
    else { return }
    let start = hasTimely || count < areOff.count ? offs.map { $0.place.videoTime ?? $0.place.time }.min() : nil
    report.differences.removeAll { if case .time = $0 { true } else { false } }
    report.differences.insert(.shifted(off: low, count: count, total: report.results.count, from: start), at: 0)
    // With this offset, all would be on time.
    guard start == nil, let first = expected.first else { return }
    report.remedy = .init(offset: offset + low, dropsEarly: first.time + low < .zero)
  }

  // MARK: State

  /// Compares the state at the end with the state after the cue sheet's events alone.
  private mutating func compareStates(at end: MediaTime) {
    var plan = GameStateMachine(limits: Self.limits(expected), verifySeal: verifySeal)
    for planned in expected {
      let event = planned.event
      if optional.contains(event.guid), machine.log.entry(event.guid, of: event.gameID) == nil { continue }
      _ = plan.receive(EventCopy(of: planned.event), at: planned.time)
    }
    _ = plan.advance(to: end)
    let (found, expected) = (machine.state, plan.state)
    let differing: [(String, Bool)] = [
      ("the phase", found.phase != expected.phase), ("the game", found.game != expected.game),
      ("the start", found.start?.guid != twin(of: expected.start?.guid)),
      ("the question", found.question?.guid != twin(of: expected.question?.guid)),
      ("the result", found.result?.guid != twin(of: expected.result?.guid)),
      ("the information", found.info?.guid != twin(of: expected.info?.guid)),
      ("the ending", found.ending?.guid != twin(of: expected.ending?.guid)),
    ]
    guard let first = differing.first(where: { $0.1 }) else { return }
    report.differences.append(.finalState(found: found.phase, expected: expected.phase, what: first.0))
  }

  /// The GUID under which an event of the cue sheet was found.
  private func twin(of guid: GUID?) -> GUID? { guid.map { twins[$0] ?? $0 } }
}
