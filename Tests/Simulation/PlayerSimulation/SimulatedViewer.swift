package import Basics
import CuelightClient
import EventSchedule
package import GameEvents

/// How a viewer watches, and what the player hands over.
package struct SimulatedViewer: Sendable {
  enum Roll: String, CaseIterable { case none, announced, unannounced }
  enum Background: String, CaseIterable { case none, withSeek, withoutSeek }
  enum Delivery: String, CaseIterable { case onTime, ahead, atOnce, late }

  /// The player's time of the timeline origin without an ad.
  var clock: MediaTime
  /// Where in the programme the viewer joins.
  var join: MediaTime
  /// How long an ad plays before the programme, wherever the viewer joins that, in the same timeline.
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

  static let absenceDuration = MediaTime(seconds: 30)

  /// One of all combinations, by its number, with times that the numbers decide.
  package init(_ number: Int, _ random: inout SeededNumbers) {
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

  /// How many combinations there are.
  package static let combinations = 3 * 3 * 4 * 2 * 2 * 4 * 2 * 2 * 2

  /// How it is, in words.
  package var description: String {
    """
    clock \(clock.decimalSeconds) join \(join.decimalSeconds) pre \(preRoll.decimalSeconds) mid \(midRoll.rawValue) at \
    \(ad.at.decimalSeconds) for \(ad.duration.decimalSeconds) pauses \(pauses) background \(background.rawValue) from \
    \(away.decimalSeconds) switches \(switchesRendition) \(delivery.rawValue) by text \(byText)
    """
  }

  /// When the viewer is away, by the player's clock; `nil` for never.
  var absence: Range<MediaTime>? {
    let start = playerTime(away)
    return background == .none ? nil : start..<(start + Self.absenceDuration)
  }

  /// When the player begins: with the ad, if there is one in front.
  var start: MediaTime { playerTime(join) - preRoll }

  /// Whether the player announces ads, and there is one in front of the programme. Then nothing of the programme is seen meanwhile.
  var announcesPreRoll: Bool { midRoll == .announced && preRoll > .zero }

  /// The player's time of a programme time.
  func playerTime(_ time: MediaTime) -> MediaTime {
    clock + preRoll + time + (midRoll != .none && time >= ad.at ? ad.duration : .zero)
  }
}

// MARK: - Watching

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

  /// What the player does, in the order of its clock.
  private func actions(of show: SimulatedShow, from start: MediaTime, to end: MediaTime) -> [(time: MediaTime, action: Action)] {
    var actions: [(time: MediaTime, order: Int, action: Action)] = []
    for copy in show.copies where copy.time >= join {
      let presented = playerTime(copy.time)
      let time = handover(presented, from: start)
      // Nothing is handed over while the viewer is away, and a live stream goes on behind that.
      if let absence, absence.contains(time), delivery != .atOnce { continue }
      actions.append((time, 0, .copy(copy.copy, presentedAt: presented)))
      // Another rendition repeats what is near the switch.
      let switching = playerTime(MediaTime(seconds: 64))
      if switchesRendition, (presented - switching).magnitude < MediaTime(seconds: 4), time <= switching {
        actions.append((max(switching, start), 1, .copy(copy.copy, presentedAt: presented)))
      }
    }
    var tick = start
    while tick < end {
      if absence?.contains(tick) != true { actions.append((tick, 2, .tick)) }
      tick += MediaTime(ticks: 22_500)
    }
    if midRoll == .announced, playerTime(join) < playerTime(ad.at) - ad.duration {
      for time in [playerTime(ad.at) - ad.duration, playerTime(ad.at)] where time > start { actions.append((time, -1, .discontinuity)) }
    }
    if announcesPreRoll { for time in [start, start + preRoll] { actions.append((time, -1, .discontinuity)) } }
    if background == .withSeek, let absence, absence.upperBound > start { actions.append((absence.upperBound, -2, .seek)) }
    let order = actions.indices.sorted { (actions[$0].time, actions[$0].order, $0) < (actions[$1].time, actions[$1].order, $1) }
    return order.map { (actions[$0].time, actions[$0].action) }
  }

  /// Watches a show to its end.
  package func watch(_ show: SimulatedShow) throws(EventError) -> SimulatedWatching {
    let end = playerTime(SimulatedShow.length)
    var client = GameClient()
    var watching = SimulatedWatching()
    var now = start
    for (number, (time, action)) in actions(of: show, from: start, to: end).enumerated() {
      // A timer goes off at each deadline, unless the viewer is away.
      while let deadline = client.nextDeadline, deadline < time, absence?.contains(deadline) != true {
        now = max(now, deadline)
        watching.see(client.advance(to: now), at: now)
      }
      now = time
      switch action {
      case .tick: watching.see(client.advance(to: now), at: now)
      case .discontinuity: client.discontinuity()
      case .seek: watching.see(client.seek(to: now), at: now)
      case .copy(let copy, let presented):
        // In front of the programme nothing is known yet.
        let known = announcesPreRoll && now < start + preRoll ? presented : now
        watching.delivered[copy.event.guid, default: []].append(known)
        if byText {
          watching.see(client.receive(text: copy.text, description: "", presentedAt: presented, now: now), at: now)
        } else {
          watching.see(client.receive(tag: try copy.encodedTag(), presentedAt: presented, now: now), at: now)
        }
      }
      // A pause stops the player's clock: nothing is called for a while but with the same time.
      if pauses, number % 50 == 0 { watching.see(client.advance(to: now), at: now) }
    }
    watching.see(client.finish(now: end), at: end)
    watching.final = client.state
    return watching
  }
}
