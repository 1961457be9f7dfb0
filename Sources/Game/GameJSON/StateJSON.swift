public import Basics
import GameEvents
public import StateMachine

extension GameTransition {
  /// The transition as a line of `replay --json`, with the state after it.
  public var object: JSONObject {
    var object = JSONObject()
    object.append("type", "transition")
    object.append("time", time)
    object.append("eventTime", eventTime)
    object.append("transition", kind.text)
    object.append("guid", orNull: guid?.text)
    object.append("game", game.text)
    switch kind {
    case .eventLost(let sequences): object.append("sequences", [sequences.lowerBound, sequences.upperBound])
    case .sequenceConflict(let kept): object.append("kept", kept.text)
    case .customEvent(let event): object.append("event", event.object)
    default: break
    }
    object.append("state", state.object)
    return object
  }
}

extension GameState {
  /// The state as JSON. The right answer of an open question is in it from the start.
  public var object: JSONObject {
    var object = JSONObject()
    object.append("phase", phase.text)
    object.append("game", orNull: game?.text)
    object.append("title", orNull: title)
    if let totalQuestions { object.append("totalQuestions", totalQuestions) }
    if phase == .lobby, let start {
      object.append("entryOpensAt", start.entryOpensAt)
      object.append("startsAt", start.startsAt)
      object.append("entryIsOpen", start.isEntryOpen)
    }
    object.append("question", orNull: question?.object(total: totalQuestions))
    object.append("result", orNull: result?.object)
    object.append("info", orNull: info?.object)
    if let ending { object.append("ending", ending.object) }
    object.append("score", score)
    object.append("answered", answered)
    return object
  }
}

extension GameState.Question {
  fileprivate func object(total: Int?) -> JSONObject {
    var object = JSONObject()
    object.append("guid", guid.text)
    object.append("number", content.questionNumber)
    object.append("total", orNull: total)
    object.append("text", content.question)
    content.task.writeKind(to: &object)
    object.append("answers", content.answers)
    object.append("opensAt", opensAt)
    object.append("closesAt", closesAt)
    if let category = content.category { object.append("category", category) }
    if let difficulty = content.difficulty { object.append("difficulty", difficulty) }
    content.task.writeDetails(to: &object)
    content.media.write(to: &object)
    if let worth = content.worth { object.append("points", worth) }
    if let right = content.right { object.append(right.key, right.json) }
    if let adjustment { object.append("adjustment", adjustment.object) }
    // A key of another kind, or with a value of another form, is none of the question's own.
    object.appendAbsent(unknownKeys, except: QuestionTask.keys + QuestionMedia.keys + RightAnswer.keys + ["points", "adjustment"])
    return object
  }
}

extension GameState.Adjustment {
  fileprivate var object: JSONObject {
    var object = JSONObject()
    object.append("guid", guid.text)
    object.append("time", time)
    object.append("allottedTime", content.allottedTime)
    object.appendAbsent(unknownKeys)
    return object
  }
}

extension GameState.Result {
  fileprivate var object: JSONObject {
    var object = EventContent.showResults(content).object
    object.append("seal", seal.text)
    object.appendAbsent(unknownKeys, except: RightAnswer.keys + ["histogram", "texts"])
    return object
  }
}

extension GameState.Info {
  fileprivate var object: JSONObject {
    var object = EventContent.periodicInfo(content).object
    object.appendAbsent(unknownKeys)
    return object
  }
}

extension GameState.Ending {
  fileprivate var object: JSONObject {
    var object = EventContent.endGame(content).object
    object.appendAbsent(unknownKeys)
    return object
  }
}
