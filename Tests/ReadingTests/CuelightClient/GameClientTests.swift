import Basics
import CuelightClient
import EventSchedule
import GameEvents
import TestSupport
import Testing

/// What a player hands over becomes a game, wherever the programme lies on the player's clock.
@Suite struct GameClientTests {
  private static let copies = SampleGame.plan("friday", .open).map { EventCopy(of: $0.event) }

  private func seconds(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds) }

  private func names(_ transitions: [GameTransition]) -> [String] { transitions.map { $0.kind.text } }

  /// An event of the sample game that is presented a while after it happened.
  private func copy(_ index: Int, age: Double = 0) -> EventCopy {
    EventCopy(of: Self.copies[index].event, copy: 4, copies: 3, age: seconds(age))
  }

  @Test func tagsFramesAndCopiesAreAlike() throws {
    var (byTag, byText, byCopy) = (GameClient(), GameClient(), GameClient())
    for copy in Self.copies {
      let now = MediaTime(seconds: 77) + (copy.programmeTime ?? .zero)
      let transitions = byCopy.receive(copy, presentedAt: now, now: now)
      // Players that are made with FFmpeg before 6.1 hand tags over without their first five bytes.
      let tag = try copy.encodedTag().dropFirst(copy.event.sequence == 2 ? 5 : 0)
      #expect(byTag.receive(tag: tag, presentedAt: now, now: now) == transitions)
      #expect(byText.receive(text: copy.text, description: "", presentedAt: now, now: now) == transitions)
      #expect(byTag.origin == MediaTime(seconds: 77) && byTag.programmeTime == copy.programmeTime)
    }
    #expect(byTag.state == byText.state && byTag.state == byCopy.state && byTag.state.phase == .ended)
  }

  @Test(arguments: [0.0, 3_600, 95_443.7]) func beforeTheFirstCopyNothingHappens(clock: Double) {
    var client = GameClient()
    for tick in 0..<80 { #expect(client.advance(to: seconds(clock + Double(tick) * 0.25)).isEmpty) }
    #expect(client.origin == nil && client.programmeTime == nil && client.nextDeadline == nil)
    #expect(client.select(0, now: seconds(clock + 20)).outcome == .noQuestion)
    let now = seconds(clock + 20)
    #expect(names(client.receive(copy(1), presentedAt: now, now: now)) == ["joinedLate", "questionAsked"])
    #expect(client.nextDeadline == now + seconds(0.5))
    #expect(client.playerTime(ofProgrammeTime: MediaTime(ticks: 198_000)) == now + MediaTime(ticks: 198_000 - 72_001))
  }

  @Test func whatLiesAheadIsAnnouncedThen() {
    var client = GameClient()
    var kinds = names(client.advance(to: seconds(10)))
    for copy in Self.copies {
      kinds += names(client.receive(copy, presentedAt: seconds(10) + (copy.programmeTime ?? .zero), now: seconds(10)))
    }
    #expect(kinds == ["gameStarted"])
    var times: [MediaTime] = []
    while let deadline = client.nextDeadline {
      times.append(deadline - seconds(10))
      kinds += names(client.advance(to: deadline))
    }
    #expect(kinds == ["gameStarted", "questionAsked", "questionClosed", "resultsShown", "infoUpdated", "gameEnded"])
    #expect(times.map(\.ticks) == [72_001, 117_001, 136_799, 140_000, 198_000])
  }

  @Test func anAnnouncedAdStopsTheProgramme() {
    var client = GameClient()
    _ = client.receive(copy(1), presentedAt: seconds(100), now: seconds(100))
    client.discontinuity(at: seconds(100.2))
    #expect(client.advance(to: seconds(130)).isEmpty && client.state.phase == .asking && client.origin == nil)
    #expect(client.nextDeadline == nil)
    #expect(names(client.receive(copy(1, age: 0.3), presentedAt: seconds(130.1), now: seconds(130.1))) == [])
    #expect(client.nextDeadline == seconds(130.3))
    #expect(names(client.advance(to: seconds(130.3))) == ["questionClosed"])
  }

  /// While an ad plays on a timeline of its own, that of the programme stands still. What has passed when it is ahead comes at once, in order.
  @Test func theProgrammeStandsStill() {
    var client = GameClient()
    for copy in Self.copies {
      _ = client.receive(copy, presentedAt: seconds(100) + (copy.programmeTime ?? .zero), now: seconds(100))
    }
    _ = client.advance(to: seconds(101))
    #expect(client.state.phase == .asking)
    for _ in 0..<120 { #expect(client.advance(to: seconds(101)).isEmpty) }
    #expect(client.state.phase == .asking && client.nextDeadline == seconds(100) + MediaTime(ticks: 117_001))
    #expect(names(client.advance(to: seconds(103))) == ["questionClosed", "resultsShown", "infoUpdated", "gameEnded"])
  }

  /// The tags behind an ad at the beginning may come before it is over: the programme does not wait for further ones then.
  @Test func anAnnouncedAdInFrontTakesNothingAway() {
    var client = GameClient()
    for index in [0, 1, 2] {
      _ = client.receive(copy(index), presentedAt: seconds(15) + (copy(index).programmeTime ?? .zero), now: .zero)
    }
    var kinds = names(client.advance(to: seconds(15)))
    client.discontinuity()
    kinds += names(client.advance(to: seconds(17)))
    #expect(kinds == ["gameStarted", "questionAsked", "questionClosed", "resultsShown"])
  }

  /// A viewer joins a live programme behind an ad, whose tags are handed over during the ad: nothing is asked before the programme is seen, and
  /// nothing is lost, whether the viewer moves meanwhile or not.
  @Test(arguments: [false, true]) func anAnnouncedAdInFrontShowsNothing(isMoved: Bool) {
    var client = GameClient()
    client.discontinuity()
    for age in [0.2, 0.24] {
      for (index, more) in [(0, 0.8), (1, 0.0)] {
        let copy = copy(index, age: age + more)
        #expect(client.receive(copy, presentedAt: seconds(114) + (copy.programmeTime ?? .zero), now: seconds(100)).isEmpty)
      }
    }
    let begin = seconds(114) + (copy(1, age: 0.2).programmeTime ?? .zero)
    #expect(client.nextDeadline == seconds(114) + (copy(0, age: 1.0).programmeTime ?? .zero))
    #expect(client.advance(to: seconds(114)).isEmpty && client.programmeTime == nil && client.origin == nil && client.state == GameState())
    client.discontinuity(at: seconds(114.5))
    let kinds = names(isMoved ? client.seek(to: begin) : client.advance(to: begin))
    #expect(kinds == ["joinedLate", "gameStarted", "questionAsked"])
    #expect(client.origin == seconds(114) && client.state.question?.opensAt == Self.copies[1].event.at)
    #expect(client.nextDeadline == begin + seconds(0.3) || client.nextDeadline == begin + seconds(0.04))
    #expect(names(client.advance(to: begin + seconds(0.3))) == ["questionClosed"])
  }

  /// An ad in front has tags of a programme of its own, which agree with each other. The programme behind it is found by two copies of its own.
  @Test(arguments: [false, true]) func aProgrammeInFrontDoesNotHoldTheTimeline(isAhead: Bool) {
    var client = GameClient()
    var other = SampleGame.plan("other", .open)[1].event
    other.at = seconds(1_000)
    for frame in [0, 0.04] {
      let now = seconds(50 + frame)
      _ = client.receive(EventCopy(of: other, age: seconds(frame)), presentedAt: now, now: now)
    }
    #expect(client.origin == seconds(-950) && client.state.game == GameID("other"))
    var asked: [MediaTime] = []
    func see(_ transitions: [GameTransition], _ now: MediaTime) {
      for transition in transitions where transition.kind == .questionAsked { asked.append(now) }
    }
    for copy in Self.copies {
      for frame in [0, 0.04] {
        var copy = copy
        copy.age = seconds(frame)
        let presented = seconds(65) + (copy.programmeTime ?? .zero)
        let now = isAhead ? seconds(51) : presented
        while let deadline = client.nextDeadline, deadline < now { see(client.advance(to: deadline), deadline) }
        see(client.receive(copy, presentedAt: presented, now: now), now)
      }
    }
    while let deadline = client.nextDeadline, deadline < seconds(100) { see(client.advance(to: deadline), deadline) }
    #expect(asked == [seconds(65) + MediaTime(ticks: 72_001)])
    #expect(client.origin == seconds(65) && client.state.phase == .ended && client.state.game != GameID("other"))
  }

  @Test func anAdThatNobodyAnnouncesIsFoundByTwoCopies() {
    var client = GameClient()
    _ = client.receive(copy(0), presentedAt: seconds(50), now: seconds(50))
    _ = client.receive(copy(0, age: 0.04), presentedAt: seconds(50.04), now: seconds(50.04))
    // The question comes 30 s later than without the ad. The first copy is held back, the second confirms it.
    let now = seconds(80) + MediaTime(ticks: 72_001)
    #expect(names(client.receive(copy(1), presentedAt: now, now: now)) == [])
    #expect(names(client.receive(copy(1, age: 0.04), presentedAt: now + seconds(0.04), now: now + seconds(0.04))) == ["questionAsked"])
    #expect(client.origin == seconds(80) && client.state.phase == .asking)
    #expect(client.nextDeadline == now + seconds(0.5))
  }

  /// The programme ran on behind the beginning of the ad: it goes back, and the open question is open again without being asked again.
  @Test func aQuestionBeforeAnAdIsNotAskedAgain() {
    var client = GameClient()
    var kinds = names(client.receive(copy(1), presentedAt: seconds(100), now: seconds(100)))
    kinds += names(client.advance(to: seconds(120)))
    #expect(kinds == ["joinedLate", "questionAsked", "questionClosed"])
    kinds = names(client.receive(copy(1, age: 0.2), presentedAt: seconds(130.2), now: seconds(130.2)))
    kinds += names(client.receive(copy(1, age: 0.24), presentedAt: seconds(130.24), now: seconds(130.24)))
    #expect(kinds == [] && client.state.phase == .asking)
    #expect(client.select(.several([1]), now: seconds(130.3)).outcome == .unknownAnswer)
    #expect(client.select(GivenAnswer.one(1), now: seconds(130.3)).outcome == .accepted)
    #expect(names(client.advance(to: seconds(130.5))) == ["questionClosed"] && client.state.score == 1)
  }

  @Test func oneDamagedTimeMovesNothing() {
    var client = GameClient()
    for index in 0..<5 {
      let time = Self.copies[index].programmeTime ?? .zero
      let error = MediaTime(seconds: index == 3 ? 60 : 0)
      _ = client.receive(Self.copies[index], presentedAt: time + error, now: time)
    }
    #expect(client.origin == .zero && client.state.phase == .ended)
  }

  @Test func unverifiedCopiesMoveNoVerifiedTimeline() {
    var client = GameClient()
    _ = client.receive(copy(0), presentedAt: .zero, now: .zero)
    for number in 1...5 {
      var forged = copy(4)
      (forged.isVerified, forged.copy) = (false, number)
      _ = client.receive(forged, presentedAt: seconds(0.1), now: seconds(0.1))
    }
    #expect(client.origin == .zero && client.state.phase == .playing)
  }

  /// Where no event tells its time, the player's clock is the programme's, and an event happens when it is presented.
  @Test func eventsWithoutTimesGoByThePlayer() {
    var client = GameClient()
    var kinds: [String] = []
    for (index, copy) in Self.copies.enumerated() {
      var copy = copy
      copy.event.at = nil
      kinds += names(client.receive(copy, presentedAt: seconds(20 + Double(index)), now: seconds(19)))
    }
    #expect(kinds == [] && client.nextDeadline == seconds(20))
    #expect(names(client.advance(to: seconds(21))) == ["gameStarted", "questionAsked"])
    #expect(names(client.advance(to: seconds(24))) == ["questionClosed", "resultsShown", "infoUpdated", "gameEnded"])
  }

  @Test func aViewerWhoMovesIsToldWhatIsOpenThere() {
    var client = GameClient()
    for copy in Self.copies { _ = client.receive(copy, presentedAt: copy.programmeTime ?? .zero, now: .zero) }
    _ = client.advance(to: seconds(3))
    #expect(client.state.phase == .ended)
    _ = client.seek(to: seconds(1))
    #expect(client.state.phase == .asking)
    // A clock that goes back by itself was moved too; a jitter is none.
    _ = client.advance(to: seconds(3))
    _ = client.advance(to: seconds(2.5))
    #expect(client.state.phase == .ended)
    _ = client.advance(to: seconds(1))
    #expect(client.state.phase == .asking)
  }

  /// Going back behind a result does not open its question again: the viewer knows the answer.
  @Test func anAnswerAfterTheResultDoesNotCount() {
    var client = GameClient()
    for copy in Self.copies { _ = client.receive(copy, presentedAt: copy.programmeTime ?? .zero, now: .zero) }
    _ = client.advance(to: seconds(1))
    #expect(client.select(1, now: seconds(1)).outcome == .accepted)
    #expect(!client.isQuestionOver)
    _ = client.seek(to: seconds(0.9))
    #expect(client.select(0, now: seconds(0.9)).outcome == .accepted)
    _ = client.advance(to: seconds(1.6))
    #expect(client.state.phase == .results)
    _ = client.seek(to: seconds(0.9))
    #expect(client.isQuestionOver)
    #expect(client.state.phase == .asking && client.select(1, now: seconds(0.9)).outcome == .tooLate)
    #expect(client.state.question?.selectedAnswer == 0)
  }

  /// A presentation time of 33 bits that has wrapped is the same time: what lies ahead is not shown at once.
  @Test(arguments: [-1, 1], [5.7, 0, 3_600]) func aTimeThatHasWrapped(sign: Int64, ahead: Double) {
    let wrap = MediaTime(ticks: sign << 33)
    var client = GameClient()
    let start = seconds(100_000)
    #expect(names(client.receive(copy(0), presentedAt: start + wrap, now: start)).contains("gameStarted"))
    let later = start + seconds(ahead)
    for age in [0, 0.1] {
      let copy = copy(1, age: age)
      let time = later + (copy.programmeTime ?? .zero)
      _ = client.receive(copy, presentedAt: time + wrap, now: start)
    }
    #expect(client.state.phase != .asking || ahead == 0)
    #expect(client.unusable == 0)
  }

  /// A time is taken as it is up to 2^32 ticks from the player's clock, and as wrapped up to 2^33 ticks more.
  @Test(arguments: [-1, 1] as [Int64]) func implausibleTimes(sign: Int64) {
    let now = seconds(500_000)
    for (ticks, origin, unusable) in [
      (1 << 32, 1 << 32, 0), (1 << 32 + 1, 1 << 32 + 1 - 1 << 33, 0), (3 << 32, 1 << 32, 0), (3 << 32 + 1, nil, 1),
    ] as [(Int64, Int64?, Int)] {
      var client = GameClient()
      let copy = copy(1)
      _ = client.receive(copy, presentedAt: now + MediaTime(ticks: sign * ticks), now: now)
      let expected = origin.map { now + MediaTime(ticks: sign * $0) - (copy.programmeTime ?? .zero) }
      #expect(client.unusable == unusable)
      #expect(client.origin == expected)
    }
  }

  /// The video may be a little shorter than its metadata: what lies at most a second behind its end still happens, and stays so.
  @Test(arguments: [(0.5, GameState.Phase.ended), (1, .ended), (1.01, .results)]) func eventsJustBehindTheEnd(
    distance: Double, phase: GameState.Phase
  ) throws {
    var client = GameClient()
    for copy in Self.copies { _ = client.receive(copy, presentedAt: copy.programmeTime ?? .zero, now: .zero) }
    let last = try #require(Self.copies.last?.programmeTime)
    let end = last - seconds(distance)
    _ = client.finish(now: end)
    #expect(client.state.phase == phase)
    _ = client.advance(to: end)
    #expect(client.state.phase == phase)
  }

  @Test func whatEndsIsNotLeftOpen() {
    var client = GameClient()
    _ = client.receive(copy(1), presentedAt: seconds(5), now: seconds(5))
    #expect(names(client.finish(now: seconds(5.1))) == ["questionClosed"])
    #expect(client.state.phase == .closed)
  }

  @Test func sealsAreChecked() {
    let salt = "c2FsdA=="
    let guid = SampleGame.guid("sealed")
    func watch(_ policy: GameClient.SealPolicy, answer: Int) -> (GameState.Seal?, [String]) {
      let seal = AnswerSeal.seal(salt: salt, guid: guid, correctAnswer: 1)
      let question = AskQuestion(
        question: "?", answers: ["a", "b"], questionNumber: 1, allottedTime: MediaTime(seconds: 1), correctAnswer: nil, seal: seal)
      let ask = GameEvent(guid: guid, game: "g", sequence: 1, at: .zero, content: .askQuestion(question))
      let result = ShowResults(questionGuid: guid, questionNumber: 1, correctAnswer: answer, salt: salt)
      let show = GameEvent(guid: SampleGame.guid("show"), game: "g", sequence: 2, at: MediaTime(seconds: 2), content: .showResults(result))
      var client = GameClient(seals: policy)
      var kinds: [String] = []
      for event in [ask, show] {
        let time = event.at ?? .zero
        kinds += names(client.receive(EventCopy(of: event), presentedAt: time, now: time))
      }
      return (client.state.result?.seal, kinds.filter { $0 == "sealBroken" })
    }
    #expect(watch(.verify, answer: 1) == (.valid, []))
    #expect(watch(.verify, answer: 0) == (.broken, ["sealBroken"]))
    #expect(watch(.trust, answer: 0) == (.unchecked, []))
    #expect(watch(.custom { _, _, _, right in right == .one(0) }, answer: 0) == (.valid, []))
  }

  /// A forged end, and a forged question, are nothing to a client that trusts one key.
  @Test func whatIsNotSignedCountsForNothing() throws {
    var (honest, client) = (GameClient(), GameClient(signatures: TestSignature.check))
    let forged = SampleGame.plan("fake", .open).map { EventCopy(of: $0.event, signature: EventSignature(bytes: Array(0..<64))) }
    for planned in SampleGame.plan("friday", .open).map({ TestSignature.signed($0) }) {
      let copy = EventCopy(of: planned.event, signature: planned.signature)
      let now = planned.time
      let transitions = honest.receive(text: copy.text, description: "", presentedAt: now, now: now)
      #expect(client.receive(text: copy.text, description: "", presentedAt: now, now: now) == transitions)
      for other in forged {
        #expect(client.receive(text: other.text, description: "", presentedAt: now, now: now).isEmpty)
        #expect(client.receive(tag: try EventCopy(of: other.event).encodedTag(), presentedAt: now, now: now).isEmpty)
      }
    }
    #expect(client.unusable == 50 && client.state == honest.state && client.state.phase == .ended)
  }

  @Test func otherTagsAreNone() throws {
    var client = GameClient()
    #expect(client.receive(text: "Ada", description: "artist", presentedAt: .zero, now: .zero).isEmpty && client.unusable == 0)
    let damaged = Self.copies[0].text.replacing("Friday", with: "Friend")
    #expect(client.receive(text: damaged, description: "startGame", presentedAt: .zero, now: .zero).isEmpty && client.unusable == 1)
    let tag = try Self.copies[1].encodedTag()
    for length in 0..<tag.count {
      var client = GameClient()
      #expect(client.receive(tag: tag.prefix(length), presentedAt: .zero, now: .zero).isEmpty && client.unusable == 1)
    }
  }

  @Test func damagedTagsNeverMakeAnotherEvent() throws {
    var random = SeededNumbers(seed: 7)
    for copy in Self.copies {
      let tag = try copy.encodedTag()
      for _ in 0..<300 {
        var changed = tag
        changed[Int.random(in: 0..<tag.count, using: &random)] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        var client = GameClient()
        _ = client.receive(tag: changed, presentedAt: copy.programmeTime ?? .zero, now: copy.programmeTime ?? .zero)
        var whole = GameClient()
        _ = whole.receive(copy, presentedAt: copy.programmeTime ?? .zero, now: copy.programmeTime ?? .zero)
        #expect(client.state == GameState() || client.state == whole.state)
      }
    }
  }
}
