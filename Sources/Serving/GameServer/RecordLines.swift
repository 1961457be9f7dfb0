import AnswerIntake
import Basics
import GameEvents
import GameHosting
import Scoring

/// Writes the actions of a game's players as lines of JSON that `cuelight replay --answers` reads.
struct RecordLines: Sendable {
  private let nicknames: [String]
  private let joinTimes: [MediaTime?]
  private let kicked: Set<Int>
  private let questions: [(guid: GUID, form: AnswerForm)]

  init(_ runner: GameRunner) {
    (nicknames, joinTimes, kicked, questions) = runner.look { game in
      let roster = game.scored.roster
      let kicked = Set(roster.nicknames.indices.filter { game.isKicked($0) })
      return (
        roster.nicknames.map(\.text), roster.players.map { roster.joinTime(of: $0) }, kicked,
        game.asked.indices.map { (game.asked[$0].guid, game.form(of: $0)) }
      )
    }
  }

  /// The players, by their places.
  var players: Range<Int> { nicknames.indices }

  /// Appends the line that says when a player joined.
  func appendJoin(of player: Int, to bytes: inout [UInt8]) {
    guard !kicked.contains(player) else { return }
    append(AudienceRecord.join(nickname: nicknames[player], at: joinTimes[player]), to: &bytes)
  }

  /// Appends the line of an answer.
  ///
  /// - Parameter arrival: The answer's place in the order of arrival.
  func append(_ answer: PackedAnswer, arrival: Int64, to bytes: inout [UInt8]) {
    let player = Int(answer.player)
    guard player < nicknames.count, !kicked.contains(player), Int(answer.question) < questions.count,
      let given = answer.given(questions[Int(answer.question)].form)
    else { return }
    append(
      AudienceRecord.answer(
        nickname: nicknames[player], question: .guid(questions[Int(answer.question)].guid), answer: given, time: answer.time,
        arrival: arrival),
      to: &bytes)
  }

  private func append(_ record: AudienceRecord, to bytes: inout [UInt8]) {
    bytes += Array(record.line.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }
}
