public import Basics
import GameEvents
public import Scoring

extension Scoreboard {
  /// The scoreboard as a line of `replay --json`.
  public var object: JSONObject {
    let question = summary.question
    var object = JSONObject()
    object.append("type", "scoreboard")
    object.append("time", time)
    object.append("game", game.text)
    object.append("question", question.guid.text)
    object.append("number", question.number)
    object.append("correctAnswer", orNull: question.correctAnswer)
    if let right = question.right, right.index == nil { object.append(right.key, right.json) }
    object.append("counts", summary.counts)
    if let histogram = summary.histogram { object.append("histogram", histogram.object) }
    if let texts = summary.texts { object.append("texts", texts.object) }
    object.append("taken", summary.taken)
    object.append("tooLate", summary.tooLate)
    object.append("tooEarly", summary.tooEarly)
    object.append("otherwiseRefused", summary.otherwiseRefused)
    object.append("scored", summary.isScored)
    object.append("players", playerCount)
    object.append("playersLeft", playersLeft)
    object.append("leaders", leaders.map { $0.object })
    return object
  }
}

extension GameResults {
  /// The results as lines of `replay --json`: the winners, then the leaders.
  public var objects: [JSONObject] { winners.map { object("winner", $0) } + leaders.map { object("player", $0) } }

  private func object(_ type: String, _ standing: Standing) -> JSONObject {
    var object = JSONObject()
    object.append("type", type)
    object.append("game", game.text)
    object.appendAbsent(standing.object)
    return object
  }
}

extension Standing {
  /// The standing as JSON.
  public var object: JSONObject {
    var object = JSONObject()
    object.append("rank", rank)
    object.append("player", nickname.text)
    object.append("score", score)
    object.append("right", right)
    object.append("answered", answered)
    object.append("outAt", orNull: outAt)
    return object
  }
}
