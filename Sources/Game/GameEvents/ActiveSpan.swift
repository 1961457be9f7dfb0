// An event is active from its time until another event ends it (see "Copies" in the wire format).

extension GameEvent {
  /// Whether this event, which comes after `earlier`, ends the active span of `earlier`.
  ///
  /// Events of other types than the game's six are active only for as long as their cue sheet says, or until another game starts.
  public func endsActiveSpan(of earlier: GameEvent) -> Bool {
    guard gameID == earlier.gameID else { return type == .startGame }
    switch (earlier.content, content) {
    case (.startGame, .endGame): return true
    case (.askQuestion, .showResults(let results)): return results.questionGuid == earlier.guid
    case (.askQuestion, .askQuestion), (.askQuestion, .endGame): return true
    case (.adjustTime(let adjusted), .showResults(let results)): return results.questionGuid == adjusted.questionGuid
    case (.adjustTime, .adjustTime), (.adjustTime, .askQuestion), (.adjustTime, .endGame): return true
    case (.showResults, .askQuestion), (.showResults, .endGame): return true
    case (.periodicInfo, .periodicInfo), (.periodicInfo, .endGame): return true
    default: return false
    }
  }
}
