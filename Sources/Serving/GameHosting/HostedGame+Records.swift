import Basics
import GameEvents
import Questions
import Scoring

/// The history of a game: changes are records, and records change the game.
extension HostedGame {
  mutating func add(_ record: HostingRecord, _ change: inout Change) {
    if case .removed(let player) = record { for erasure in erasures(of: player) { add(erasure, &change) } }
    change.records.append(record)
    change.messages += apply(record)
    note(record, &change)
  }

  /// The change that consists of one record.
  mutating func change(_ record: HostingRecord) -> Change {
    var change = Change()
    add(record, &change)
    return change
  }

  /// Applies a record from the store; returns the messages to the host.
  @discardableResult
  package mutating func restore(_ record: HostingRecord) -> [HostMessage] { apply(record) }

  /// Makes the scoreboards again, after records and answers are restored: answers are read after the records that they belong to.
  package mutating func republish() {
    areBoardsStale = false
    let shown = asked.indices.filter { asked[$0].phase == .shown }
    guard !shown.isEmpty || endedAt != nil else { return }
    boards = []
    var game = scored
    for index in asked.indices {
      guard asked[index].opensAt != nil else { continue }
      game.receive([unscoredQuestion(index)])
    }
    scored = game
    // Predictions are settled between later results.
    let settled = asked.indices.compactMap { index in asked[index].settlement?.placedAt.map { (index, time: $0, settles: true) } }
    for (index, _, _) in settled { asked[index].settlement?.placedAt = nil }
    for index in shown { asked[index].phase = .decided }
    let results = shown.map { (index: $0, time: asked[$0].shownAt ?? .zero, settles: false) } + settled
    for (index, time, settles) in results.sorted(by: { ($0.time, $0.settles ? 1 : 0) < ($1.time, $1.settles ? 1 : 0) }) {
      if settles { showSettlement(index, at: time) } else { show(index, at: time) }
    }
    if let endedAt { publish(Board(results: scored.results(of: GameID(settings.id), top: Self.boardCount, at: endedAt))) }
  }

  /// Continues decisions that were not finished when the process ended.
  package mutating func resume() {
    for index in asked.indices where asked[index].phase == .deciding { asked[index].phase = .open }
  }

  mutating func apply(_ record: HostingRecord) -> [HostMessage] {
    switch record {
    case .started(let guid):
      let cue = cue(.startGame, guid).with("title", settings.title).with("totalQuestions", questionCount)
      start = Outgoing(guid: guid, cue: cue)
      return [.started]
    case .asked(let guid, let question):
      guard settings.questions.indices.contains(question) else { return [] }
      upcoming.removeAll { $0 == question }
      asked.append(Asked(guid: guid, quizIndex: question, totalQuestions: questionCount + 1))
      return [.asked(guid, number: asked.count)]
    case .placed(let guid, let time): return applyPlace(guid, time)
    case .closed(let index, let time):
      guard asked.indices.contains(index) else { break }
      asked[index].closesAt = time
    case .adjusting(let guid, let index, let time):
      guard asked.indices.contains(index) else { break }
      asked[index].adjustment = Adjustment(guid: guid, allottedTime: time)
      asked[index].adjustmentCount += 1
    case .withdrawn(let guid):
      for index in asked.indices where asked[index].adjustment?.guid == guid { asked[index].adjustment = nil }
      for index in asked.indices where asked[index].settlement?.guid == guid { asked[index].settlement = nil }
    case .voided(let index):
      guard asked.indices.contains(index) else { return [] }
      asked[index].phase = .voided
      asked[index].shownAt = asked[index].closesAt
      return [.voided(asked[index].guid)]
    case .decided(let guid, let index, let cue):
      guard asked.indices.contains(index) else { return [] }
      (asked[index].result, asked[index].resultCue, asked[index].phase) = (guid, cue, .decided)
      return [.decision(guid)]
    case .settled(let guid, let index, let answer, let cue):
      guard asked.indices.contains(index) else { return [] }
      asked[index].settlement = Settlement(guid: guid, answer: answer, cue: cue)
      return [.decision(guid)]
    case .ending: isEnding = true
    case .ended(let guid, let cue):
      end = Outgoing(guid: guid, cue: cue)
      return [.ended]
    case .finished(let moment): finishedAt = moment
    case .kicked(let player):
      guard player < scored.roster.count else { return [] }
      takeOut(player)
      return [.kicked(player)]
    case .removed(let player):
      guard player < scored.roster.count, let mark = try? Nickname(PlayerIndex.mark(of: player)) else { return [] }
      players.forget(player, scored.roster.nicknames[player])
      recorded.forget(player)
      teams.set(nil, of: player)
      scored.rename(PlayerID(player), to: mark)
      published.rename(PlayerID(player), to: mark)
      takeOut(player)
      return [.removed(player)]
    case .automatic(let isOn): isAutomatic = isOn
    case .planned(let start, let entry): (startsAt, entryOpensAt) = (start, entry)
    case .written(let number, let content):
      write(content, number: number)
      return [.questions(upcoming: upcoming.count)]
    case .arranged(let numbers):
      upcoming = numbers.filter { mayAsk($0) }
      return [.questions(upcoming: upcoming.count)]
    case .delayed(let delay):
      settings.rules.delay = delay
      return [.delayed(delay)]
    case .recorded(let line): recorded.append(line)
    case .erased(let question, let leaves): recorded.erase(question, leaves)
    case .command(let id):
      commands.insert(id)
      commandOrder.append(id)
      if commandOrder.count > Self.mostCommands { commands.remove(commandOrder.removeFirst()) }
    }
    return []
  }

  mutating func takeOut(_ player: Int) {
    players.kick(player)
    scored.remove(PlayerID(player))
    published.remove(PlayerID(player))
    ranks = nil
    // Making the scoreboards again takes a while in a large game, and everybody who answers in the meantime would wait for it: the player leaves the
    // scoreboards at once, and the others move up when no question is open.
    guard current == nil else {
      areBoardsStale = true
      return
    }
    republish()
  }

  /// Makes the scoreboards again if a player was removed while others answered.
  mutating func refresh() {
    guard areBoardsStale, current == nil || asked.last?.phase == .decided else { return }
    republish()
  }

  mutating func applyPlace(_ guid: GUID, _ time: MediaTime) -> [HostMessage] {
    var type: EventType?
    if start?.guid == guid { (startedAt, type) = (time, .startGame) }
    if end?.guid == guid {
      (endedAt, type) = (time, .endGame)
      publish(Board(results: scored.results(of: GameID(settings.id), top: Self.boardCount, at: time)))
    }
    for index in asked.indices {
      if asked[index].guid == guid, asked[index].opensAt == nil {
        (asked[index].opensAt, type) = (time, .askQuestion)
        asked[index].streamClosesAt = time + allottedTime(of: question(index))
        asked[index].closesAt = asked[index].streamClosesAt
        if asked[index].phase == .asking { asked[index].phase = .open }
        scored.receive([unscoredQuestion(index)])
        scored.reserve(question(index).right, question(index).task.grading, of: guid)
      }
      if asked[index].adjustment?.guid == guid {
        applyAdjustment(index, time)
        type = .adjustTime
      }
      if asked[index].result == guid {
        show(index, at: time)
        type = .showResults
      }
      if asked[index].settlement?.guid == guid {
        showSettlement(index, at: time)
        type = .showResults
      }
    }
    return type.map { [.placed($0, guid, at: time)] } ?? []
  }

  /// Changes the time for answers in the same way as all readers of the stream: an event that arrives when the time is up changes nothing.
  mutating func applyAdjustment(_ index: Int, _ time: MediaTime) {
    guard let adjustment = asked[index].adjustment else { return }
    asked[index].adjustment = nil
    guard let opens = asked[index].opensAt, let closes = asked[index].streamClosesAt, time < closes else { return }
    let content = AdjustTime(questionGuid: asked[index].guid, allottedTime: adjustment.allottedTime)
    let end = content.end(ofQuestionFrom: opens, adjustedAt: time)
    // A question that is closed here stays closed.
    if asked[index].closesAt == closes { (asked[index].closesAt, asked[index].closedAt) = (end, nil) }
    asked[index].streamClosesAt = end
    scored.receive([unscoredQuestion(index)])
  }

  /// Adds a result to the points in the same way as all readers of the stream.
  mutating func show(_ index: Int, at time: MediaTime) {
    guard asked[index].opensAt != nil, asked[index].phase == .decided else { return }
    (asked[index].phase, asked[index].shownAt) = (.shown, time)
    var question = shownQuestion(index)
    question.result = asked[index].result
    scored.receive([question])
    publish(Board(scoreboard: scored.scoreboard(of: GameID(settings.id), after: question.guid, top: Self.boardCount, at: time)))
  }

  /// A question whose result is in the stream.
  func shownQuestion(_ index: Int) -> ScoredQuestion {
    var question = scoredQuestion(index)
    // In the stream a question is closed by the end of its time, or by its result.
    if let time = asked[index].shownAt {
      question.closesAt = max(min(asked[index].streamClosesAt ?? time, time), asked[index].opensAt ?? .zero)
    }
    return question
  }

  mutating func publish(_ board: Board) {
    (published, ranks) = (scored, nil)
    var board = board
    board.teams = teamPlaces(at: board.scoreboard?.time ?? endedAt)
    // Where each of up to a thousand teams stands is asked of the latest scoreboard alone.
    if let last = boards.indices.last, let teams = boards[last].teams { boards[last].teams = Array(teams.prefix(Self.boardCount)) }
    boards.append(board)
  }

  // MARK: Cues

  func ask(_ asked: Asked) -> Outgoing {
    let question = settings.questions[asked.quizIndex]
    var cue = cue(.askQuestion, asked.guid)
    for member in question.taskObject.members where member.key != "correct" { cue.append(member.key, member.value) }
    if let right = question.right { cue.append(right.key, right.json) }
    cue = cue.with("allottedTime", allottedTime(of: question))
      .with("totalQuestions", asked.totalQuestions).with("category", question.category)
      .with("difficulty", question.difficulty?.rawValue)
    return Outgoing(guid: asked.guid, cue: cue)
  }

  func adjust(_ index: Int, _ adjustment: Adjustment) -> Outgoing {
    let cue = cue(.adjustTime, adjustment.guid).with("questionNumber", streamNumber(index))
    return Outgoing(guid: adjustment.guid, cue: cue.with("allottedTime", adjustment.allottedTime))
  }

  func cue(_ type: EventType, _ guid: GUID) -> JSONObject { ResultCue.beginning(type, guid, game: settings.id) }
}
