package import Basics
package import Reach
package import Scoring

/// How a hosted game is played.
package struct GameRules: Equatable, Sendable {
  /// How answers are scored.
  package var scoring = ScoringRules.standard
  /// The maximum distance behind the live edge of viewers whose answers count. The result is shown this long after the time is up at the live edge.
  package var delay = MediaTime(seconds: 12)
  /// Whether ``delay`` stays as it is, also if viewers turn out to be further behind.
  package var hasFixedDelay = false
  /// How each question's delay follows what viewers report; `nil` if it does not.
  package var autoDelay: AnswerDelay?
  /// How long a question accepts answers.
  package var allottedTime = MediaTime(seconds: 10)
  /// How long a result is shown before the next question, if the plan is followed without a host.
  package var pause = MediaTime(seconds: 8)
  /// The maximum number of players.
  package var mostPlayers = 1_000_000
  /// The teams; `nil` if everybody plays alone.
  package var teams: TeamRules?

  /// The usual rules.
  package init() {}

  static let delays = MediaTime.zero...MediaTime(seconds: 120)
  private static let allottedTimes = MediaTime(seconds: 1)...MediaTime(seconds: 600)
  private static let pauses = MediaTime(seconds: 1)...MediaTime(seconds: 3_600)
  private static let players = 1...Roster.largestCount

  /// Changes the rules that an object names.
  ///
  /// - Throws: ``HostingProblem`` with the pointer to the first one that is wrong.
  package mutating func change(_ object: JSONObject) throws(HostingProblem) {
    var points: TeamScoring?
    for member in object.members {
      switch member.key {
      case "scoring":
        guard let text = member.value.string else {
          throw .invalid("/rules/scoring", "write rules such as \"right\" or \"speed:1000:500\"")
        }
        do throws(ScoringRulesError) { scoring = try ScoringRules(parsing: text) } catch { throw .invalid("/rules/scoring", "\(error)") }
      case "delay": delay = try Self.seconds(member, Self.delays)
      case "fixedDelay":
        guard let isFixed = member.value.bool else { throw .invalid("/rules/fixedDelay", "write true or false") }
        hasFixedDelay = isFixed
      case "delayBounds": autoDelay = try Self.bounds(member)
      case "allottedTime": allottedTime = try Self.seconds(member, Self.allottedTimes)
      case "pause": pause = try Self.seconds(member, Self.pauses)
      case "mostPlayers":
        guard let count = member.value.int(in: Self.players) else {
          throw .invalid("/rules/mostPlayers", "write a number from 1 to \(Roster.largestCount)")
        }
        mostPlayers = count
      case "teams":
        let names = try TeamRules.names(member.value)
        teams = TeamRules(names: names, scoring: teams?.scoring ?? .mean)
      case "teamPoints":
        guard let scoring = member.value.string.flatMap({ TeamScoring($0) }) else {
          throw .invalid("/rules/teamPoints", "write \"mean\", \"sum\", or \"best:3\" with a number from 1 to 100")
        }
        points = scoring
      default:
        throw .invalid(
          "/rules/\(member.key)",
          "there is no such rule; there are scoring, delay, fixedDelay, delayBounds, allottedTime, pause, mostPlayers, teams and teamPoints"
        )
      }
    }
    if let points { teams?.scoring = points }
  }

  private static func bounds(_ member: JSONObject.Member) throws(HostingProblem) -> AnswerDelay {
    let times = member.value.array?.compactMap { $0.number.flatMap { MediaTime(decimalSeconds: $0.text) } } ?? []
    guard times.count == 2, member.value.array?.count == 2, let delay = AnswerDelay(times[0], times[1]) else {
      throw .invalid("/rules/delayBounds", "write two numbers of seconds from 0 to 120, such as [2,45]")
    }
    return delay
  }

  private static func seconds(_ member: JSONObject.Member, _ range: ClosedRange<MediaTime>) throws(HostingProblem) -> MediaTime {
    guard let number = member.value.number, let time = MediaTime(decimalSeconds: number.text), range.contains(time) else {
      throw .invalid(
        "/rules/\(member.key)",
        "write seconds from \(range.lowerBound.shortestDecimalSeconds) to \(range.upperBound.shortestDecimalSeconds)")
    }
    return time
  }

  /// The rules as JSON, as ``change(_:)`` reads them.
  package var object: JSONObject {
    var object = JSONObject(fields: ["scoring": scoring.description, "delay": delay]).with("fixedDelay", hasFixedDelay ? true : nil)
      .with("delayBounds", autoDelay.map { [$0.bounds.lowerBound, $0.bounds.upperBound] })
      .with("allottedTime", allottedTime).with("pause", pause).with("mostPlayers", mostPlayers)
    if let teams {
      object.append("teams", teams.value)
      object.append("teamPoints", teams.scoring.text)
    }
    return object
  }
}
