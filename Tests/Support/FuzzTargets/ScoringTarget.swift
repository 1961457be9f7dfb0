import Basics
import GameEvents
import Scoring

extension FuzzTarget {
  /// A scored game: whatever the order in which its players join, its answers and its events come, the scoreboard is the same. The first two bytes
  /// choose the rules and the order, then there is a line for each copy of an event or record of the audience.
  static let scoring = FuzzTarget("scoring") { bytes in
    var input = FuzzInput(bytes)
    let (rules, seed) = (ScoredDeed.rules[Int(input.next()) % ScoredDeed.rules.count], input.next())
    guard let rules = try? ScoringRules(parsing: rules) else { throw Finding("no rules: \(rules)") }
    let deeds = ScoredDeed.all(in: input.rest)
    let expected = board(deeds, rules)
    var generator = SeededNumbers(seed: UInt64(seed))
    for _ in 0..<3 { try require(board(deeds.shuffled(using: &generator), rules, looksOften: true), equals: expected, "scoreboard") }
  }

  /// What the scoreboard shows and what became of the answers, a line each.
  private static func board(_ deeds: [ScoredDeed], _ rules: ScoringRules, looksOften: Bool = false) -> [String] {
    var game = ScoredGame(rules: rules)
    var log = EventLog()
    for deed in deeds {
      switch deed {
      case .join(let nickname, let time): _ = try? game.join(nickname, at: time)
      case .answer(let nickname, let question, let answer, let time, let arrival):
        guard let player = try? game.entering(nickname) else { continue }
        _ = game.answer(answer, to: question, by: player, at: time, arrival: arrival)
      case .event(let copy, let time):
        _ = log.accept(copy, at: time)
        game.follow(log, game: copy.event.gameID, upTo: MediaTime(ticks: .max)) { seal, salt, _, right in
          seal == "\(salt):\(right.sealedText)"
        }
      }
      if looksOften { _ = (game.leaders(2), game.winners()) }
    }
    let standings = game.standings().map { "\($0.rank) \($0.nickname) \($0.score) \($0.right) \($0.answered) \($0.outAt ?? 0)" }
    let summaries = game.questions.map { question in
      let summary = game.summary(of: question.guid)
      return "\(question) \(summary?.counts ?? []) \(summary?.tooLate ?? 0) \(summary?.tooEarly ?? 0) \(summary?.otherwiseRefused ?? 0)"
    }
    return standings + summaries + ["\(game.winners().map { $0.nickname.text }) \(game.playersLeft())"]
  }
}

/// Something that happens in a scored game.
private enum ScoredDeed {
  case join(String, MediaTime?)
  case answer(String, GUID, Int, MediaTime, Int64)
  case event(EventCopy, MediaTime)

  static let rules = [
    "right", "first", "points", "speed:100:20", "streak:5", "right+first:3+streak:2:3", "elimination", "elimination:1",
    "elimination:1:answered", "first+elimination:2", "right+points+speed:1000+streak:7+elimination:3:answered",
  ]

  /// So many starts of a game are kept: of more, the order matters.
  private static let most = 8

  /// What the lines say, without what cannot be told in any order: an event, a sequence number or a player twice, other games, and the same
  /// nickname in other letters.
  static func all(in bytes: ArraySlice<UInt8>) -> [ScoredDeed] {
    var deeds: [ScoredDeed] = []
    var events: Set<GUID> = []
    var sequences: Set<Int> = []
    var game: GameID?
    var joined: Set<Nickname> = []
    var nicknames: [Nickname: String] = [:]
    for line in bytes.split(separator: 0x0A) {
      if var copy = try? EventCopy(parsing: String(decoding: line, as: UTF8.self), description: "") {
        guard events.count < most, game == nil || game == copy.event.gameID, !sequences.contains(copy.event.sequence ?? 0),
          events.insert(copy.event.guid).inserted
        else { continue }
        if let sequence = copy.event.sequence { sequences.insert(sequence) }
        game = copy.event.gameID
        (copy.copy, copy.age, copy.isVerified) = (1, .zero, true)
        deeds.append(.event(copy, copy.event.at ?? MediaTime(seconds: events.count)))
        continue
      }
      let line = Array(line)
      guard let record = try? AudienceRecord(parsing: line.span) else { continue }
      switch record {
      case .join(let text, let time):
        guard let nickname = try? Nickname(text), joined.insert(nickname).inserted else { continue }
        deeds.append(.join(nicknames[nickname, default: nickname.text], time))
        nicknames[nickname] = nicknames[nickname] ?? nickname.text
      case .answer(let text, let question, let answer, let time, let arrival):
        guard let nickname = try? Nickname(text), let guid = guid(of: question), case .one(let answer) = answer else { continue }
        nicknames[nickname] = nicknames[nickname] ?? nickname.text
        deeds.append(.answer(nicknames[nickname] ?? text, guid, answer, time, arrival ?? 0))
      }
    }
    return deeds
  }

  private static func guid(of question: QuestionReference) -> GUID? {
    switch question {
    case .number(let number): GUID("friday-\(number == 1 ? "ask" : "ask-\(number)")")
    case .guid(let guid): guid
    }
  }
}
