import Basics
import EventReading
import EventSchedule
import GameEvents
import StateMachine
import TestSupport
import Testing
import TransportStream

@testable import Verification

/// Compares streams with their cue sheet: a correct stream passes, and each kind of difference is named.
@Suite struct VerifierTests {
  /// What the cue sheet says, with open answers.
  static let planned = SampleGame.plan("friday", .open)

  static func verify(
    _ items: [StreamItem], against planned: [PlannedEvent] = planned, tolerance: Int64 = 90
  ) -> Verifier.Report {
    var verifier = Verifier(planned, tolerance: MediaTime(ticks: tolerance), verifySeal: SampleGame.verifySeal)
    for item in items { verifier.receive(item) }
    return verifier.finish(at: MediaTime(ticks: SampleStream().end))
  }

  /// The items of a stream with these events.
  static func items(_ events: [PlannedEvent], _ policy: CopyPolicy = CopyPolicy()) throws -> [StreamItem] {
    try read(stamp(SampleStream().bytes, with: events, policy).bytes)
  }

  /// The events of the sealed game, with one of them changed.
  static func plan(_ secrecy: SampleGame.Secrecy = .sealed, changing index: Int, _ change: (inout GameEvent) -> Void) -> [PlannedEvent] {
    var events = SampleGame.plan("friday", secrecy)
    change(&events[index].event)
    return events
  }

  @Test(arguments: [SampleGame.Secrecy.open, .sealed]) func whatWasStampedPasses(secrecy: SampleGame.Secrecy) throws {
    let items = try Self.items(SampleGame.plan("friday", secrecy))
    var expected = Verifier.Report()
    expected.events = 5
    expected.copies = items.copies.count
    expected.results = Self.planned.map { planned in
      let copies = items.copies.filter { $0.copy.event.guid == planned.event.guid }
      return Verifier.EventResult(event: planned.event, burst: 3, refreshes: copies.count - 3, delay: .zero)
    }
    #expect(Self.verify(items) == expected)
    // Without video, the copies tell the time.
    #expect(Self.verify(items.movingVideo { _ in nil }) == expected)
  }

  /// An ID3 tag of the sheet must be in the stream, with its frames and at its time.
  @Test func tagsOfOthers() throws {
    // A tag with the frame TIT2 and the text "T".
    let bytes: [UInt8] = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 12, 0x54, 0x49, 0x54, 0x32, 0, 0, 0, 2, 0, 0, 3, 0x54]
    let tag = PlannedEvent(tag: bytes, at: MediaTime(ticks: 90_000), guid: try #require(GUID("title")), game: "friday")
    let items = try Self.items(SampleGame.plan("friday") + [tag])
    #expect(Self.verify(items, against: Self.planned + [tag]).differences == [])
    var later = tag
    later.event.at = MediaTime(ticks: 100_000)
    #expect(Self.verify(items, against: Self.planned + [later]).differences == [.missing(later.event)])
    #expect(Self.verify(items, against: Self.planned + [tag, tag]).differences == [.missing(tag.event)])
    var other = tag
    other.tag = bytes.dropLast() + [0x55]
    #expect(Self.verify(items, against: Self.planned + [other]).differences == [.missing(other.event)])
  }

  /// A stream whose beginning was cut: its events state the times of the sheet. With the offset that is named, it passes.
  @Test(arguments: [-0.5, 0.48]) func theOffsetThatWouldPass(seconds: Double) throws {
    let off = MediaTime(seconds: seconds)
    let items = try Self.items(SampleGame.plan()).map { item in
      guard case .copy(let copy, var place) = item else { return item }
      place.time = place.time + off
      place.videoTime = place.videoTime.map { $0 + off }
      return .copy(copy, place)
    }
    let found = Self.verify(items)
    let first = try #require(Self.planned.first)
    #expect(found.differences.first?.kind == "time")
    #expect(found.remedy == Verifier.Remedy(offset: off, dropsEarly: first.time + off < .zero))
    let moved = Self.planned.map { planned in
      var planned = planned
      planned.event.at = planned.time + off
      return planned
    }
    let early = Set(moved.filter { $0.time < .zero }.map(\.event.guid))
    var verifier = Verifier(moved, optional: early, offset: off, verifySeal: SampleGame.verifySeal)
    for item in items { verifier.receive(item) }
    let report = verifier.finish(at: MediaTime(ticks: SampleStream().end))
    #expect(report.differences == [] && report.remedy == nil && report.events == moved.count)
  }

  /// What happened before the beginning may be there, and need not be.
  @Test func whatIsNotExpected() throws {
    let first = try #require(Self.planned.first)
    let rest = try Self.items(Array(SampleGame.plan().dropFirst()))
    var verifier = Verifier(Self.planned, optional: [first.event.guid], verifySeal: SampleGame.verifySeal)
    for item in rest { verifier.receive(item) }
    let report = verifier.finish(at: MediaTime(ticks: SampleStream().end))
    #expect(report.differences == [] && report.events == 4 && report.results.count == 4)
    #expect(Self.verify(rest).differences.first == .missing(first.event))
  }

  /// Every order of arrival and every number of copies passes as well.
  @Test func repeatsAndOrderDoNotMatter() throws {
    for policy in [CopyPolicy(copies: 1, refreshInterval: nil), CopyPolicy(copies: 9, refreshInterval: MediaTime(ticks: 20_000))] {
      let items = try Self.items(SampleGame.plan(), policy)
      var generator = SeededNumbers(seed: 5)
      for _ in 0..<5 { #expect(Self.verify(items.shuffled(using: &generator) + items).differences == []) }
    }
  }

  @Test func anotherGameIsCounted() throws {
    let first = try stamp(SampleStream().bytes, with: SampleGame.plan("saturday"))
    let items = try read(stamp(first.bytes, with: SampleGame.plan()).bytes)
    let report = Self.verify(items)
    #expect(report.differences == [])
    #expect(report.events == 5)
    #expect(report.otherEvents == 5)
  }

  @Test func anotherGameAloneIsSaidFirst() throws {
    let report = Self.verify(try Self.items(SampleGame.plan("saturday")))
    #expect(report.differences.first == .otherGame(found: GameID("saturday"), expected: GameID("friday")))
    #expect(report.differences.first?.description == #"the stream carries the game "saturday", the cue sheet is for "friday""#)
    #expect(report.differences.first?.kind == "otherGame" && report.differences.count == Self.planned.count + 2)
  }

  @Test func damageIsCounted() throws {
    let report = Self.verify(try Self.items(SampleGame.plan()) + [.damage(Damage(offset: 3, reason: "broken"))])
    #expect(report.damages == 1)
    #expect(report.differences == [])
  }

  @Test func aMissingEvent() throws {
    var events = SampleGame.plan()
    let missing = events.remove(at: 3)
    let report = Self.verify(try Self.items(events))
    #expect(
      report.differences == [
        .missing(Self.planned[3].event), .finalState(found: .ended, expected: .ended, what: "the information"),
      ])
    #expect(report.events == 4)
    #expect(report.differences[0].description == "periodicInfo 4 at \(missing.time.clockText) (friday-info) is missing")
    #expect(report.differences[1].description == "the game ends in another state: the information differs")
  }

  @Test func everyEventMissing() {
    let report = Self.verify([])
    #expect(
      report.differences
        == Self.planned.map { .missing($0.event) } + [.finalState(found: .waiting, expected: .ended, what: "the phase")])
  }

  @Test func anUnexpectedEvent() throws {
    let extra = SampleGame.event("friday", "extra", 6, at: 150_000, .custom(EventType("poll"), JSONObject()))
    let report = Self.verify(try Self.items(SampleGame.plan() + [extra]))
    #expect(report.differences == [.unexpected(extra.event)])
    #expect(report.differences[0].description == "poll 6 at 00:01.667 (friday-extra) is not in the cue sheet")
  }

  /// Where the GUID follows from the content, both change together: the event is still compared with the one in its place.
  @Test func otherContentUnderAnotherGUID() throws {
    let items = try Self.items(
      Self.plan(changing: 3) {
        $0.guid = SampleGame.guid("friday-other")
        $0.content = .periodicInfo(PeriodicInfo(viewers: 7))
      })
    let event = Self.planned[3].event
    #expect(Self.verify(items).differences == [.content(event, key: "viewers", found: "7", expected: "1204")])
    let renamed = try Self.items(Self.plan(changing: 3) { $0.guid = SampleGame.guid("friday-other") })
    #expect(
      Self.verify(renamed).differences == [
        .content(event, key: "guid", found: "\"friday-other\"", expected: "\"friday-info\"")
      ])
  }

  @Test func otherContent() throws {
    let items = try Self.items(
      Self.plan(changing: 3) {
        $0.content = .periodicInfo(PeriodicInfo(viewers: 7, players: 3))
        $0.unknownKeys.append("mood", .string("high"))
      })
    let event = Self.planned[3].event
    let report = Self.verify(items)
    #expect(
      report.differences == [
        .content(event, key: "viewers", found: "7", expected: "1204"), .content(event, key: "players", found: "3", expected: "absent"),
        .content(event, key: "mood", found: #""high""#, expected: "absent"),
      ])
    #expect(report.differences[0].description == #"periodicInfo 4 at 00:01.556 (friday-info): "viewers" is 7 instead of 1204"#)
  }

  /// An open answer is compared, a sealed one is not there to compare.
  @Test func anotherRightAnswer() throws {
    let wrong = Self.plan(.open, changing: 1) { event in
      guard case .askQuestion(var question) = event.content else { return }
      question.correctAnswer = 0
      event.content = .askQuestion(question)
    }
    #expect(
      Self.verify(try Self.items(wrong)).differences == [
        .content(Self.planned[1].event, key: "correctAnswer", found: "0", expected: "1")
      ])
    let neither = Self.plan(changing: 1) { event in
      guard case .askQuestion(var question) = event.content else { return }
      question.seal = nil
      event.content = .askQuestion(question)
    }
    #expect(
      Self.verify(try Self.items(neither)).differences == [
        .content(Self.planned[1].event, key: "correctAnswer", found: "absent", expected: "1")
      ])
  }

  @Test func anotherSequence() throws {
    let items = try Self.items(Self.plan(changing: 4) { $0.sequence = 6 })
    #expect(
      Self.verify(items).differences == [
        .content(Self.planned[4].event, key: "sequence", found: "6", expected: "5")
      ])
  }

  /// A cue that was moved by 2 ms: what the copies say of their time differs, and so does where they lie.
  @Test func anotherTime() throws {
    let items = try Self.items(Self.plan(changing: 3) { $0.at = MediaTime(ticks: 140_180) })
    let event = Self.planned[3].event
    let place = try #require(items.copies.first { $0.copy.event.guid == event.guid }?.place)
    let report = Self.verify(items)
    #expect(
      report.differences == [
        .content(event, key: "at", found: "1.557556", expected: "1.555556"), .time(event, off: MediaTime(ticks: 180), at: place),
      ])
    #expect(report.largestOffset == MediaTime(ticks: 180))
    #expect(report.differences[1].description.hasSuffix("the copy at byte \(place.offset) is 0.002 s too late"))
    #expect(Self.verify(items, tolerance: 180).differences == Array(report.differences.prefix(1)))
  }

  /// A stream whose beginning was cut: one difference says it, in the first place. Reports by event keep theirs.
  @Test(arguments: [-11_891_880, 540_000] as [Int64]) func everyEventIsOffByTheSame(off: Int64) throws {
    let items = try Self.items(SampleGame.plan()).movingVideo { $0.time + MediaTime(ticks: off) }
    let report = Self.verify(items)
    #expect(report.differences == [.shifted(off: MediaTime(ticks: off), count: 5, total: 5, from: nil)])
    let said = off < 0 ? "132.132 s early: was the beginning cut?" : "6.000 s late: was something inserted in front?"
    #expect(report.lines == ["all events are \(said)"])
    #expect(report.differences[0].kind == "time" && report.differences[0].event == nil)
    #expect(report.results.allSatisfy { $0.differences.map(\.kind) == ["time"] && $0.offset == MediaTime(ticks: off).magnitude })
    // Some were cut away.
    let rest = Self.verify(items.filter { if case .copy(let copy, _) = $0 { copy.event.sequence != 2 } else { true } })
    #expect(rest.differences.first == .shifted(off: MediaTime(ticks: off), count: 4, total: 5, from: nil))
    #expect(rest.lines[0] == "all 4 events that are there are \(said)")
    #expect(rest.lines[1].hasSuffix("(friday-ask) is missing"))
    // A single event that is off by something else is no matter of all.
    let mixed = Self.verify(
      try Self.items(SampleGame.plan()).movingVideo { $0.time + MediaTime(ticks: $0.time.ticks > 100_000 ? off : off + 900) })
    #expect(mixed.differences.count == 5 && mixed.differences.allSatisfy { if case .time = $0 { true } else { false } })
  }

  /// Something was cut out of a stream, or put in: what comes behind it is off by one time.
  @Test(arguments: [-540_000, 540_000] as [Int64]) func whatComesBehindAPlaceIsOffByTheSame(off: Int64) throws {
    let whole = try Self.items(SampleGame.plan())
    let start = MediaTime(ticks: 150_000)
    let behind = whole.copies.filter { $0.place.time >= start }
    let count = Set(behind.map(\.copy.event.guid)).count
    let report = Self.verify(whole.movingVideo { $0.time >= start ? $0.time + MediaTime(ticks: off) : $0.time })
    let first = try #require(behind.first).place.time + MediaTime(ticks: off)
    #expect(count > 1)
    #expect(report.differences == [.shifted(off: MediaTime(ticks: off), count: count, total: 5, from: first)])
    let said = off < 0 ? "6.000 s early: was something cut out there?" : "6.000 s late: was something inserted there?"
    #expect(report.lines == ["from \(first.clockText) on, \(count) events are \(said)"])
    // Where later events are in time again, each has its line.
    let middle = whole.movingVideo { place in
      place.time < start || place.time >= MediaTime(ticks: 190_000) ? place.time : place.time + MediaTime(ticks: off)
    }
    #expect(Self.verify(middle).differences.allSatisfy { if case .time = $0 { true } else { false } })
  }

  @Test func nothingAtAllIsOneLine() {
    let report = Self.verify([])
    #expect(report.lines == ["all 5 events are missing", "the game ends in phase waiting instead of ended"])
  }

  /// A copy whose presentation time is 2 ms off, later or earlier, whichever of the copies it is.
  @Test(arguments: [180, -180] as [Int64], [0, 1, 2]) func aCopyElsewhere(off: Int64, number: Int) throws {
    var items = try Self.items(SampleGame.plan())
    let event = SampleGame.plan()[1].event
    let indices = items.indices.filter { if case .copy(let copy, _) = items[$0] { copy.event.guid == event.guid } else { false } }
    guard case .copy(let copy, var place) = items[indices[number]] else { return }
    place.presentationTime += MediaTime(ticks: off)
    place.time += MediaTime(ticks: off)
    place.videoTime = place.videoTime.map { $0 + MediaTime(ticks: off) }
    items[indices[number]] = .copy(copy, place)
    let report = Self.verify(items)
    #expect(report.differences == [.time(Self.planned[1].event, off: MediaTime(ticks: off), at: place)])
    #expect(report.largestOffset == MediaTime(ticks: 180))
    // Exactly at the tolerance is on time.
    #expect(Self.verify(items, tolerance: 180).differences == [])
  }

  /// The same in the stream's bytes: a timestamp is changed by 180 ticks.
  @Test func aTimestampThatIsChanged() throws {
    var stream = try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes
    let packet = try #require(SamplePacket.all(in: stream).filter { $0.pid == 0x102 && $0.header.startsUnit }.dropFirst(3).first)
    // The low 15 bits of the timestamp stand in the last two of its five bytes, in front of a marker.
    let place = packet.offset + packet.header.payload.lowerBound + 12
    let low = (Int(stream[place]) << 8 | Int(stream[place + 1])) + 2 * 180
    (stream[place], stream[place + 1]) = (UInt8(low >> 8 & 0xFF), UInt8(low & 0xFF))
    let items = try read(stream)
    let moved = try #require(items.copies.dropFirst(3).first)
    #expect(moved.place.offset == packet.offset)
    #expect(Self.verify(items).differences == [.time(Self.planned[1].event, off: MediaTime(ticks: 180), at: moved.place)])
  }

  /// The whole programme is 2 ms late against its video.
  @Test func everythingLate() throws {
    let items = try Self.items(SampleGame.plan())
    let report = Self.verify(items.movingVideo { $0.videoTime.map { $0 + MediaTime(ticks: 180) } })
    #expect(report.differences == [.shifted(off: MediaTime(ticks: 180), count: 5, total: 5, from: nil)])
    #expect(report.lines == ["all events are 0.002 s late"])
  }

  @Test func aConflict() throws {
    let items = try Self.items(SampleGame.plan())
    let changed = Self.plan(changing: 3) { $0.content = .periodicInfo(PeriodicInfo(viewers: 9)) }[3].event
    let last = try #require(items.copies.last)
    let report = Self.verify(items + [.copy(EventCopy(of: changed, age: last.place.time - Self.planned[3].time), last.place)])
    #expect(report.differences == [.conflict(changed)])
    #expect(report.differences[0].description == "periodicInfo 4 at 00:01.556 (friday-info): its copies have different contents")
  }

  @Test func aBrokenSeal() throws {
    for salt in ["pepper", nil] {
      let items = try Self.items(
        Self.plan(changing: 2) { event in
          guard case .showResults(var results) = event.content else { return }
          results.salt = salt
          event.content = .showResults(results)
        })
      let report = Self.verify(items)
      #expect(report.differences == [.seal(Self.planned[2].event)])
      #expect(report.differences[0].description == "showResults 3 at 00:01.520 (friday-show): does not open the seal of its question")
    }
  }

  /// The end is missing: the game stays where it was.
  @Test func anotherFinalState() throws {
    let report = Self.verify(try Self.items(Array(SampleGame.plan().dropLast())))
    #expect(
      report.differences == [
        .missing(Self.planned[4].event), .finalState(found: .results, expected: .ended, what: "the phase"),
      ])
    #expect(report.differences[1].description == "the game ends in phase results instead of ended")
  }

  /// A cue sheet without events finds nothing missing and nothing wrong.
  @Test func anEmptyCueSheet() throws {
    let report = Self.verify(try Self.items(SampleGame.plan()), against: [])
    #expect(report.differences == [])
    #expect(report.otherEvents == 5)
  }
}

extension [StreamItem] {
  /// The items with other video times.
  fileprivate func movingVideo(_ time: (Place) -> MediaTime?) -> [StreamItem] {
    map { item in
      guard case .copy(let copy, var place) = item else { return item }
      place.videoTime = time(place)
      return .copy(copy, place)
    }
  }
}
