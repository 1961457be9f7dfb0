import AnswerIntake
import Basics
import GameEvents
import Reach
import Testing

@testable import GameHosting

/// What a game does where the picture is away, and where viewers are far behind.
@Suite struct StreamConditionTests {
  /// Viewers of a stream with key frames 250 frames apart.
  static let far = StreamCondition(
    picture: .up,
    lag: .init(
      behind: MediaTime(seconds: 27), furthest: MediaTime(seconds: 37),
      advice: "set the key frame interval to 2 s"))
  private static let near = StreamCondition(
    picture: .up, lag: .init(behind: MediaTime(seconds: 6), furthest: MediaTime(seconds: 9)))
  private static let away = "the picture is away: nobody would see the question"

  private func show(_ condition: StreamCondition, _ change: (inout GameRules) -> Void = { _ in }) -> HostedShow {
    var show = HostedShow(HostedShow.settings(change))
    show.go(to: 10, condition)
    return show
  }

  // MARK: The delay

  /// A viewer who is as far behind as the playlist makes it is counted.
  @Test func theDelayIsRaised() throws {
    var show = show(Self.far) { $0.delay = MediaTime(seconds: 12) }
    try show.join("Ann")
    #expect(try show.command(.next, "n").records.contains(.delayed(MediaTime(seconds: 37))))
    show.placeAll()
    let window = try #require(show.game.windows[HostedShow.asked[0]])
    #expect(window.delay == MediaTime(seconds: 37))
    // At the live edge the question opened 27 seconds ago.
    #expect(window.refusal(.one(0), at: MediaTime(seconds: 11), edge: MediaTime(seconds: 38), joined: .zero) == nil)
    // The same after a restart.
    let again = try show.restored(try #require(show.snapshots.last))
    #expect(again.game.settings.rules.delay == MediaTime(seconds: 37) && again.game.windows == show.game.windows)
  }

  /// It is raised as soon as it is known, once, and never lowered; a question that takes answers keeps the one that it began with.
  @Test func whenItIsRaised() throws {
    var show = show(Self.near) { $0.delay = MediaTime(seconds: 12) }
    #expect(show.advance().records == [])
    try show.ask()
    show.go(to: 12, Self.far)
    #expect(show.advance().records == [])
    try show.command(.void)
    let change = show.advance()
    #expect(change.records == [.delayed(MediaTime(seconds: 37))] && change.messages == [.delayed(MediaTime(seconds: 37))])
    #expect(show.advance().records == [])
    show.go(to: 13, Self.near)
    #expect(show.advance().records == [])
  }

  /// Nobody waits longer than two minutes.
  @Test func theLongestDelay() {
    let lag = StreamCondition.Lag(behind: MediaTime(seconds: 300), furthest: MediaTime(seconds: 401))
    var show = show(StreamCondition(picture: .up, lag: lag))
    #expect(show.advance().records == [.delayed(MediaTime(seconds: 120))])
  }

  @Test func aFixedDelayRefuses() throws {
    var show = show(Self.far) { ($0.delay, $0.hasFixedDelay) = (MediaTime(seconds: 12), true) }
    #expect(show.advance().records == [])
    let reason =
      "viewers are 27 s behind: set the key frame interval to 2 s; answers count up to 12 s behind, so that theirs would not"
    #expect(throws: HostingProblem.unseen(reason)) { try show.command(.next) }
    // The host decides, and is not asked again.
    #expect(try show.command(.nextUnseen, "f").records.contains(.asked(HostedShow.asked[0], question: 0)))
    show.placeAll()
    #expect(show.game.settings.rules.delay == MediaTime(seconds: 12))
    try show.command(.void)
    #expect(try show.command(.next, "n").records == [.asked(HostedShow.asked[1], question: 1), .command(id: "n")])
  }

  /// Who fixes it for viewers of low-latency HLS leaves the others out, and hears it.
  @Test func aFixedDelayForLowLatency() throws {
    var show = show(Self.near) { ($0.delay, $0.hasFixedDelay) = (MediaTime(seconds: 1), true) }
    #expect(show.game.excluded(show.now) == "viewers are 6 s behind; answers count up to 1 s behind, so that theirs would not")
    #expect(try show.command(.next).records.first == .started(HostedShow.start))
  }

  // MARK: A delay that follows the audience

  private static func audience(_ seconds: Int?) -> StreamCondition {
    StreamCondition(
      picture: .up, lag: near.lag, audience: AudienceDelay(sessions: 100, nearlyAll: seconds.map { MediaTime(seconds: $0) }))
  }

  /// Each question has the delay that 99 of 100 viewers need then, longer or shorter; a question that takes answers keeps its own.
  @Test func theDelayFollowsTheAudience() throws {
    var show = show(Self.audience(21)) { $0.autoDelay = AnswerDelay(bounds: MediaTime(seconds: 3)...MediaTime(seconds: 30)) }
    #expect(show.advance().records == [])
    #expect(try show.command(.next, "n").records.contains(.delayed(MediaTime(seconds: 21))))
    show.placeAll()
    show.go(to: 11, Self.audience(29))
    #expect(show.advance().records == [] && show.game.windows[HostedShow.asked[0]]?.delay == MediaTime(seconds: 21))
    try show.command(.void)
    // Nobody moves it beyond the bounds that the host sets.
    for (seconds, delay) in [(120, 30), (1, 3)] {
      show.go(to: 12, Self.audience(seconds))
      let again = try show.restored(try #require(show.snapshots.last))
      var other = again
      other.go(to: 12, Self.audience(seconds))
      #expect(try other.command(.next, "m").records.contains(.delayed(MediaTime(seconds: delay))))
    }
    // Without reports it is what the playlist says.
    show.go(to: 12, Self.audience(nil))
    #expect(try show.command(.next, "m").records.contains(.delayed(MediaTime(seconds: 9))))
  }

  // MARK: The picture

  @Test func goAsksFirst() throws {
    var show = show(StreamCondition(picture: .down))
    #expect(throws: HostingProblem.unseen(Self.away)) { try show.command(.next) }
    #expect(show.game.start == nil)
    try show.command(.nextUnseen)
    show.placeAll()
    // Not the first question alone; everything else is done as ever.
    try show.command(.void)
    #expect(throws: HostingProblem.unseen(Self.away)) { try show.command(.next) }
    show.go(to: 11, Self.near)
    try show.command(.next)
    show.placeAll()
    show.go(to: 12, StreamCondition(picture: .down))
    try show.command(.close)
    try show.command(.end)
  }

  /// A game that follows its plan waits for the picture.
  @Test func thePlanWaits() throws {
    var show = HostedShow()
    try show.plan(automatic: true, startsAt: HostedShow.wallClock(1))
    show.go(to: 10)
    show.advance()
    show.placeAll()
    show.go(to: 20, StreamCondition(picture: .down))
    #expect(show.advance().records == [] && show.game.obstacle(show.now) == Self.away)
    show.go(to: 21, Self.near)
    #expect(show.advance().records == [.asked(HostedShow.asked[0], question: 0)] && show.game.obstacle(show.now) == nil)
  }
}
