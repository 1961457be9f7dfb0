import Basics
import CuelightClient
import EventSchedule
import TestSupport

/// A show as a stream carries it: the copies of its events and when they are presented, on the programme's timeline.
struct SimulatedShow {
  static let allotted = MediaTime(seconds: 10)
  static let length = MediaTime(seconds: 180)
  static let segment = MediaTime(seconds: 6)
  static let frame = MediaTime(ticks: 3_600)

  /// When each question is asked.
  let questions: [(guid: GUID, time: MediaTime)]
  let copies: [EventSchedule.TimedCopy]

  init(_ random: inout SeededNumbers) throws {
    var events = [SampleGame.event("sim", "start", 1, at: 90_000, .startGame(StartGame(title: "Simulated", totalQuestions: 6)))]
    var questions: [(guid: GUID, time: MediaTime)] = []
    for number in 1...6 {
      let time = Int64(number * 25 - 15) * 90_000 + Int64(random.below(5 * 90_000))
      let guid = SampleGame.guid("sim-ask\(number)")
      let question = AskQuestion(
        question: "Question \(number)?", answers: ["yes", "no"], questionNumber: number, allottedTime: Self.allotted, correctAnswer: 0)
      events.append(SampleGame.event("sim", "ask\(number)", number * 2, at: time, .askQuestion(question)))
      let result = ShowResults(questionGuid: guid, questionNumber: number, correctAnswer: 0)
      events.append(SampleGame.event("sim", "show\(number)", number * 2 + 1, at: time + 12 * 90_000, .showResults(result)))
      questions.append((guid, MediaTime(ticks: time)))
    }
    events.append(SampleGame.event("sim", "end", 14, at: 175 * 90_000, .endGame(EndGame(totalQuestions: 6))))
    var schedule = EventSchedule(events, policy: CopyPolicy())
    var copies: [EventSchedule.TimedCopy] = []
    var time = MediaTime.zero
    while time < Self.length {
      if time.ticks % Self.segment.ticks == 0 {
        if time > .zero { copies += try schedule.endSegment(at: time) }
        schedule.startSegment(at: time)
      }
      copies += try schedule.copies(before: .init(time: time, duration: Self.frame))
      time += Self.frame
    }
    self.questions = questions
    self.copies = copies
  }
}

/// How a viewer watches, and what the player hands over.
struct SimulatedViewer: CustomStringConvertible {
  enum Roll: CaseIterable { case none, announced, unannounced }
  enum Background: CaseIterable { case none, withSeek, withoutSeek }
  enum Delivery: CaseIterable { case onTime, ahead, atOnce, late }

  /// The player's time of the timeline origin without an ad.
  var clock: MediaTime
  /// Where in the programme the viewer joins.
  var join: MediaTime
  /// How long an ad plays before the programme, in the same timeline.
  var preRoll: MediaTime
  var midRoll: Roll
  /// Where in the programme the ad stands, and how long it is.
  var ad: (at: MediaTime, duration: MediaTime)
  var pauses: Bool
  var background: Background
  /// From when the viewer is away, in the programme.
  var away: MediaTime
  var switchesRendition: Bool
  var delivery: Delivery
  var byText: Bool

  static let absence = MediaTime(seconds: 30)

  /// One of all combinations, by its number, with times that the numbers decide.
  init(_ number: Int, _ random: inout SeededNumbers) {
    var rest = number
    func choose(_ count: Int) -> Int { defer { rest /= count }; return rest % count }
    func seconds(_ range: Range<Int>) -> MediaTime {
      MediaTime(ticks: Int64(range.lowerBound) * 90_000 + Int64(random.below(range.count * 90_000)))
    }
    midRoll = Roll.allCases[choose(3)]
    background = Background.allCases[choose(3)]
    delivery = Delivery.allCases[choose(4)]
    pauses = choose(2) == 1
    switchesRendition = choose(2) == 1
    clock = [MediaTime.zero, MediaTime(seconds: 3_600), MediaTime(ticks: 8_589_934_592), seconds(0..<100_000)][choose(4)]
    preRoll = choose(2) == 1 ? MediaTime(seconds: 15) : .zero
    join = choose(2) == 1 ? seconds(5..<60) : .zero
    byText = choose(2) == 1
    ad = (seconds(70..<100), seconds(5..<40))
    away = seconds(110..<130)
  }

  static let combinations = 3 * 3 * 4 * 2 * 2 * 4 * 2 * 2 * 2

  var description: String {
    """
    clock \(clock.decimalSeconds) join \(join.decimalSeconds) pre \(preRoll.decimalSeconds) mid \(midRoll) at \(ad.at.decimalSeconds) for \
    \(ad.duration.decimalSeconds) pauses \(pauses) background \(background) from \(away.decimalSeconds) switches \(switchesRendition) \(delivery)
    """
  }

  /// The player's time of a programme time.
  func playerTime(_ time: MediaTime) -> MediaTime {
    clock + preRoll + time + (midRoll != .none && time >= ad.at ? ad.duration : .zero)
  }
}

/// What came of it.
struct SimulatedWatching {
  var asked: [GUID: [MediaTime]] = [:]
  /// By question, when its copies were handed over, in order.
  var delivered: [GUID: [MediaTime]] = [:]
  var final = GameState()
}

extension SimulatedViewer {
  private enum Action {
    case copy(EventCopy, presentedAt: MediaTime)
    case tick
    case discontinuity
    case seek
  }

  /// When a copy that is presented at a player's time is handed over.
  private func handover(_ presented: MediaTime, from start: MediaTime) -> MediaTime {
    switch delivery {
    case .onTime: max(presented, start)
    case .ahead: max(presented - MediaTime(seconds: 8), start)
    case .atOnce: start
    case .late: max(presented + MediaTime(ticks: 40_000), start)
    }
  }

  func watch(_ show: SimulatedShow) throws -> SimulatedWatching {
    let start = preRoll > .zero && join == .zero ? clock : playerTime(join)
    let awayRange = background == .none ? nil : playerTime(away)..<(playerTime(away) + Self.absence)
    var actions: [(time: MediaTime, order: Int, action: Action)] = []
    for copy in show.copies where copy.time >= join {
      let presented = playerTime(copy.time)
      let time = handover(presented, from: start)
      // Nothing is handed over while the viewer is away, and a live stream goes on behind that.
      if let awayRange, awayRange.contains(time), delivery != .atOnce { continue }
      actions.append((time, 0, .copy(copy.copy, presentedAt: presented)))
      // Another rendition repeats what is near the switch.
      let switching = playerTime(MediaTime(seconds: 64))
      if switchesRendition, (presented - switching).magnitude < MediaTime(seconds: 4), time <= switching {
        actions.append((max(switching, start), 1, .copy(copy.copy, presentedAt: presented)))
      }
    }
    let end = playerTime(SimulatedShow.length)
    var tick = start
    while tick < end {
      if awayRange?.contains(tick) != true { actions.append((tick, 2, .tick)) }
      tick += MediaTime(ticks: 22_500)
    }
    if midRoll == .announced, playerTime(join) < playerTime(ad.at) - ad.duration {
      for time in [playerTime(ad.at) - ad.duration, playerTime(ad.at)] where time > start { actions.append((time, -1, .discontinuity)) }
    }
    if background == .withSeek, let awayRange, awayRange.upperBound > start { actions.append((awayRange.upperBound, -2, .seek)) }
    let order = actions.indices.sorted { (actions[$0].time, actions[$0].order, $0) < (actions[$1].time, actions[$1].order, $1) }

    var client = GameClient()
    var watching = SimulatedWatching()
    func take(_ transitions: [GameTransition], at now: MediaTime) {
      for transition in transitions where transition.kind == .questionAsked {
        if let guid = transition.guid { watching.asked[guid, default: []].append(now) }
      }
    }
    var now = start
    for index in order {
      let (time, _, action) = actions[index]
      // A timer goes off at each deadline, unless the viewer is away.
      while let deadline = client.nextDeadline, deadline < time, awayRange?.contains(deadline) != true {
        now = max(now, deadline)
        take(client.advance(to: now), at: now)
      }
      now = time
      switch action {
      case .tick: take(client.advance(to: now), at: now)
      case .discontinuity: client.discontinuity()
      case .seek: take(client.seek(to: now), at: now)
      case .copy(let copy, let presented):
        watching.delivered[copy.event.guid, default: []].append(now)
        if byText {
          take(client.receive(text: copy.text, description: "", presentedAt: presented, now: now), at: now)
        } else {
          take(client.receive(tag: try copy.encodedTag(), presentedAt: presented, now: now), at: now)
        }
      }
      // A pause stops the player's clock: nothing is called for a while but with the same time.
      if pauses, index % 50 == 0 { take(client.advance(to: now), at: now) }
    }
    take(client.finish(now: end), at: end)
    watching.final = client.state
    return watching
  }
}
