package import AnswerIntake
package import Basics
package import GameEvents
import Nicknames
package import PublicRecord
package import Questions
package import Scoring

/// A game that a host leads, or that follows its plan without a host: its players, its questions, and their results.
///
/// It uses no clock, disk or network. Everything that happens is a ``HostingRecord``; a caller that changes the game has to store the records before
/// anybody learns of them. The same records, players and answers make the same game again.
package struct HostedGame: Sendable {
  /// The properties that stay the same from the beginning to the end.
  package struct Settings: Sendable {
    /// The game's name in the stream and in addresses.
    package var id: String
    /// The code that players type to join.
    package var code: String
    /// The title of the show.
    package var title: String
    /// The questions by their numbers, from 0: those of the quiz, in its order, and after them those that the host has written.
    package var questions: [Question]
    /// The questions of the quiz as the game was made with them, once the host has changed the questions.
    var quiz: [Question]?
    /// The rules of the game.
    package var rules: GameRules
    /// The address of the scoreboards; `nil` if it is unknown.
    package var boardAddress: String?
    /// The maximum size of an event's tag in bytes.
    package var largestTagSize = TagLimit.standard
    /// What a public record needs; `nil` if none is kept.
    package var recording: Recording?

    /// Whether nobody may join after the first question: in a game that eliminates players, or deducts points, a fresh start would be worth more than
    /// continuing, and anybody can come back as a new player.
    package var endsEntry: Bool {
      let scoring = rules.scoring
      return scoring.elimination != nil || (scoring.points != nil && questions.contains { $0.points?.contains { $0 < 0 } ?? false })
    }

    package init(id: String, code: String, title: String, questions: [Question], rules: GameRules) {
      (self.id, self.code, self.title, self.questions, self.rules) = (id, code, title, questions, rules)
    }
  }

  /// Where the show is.
  package struct Moment: Equatable, Sendable {
    /// The programme time at the live edge; `nil` as long as there is no stream.
    package var edge: MediaTime?
    /// Milliseconds since 1970.
    package var wallClock: Int64
    /// Whether the stream has ended, so that nothing follows.
    package var hasEnded: Bool
    /// The condition of the stream for viewers.
    package var stream: StreamCondition

    package init(edge: MediaTime?, wallClock: Int64, hasEnded: Bool = false, stream: StreamCondition = StreamCondition()) {
      (self.edge, self.wallClock, self.hasEnded, self.stream) = (edge, wallClock, hasEnded, stream)
    }
  }

  /// A question that was asked.
  package struct Asked: Equatable, Sendable {
    /// The progress of a question.
    package enum Phase: String, Equatable, Sendable {
      /// Its event is on the way into the stream.
      case asking
      /// It accepts answers, at the live edge or behind it.
      case open
      /// The last answers are being stored; new answers are refused.
      case deciding
      /// The result's event is on the way into the stream.
      case decided
      /// The result is in the stream.
      case shown
      /// There is no result.
      case voided
    }

    package var guid: GUID
    /// Its number in ``Settings/questions``.
    package var quizIndex: Int
    /// How many questions the game had when this one was asked: those that were asked, and those that were to come.
    package var totalQuestions: Int
    package var phase = Phase.asking
    /// Its time in the stream.
    package var opensAt: MediaTime?
    /// The time until which it accepts answers.
    package var closesAt: MediaTime?
    /// When that time was at the live edge, in milliseconds since 1970.
    var closedAt: Int64?
    /// The time until which it accepts answers according to the stream; `nil` before the question is in the stream.
    var streamClosesAt: MediaTime?
    /// The change of its time whose event is on the way into the stream.
    var adjustment: Adjustment?
    /// The number of changes of its time.
    var adjustmentCount = 0
    /// The latest time of an accepted answer.
    var latestAnswer: MediaTime?
    /// The result.
    package var result: GUID?
    package var resultCue: JSONObject?
    package var shownAt: MediaTime?
    /// What is right in a prediction, once the host has said it.
    package var settlement: Settlement?
  }

  /// A change of a question's time for answers.
  package struct Adjustment: Equatable, Sendable {
    package var guid: GUID
    /// How long the question is to accept answers; zero ends it at the event.
    package var allottedTime: MediaTime
  }

  /// An event on its way into the stream.
  package struct Outgoing: Equatable, Sendable {
    package var guid: GUID
    package var cue: JSONObject
  }

  /// A scoreboard that everybody may see.
  package struct Board: Sendable {
    /// The scoreboard after a question; `nil` for the one at the end.
    package var scoreboard: Scoreboard?
    /// The results, at the end.
    package var results: GameResults?
    /// The teams, the best first; `nil` in a game without teams.
    package var teams: [TeamPlace]?

    /// The first players.
    package var leaders: [Standing] { scoreboard?.leaders ?? results?.leaders ?? [] }
  }

  /// The outcome of a change.
  package struct Change: Sendable {
    /// The records to store before anybody learns of them.
    package var records: [HostingRecord] = []
    /// The question whose answers must all be stored before ``HostedGame/decide(_:now:)`` may be called.
    package var closing: Int?
    /// The messages to the host.
    package var messages: [HostMessage] = []
    /// Why a line of the public record could not be signed: then none of the records may be stored; `nil` if all are.
    package internal(set) var signingFailure: RecordSigningError?

    /// Nothing has changed.
    package init() {}
  }

  /// The properties that stay the same from the beginning to the end.
  package var settings: Settings
  /// The questions that were asked, in this order. An answer's `question` is an index into them.
  package internal(set) var asked: [Asked] = []
  /// The numbers of the questions that are to be asked, in this order.
  package internal(set) var upcoming: [Int]
  /// The players and the answers that are stored.
  package internal(set) var scored: ScoredGame
  /// The players and points that are public: without results that are not in the stream.
  package internal(set) var published: ScoredGame
  /// The scoreboards so far.
  package internal(set) var boards: [Board] = []
  /// Whether the scoreboards list players who were removed.
  package internal(set) var areBoardsStale = false
  /// The show's start, once its event is on the way.
  package internal(set) var start: Outgoing?
  var startedAt: MediaTime?
  /// Whether the host wants the end as soon as the result that is decided is in the stream.
  package internal(set) var isEnding = false
  /// The end, once it is decided.
  package internal(set) var end: Outgoing?
  package internal(set) var endedAt: MediaTime?
  /// When the end was decided, in milliseconds since 1970; `nil` for games that an earlier version has ended.
  package internal(set) var finishedAt: Int64?
  /// Whether the plan is followed without a host.
  package internal(set) var isAutomatic = false
  /// When the game is to begin, in milliseconds since 1970.
  package internal(set) var startsAt: Int64?
  /// When players may begin to join, in milliseconds since 1970; `nil` for at once.
  package internal(set) var entryOpensAt: Int64?
  /// The ranks on the latest scoreboard, once a caller has asked for one.
  var ranks: RankTable?
  var players = PlayerIndex()
  /// The public record.
  var recorded = RecordedAnswers()
  /// The teams of the players.
  package internal(set) var teams = TeamIndex()
  var commands: Set<String> = []
  var commandOrder: [String] = []
  /// The number of the latest batch of answers.
  var latestBatch = 0
  /// The number of the last information about the audience.
  var infoNumber: Int64?

  /// The maximum number of commands that are remembered.
  static let mostCommands = 10_000
  /// How many players the leaderboard of a result names.
  package static let leaderCount = 3
  /// How many players a board lists.
  package static let boardCount = 100
  /// How often information about the audience goes into the stream.
  static let infoInterval = MediaTime(seconds: 10)

  /// A game in which nothing has happened.
  package init(_ settings: Settings) {
    self.settings = settings
    // What the host changes is in the records.
    if let quiz = settings.quiz { (self.settings.questions, self.settings.quiz) = (quiz, nil) }
    upcoming = Array(self.settings.questions.indices)
    scored = ScoredGame(rules: settings.rules.scoring, comparing: NicknameLook.answers)
    published = scored
  }
}

// MARK: - Progress

extension HostedGame {
  /// The public progress of a game.
  package enum Phase: String, CaseIterable, Sendable {
    case lobby, starting, asking, open, closed, result, ended
  }

  /// The progress of the game.
  package func phase(at now: Moment) -> Phase {
    if end != nil { return .ended }
    guard let last = asked.last else { return start == nil ? .lobby : .starting }
    switch last.phase {
    case .asking: return .asking
    case .open: return isClosed(last, now) ? .closed : .open
    case .deciding, .decided: return .closed
    case .shown, .voided: return .result
    }
  }

  func isClosed(_ question: Asked, _ now: Moment) -> Bool {
    guard let edge = now.edge, let closes = question.closesAt else { return false }
    return edge >= closes
  }

  /// Whether nothing more will happen.
  package var isOver: Bool { endedAt != nil || (end != nil && start == nil) }

  /// The index of the question that accepts answers or waits for its result.
  package var current: Int? {
    guard let last = asked.last, ![.shown, .voided].contains(last.phase), end == nil else { return nil }
    return asked.count - 1
  }

  /// Whether there are no more questions to ask.
  package var hasAskedAll: Bool { upcoming.isEmpty }

  /// The number of questions that were asked, and that are to be asked.
  package var questionCount: Int { asked.count + upcoming.count }

  /// When the result of a question is decided, in milliseconds since 1970; `nil` if that is not known.
  package func revealAt(_ question: Asked, now: Moment) -> Int64? {
    guard question.phase == .open, let closes = question.closesAt, let edge = now.edge else { return nil }
    let closed = question.closedAt ?? now.wallClock + milliseconds(closes - edge)
    return closed + milliseconds(settings.rules.delay)
  }

  func milliseconds(_ time: MediaTime) -> Int64 { time.ticks / 90 }

  /// The windows of all questions that were asked, by their identifiers.
  package var windows: [GUID: AnswerWindow] {
    var windows: [GUID: AnswerWindow] = [:]
    for (index, question) in asked.enumerated() {
      guard let opens = question.opensAt, let closes = question.closesAt else { continue }
      windows[question.guid] = AnswerWindow(
        question: UInt32(index), form: form(of: index), opensAt: opens, closesAt: closes,
        delay: settings.rules.delay, isClosed: question.phase != .open)
    }
    return windows
  }

  /// The events that are on the way into the stream, in this order.
  package var outgoing: [Outgoing] {
    var list: [Outgoing] = []
    if let start, startedAt == nil { list.append(start) }
    for (index, question) in asked.enumerated() {
      if question.phase == .asking { list.append(ask(question)) }
      if let adjustment = question.adjustment, question.phase != .voided {
        list.append(adjust(index, adjustment))
      } else if question.phase == .decided, let guid = question.result, let cue = question.resultCue {
        list.append(Outgoing(guid: guid, cue: cue))
      } else if let settlement = question.settlement, settlement.placedAt == nil {
        list.append(Outgoing(guid: settlement.guid, cue: settlement.cue))
      }
    }
    // A game that never began leaves no trace in the stream.
    if let end, endedAt == nil, start != nil { list.append(end) }
    return list
  }

  /// The scoreboard of a number, from 1, without players who were removed.
  package func board(_ number: Int) -> Board? {
    guard boards.indices.contains(number - 1) else { return nil }
    var board = boards[number - 1]
    guard areBoardsStale else { return board }
    board.scoreboard?.leaders.removeAll { isKicked($0.player.index) }
    board.results?.leaders.removeAll { isKicked($0.player.index) }
    board.results?.winners.removeAll { isKicked($0.player.index) }
    return board
  }

  /// The players whom the host has removed, by their places; at most the last `most` of them.
  package func kickedPlayers(_ most: Int) -> [Int] { Array(players.kicked.subtracting(players.removed).sorted().suffix(most)) }

  /// The number of players who are in the game.
  package var playerCount: Int { scored.roster.count - players.kicked.count }
}
