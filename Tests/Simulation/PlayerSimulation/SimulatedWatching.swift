import Basics
import CuelightClient

/// What a viewer saw of a show.
package struct SimulatedWatching: Sendable {
  /// By question, when it was asked, by the player's clock.
  var asked: [GUID: [MediaTime]] = [:]
  /// By event, from when its copies can be known, in order: when they were handed over, but not before the programme begins.
  var delivered: [GUID: [MediaTime]] = [:]
  var final = GameState()
  /// How many transitions there were.
  var transitions = 0
  /// All of them in words, with the states that they led to.
  private(set) var record: [UInt8] = []

  /// Sees transitions at a time of the player.
  mutating func see(_ transitions: [GameTransition], at now: MediaTime) {
    for transition in transitions {
      self.transitions += 1
      let state = transition.state
      let words = """
        \(now.ticks) \(transition.kind.text) \(transition.time.ticks) \(transition.eventTime.ticks) \(transition.guid?.text ?? "-") \
        \(state.phase.text) \(state.question?.guid.text ?? "-") \(state.question?.closesAt.ticks ?? 0) \(state.correctAnswer ?? -1)

        """
      record += words.utf8
      if transition.kind == .questionAsked, let guid = transition.guid { asked[guid, default: []].append(now) }
    }
  }

  /// Where a question was not asked exactly once and on time, although the tags allow it, each in words.
  package func faults(of viewer: SimulatedViewer, _ show: SimulatedShow) -> [String] {
    var faults: [String] = []
    for question in show.questions {
      let name = question.guid.text
      let asked = asked[question.guid] ?? []
      let opens = viewer.playerTime(question.time)
      let closes = viewer.playerTime(question.time + SimulatedShow.allotted)
      let delivered = (delivered[question.guid] ?? []).sorted()
      if asked.count > 1 { faults.append("\(name) was asked \(asked.count) times, opens \(opens.decimalSeconds): \(viewer.description)") }
      if viewer.announcesPreRoll, let first = asked.first, first < viewer.start + viewer.preRoll {
        faults.append("\(name) was asked in the ad in front, at \(first.decimalSeconds): \(viewer.description)")
      }
      // Whoever came late, or was away, may know it from a refresh only.
      if let absence = viewer.absence, opens < absence.upperBound, closes > absence.lowerBound { continue }
      // Two copies must have come before the question closes: the first behind an ad that nobody announced is not trusted.
      guard delivered.count >= 2, delivered[1] < closes - MediaTime(seconds: 1) else { continue }
      guard let first = asked.first else {
        faults.append("\(name) was not asked, opens \(opens.decimalSeconds): \(viewer.description)")
        continue
      }
      let latest = max(opens, delivered[1]) + SimulatedShow.frame
      if first < opens - SimulatedShow.frame || first > latest {
        faults.append("\(name) was asked at \(first.decimalSeconds) instead of \(opens.decimalSeconds): \(viewer.description)")
      }
    }
    if final.phase != .ended { faults.append("the game has not ended: \(viewer.description)") }
    return faults
  }
}
