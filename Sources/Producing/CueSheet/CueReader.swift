import Basics
import EventSchedule
import GameEvents
import Sheets

/// Reads one cue.
struct CueReader {
  private var fields: SheetFields
  private let defaults: CueDefaults
  /// How the cue writes its time; `nil` for a live event, whose time is known only once it is placed.
  private let clock: SheetClock?

  /// Reads the cue of a node, and reports what is wrong with it. Returns `nil` if not even its type is known.
  static func read(_ node: SheetNode, _ defaults: CueDefaults, clock: SheetClock?, _ problems: inout [SheetProblem]) -> Cue? {
    let message = "a cue is \(node.kind) here; write a mapping such as { at: 5s, event: askQuestion, … }"
    guard let fields = node.fields("this cue", &problems, else: message) else { return nil }
    var reader = CueReader(fields: fields, defaults: defaults, clock: clock)
    let cue = reader.read()
    problems += reader.fields.problems
    return cue
  }

  private mutating func read() -> Cue? {
    let (moment, momentText) = moment()
    guard let node = fields.take("event", isRequired: true), let name = node.text("event", &fields.problems) else { return nil }
    guard let type = type(name, at: node.place) else { return nil }
    if EventType.known.contains(type) || type == .id3 { fields.name = "this \(type) cue" }
    let guid = guid()
    let sequence = fields.placedInteger("sequence", in: Cue.numbers)
    let written = ["eventType", "game", "copy", "copies", "age", "signature", "crc"]
    if type != .id3 { fields.refuse(written, "what cuelight writes into every event") }
    let content = content(of: type)
    fields.refuseRest()
    return Cue(
      place: fields.place, moment: moment, momentText: momentText, type: type, typePlace: node.place, guid: guid, sequence: sequence,
      content: content)
  }

  private mutating func moment() -> (Placed<CueMoment>?, text: String?) {
    guard let clock, let node = fields.take("at", isRequired: true), let moment = clock.moment(node, "at", &fields.problems),
      case .scalar(let scalar) = node
    else { return (nil, nil) }
    return (Placed(moment, at: scalar.place), scalar.text)
  }

  /// Names that people write instead of the names of the game's events.
  private static let shortNames: [String: EventType] = [
    "start": .startGame, "ask": .askQuestion, "question": .askQuestion, "adjust": .adjustTime, "extend": .adjustTime,
    "info": .periodicInfo, "result": .showResults, "results": .showResults, "end": .endGame,
  ]

  /// The type of this name. A name that resembles one of the game's is reported, and then read as that type, so that the rest of the cue is read,
  /// too.
  private mutating func type(_ name: String, at place: SheetPlace) -> EventType? {
    let type = EventType(name)
    guard !EventType.known.contains(type) else { return type }
    if let nearest = name.nearest(of: EventType.known.map(\.text), limit: 2) {
      fields.problems.report(at: place, "unknown event \(name.quoted); did you mean \(nearest.quoted)?")
      return EventType(nearest)
    }
    if let meant = Self.shortNames[name] {
      fields.problems.report(at: place, "unknown event \(name.quoted); did you mean \(meant.text.quoted)?")
      return meant
    }
    // With another type, the right answer would be sent unsealed.
    if fields.rest.contains(where: { $0.key == "correct" || RightAnswer.keys.contains($0.key) }) {
      fields.problems.report(at: place, "only an askQuestion has a right answer; write event: askQuestion instead of \(name.quoted)")
      return .askQuestion
    }
    guard name.utf8.count <= 128, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return fields.problems.refuse(
        at: place, "\(name.quoted) cannot name an event; use up to 128 letters, digits and signs of ASCII without spaces")
    }
    return type
  }

  private mutating func guid() -> Placed<GUID>? {
    guard let node = fields.take("guid"), let text = node.text("guid", &fields.problems) else { return nil }
    guard let guid = GUID(text) else {
      return fields.problems.refuse(at: node.place, "\"guid\" has \(text.utf8.count) bytes; write at most \(GUID.largestLength)")
    }
    return Placed(guid, at: node.place)
  }

  private mutating func content(of type: EventType) -> Cue.Content {
    switch type {
    case .startGame: .startGame(startGame())
    case .askQuestion: .askQuestion(question())
    case .adjustTime: .adjustTime(adjustment())
    case .periodicInfo: periodicInfo()
    case .showResults: .showResults(results())
    case .endGame: .endGame(endGame())
    case .id3: .id3(ID3Cue.read(&fields))
    default: custom()
    }
  }

  private mutating func startGame() -> Cue.Start {
    let titleNode = fields.take("title")
    if titleNode == nil, defaults.title == nil {
      fields.problems.report(at: fields.place, "\"title\" is missing; add it to this cue or at the top of the sheet")
    }
    let title = titleNode.map { $0.text("title", &fields.problems) } ?? defaults.title
    return Cue.Start(
      title: title, totalQuestions: fields.integer("totalQuestions", in: Cue.counts), startsIn: fields.time("startsIn"),
      startsAt: startsAt())
  }

  /// A date and time of ISO 8601, at least to the minute. It is displayed only, so the calendar is not checked.
  private mutating func startsAt() -> String? {
    guard let node = fields.take("startsAt"), let text = node.text("startsAt", &fields.problems) else { return nil }
    guard text.prefixMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}/) != nil else {
      return fields.problems.refuse(at: node.place, "\"startsAt\" is \(text.quoted); write a date and time such as 2026-11-20T20:00:00Z")
    }
    return text
  }

  private mutating func periodicInfo() -> Cue.Content {
    let viewers = fields.integer("viewers", in: Cue.counts, isRequired: true)
    let players = fields.integer("players", in: Cue.counts)
    for member in fields.rest {
      if case .scalar = member.value { continue }
      fields.problems.report(at: member.value.place, "\(member.key.quoted) is \(member.value.kind); write a single value as a counter")
    }
    return .periodicInfo(viewers.map { PeriodicInfo(viewers: $0, players: players) }, fields.readRest())
  }

  private mutating func adjustment() -> Cue.Adjustment {
    fields.refuse(["questionGuid"], "filled in from the question")
    return Cue.Adjustment(
      questionNumber: fields.placedInteger("questionNumber", in: Cue.numbers),
      allottedTime: fields.time("allottedTime", isRequired: true))
  }

  private mutating func results() -> Cue.Results {
    fields.refuse(["salt", "questionGuid"], "filled in from the question")
    return Cue.Results(
      questionNumber: fields.placedInteger("questionNumber", in: Cue.numbers), correct: QuestionAnswers.late(&fields),
      counts: fields.integers("counts", in: Cue.counts), histogram: fields.histogram(),
      texts: fields.textCounts(),
      points: fields.integers("points", in: .min ... .max),
      explanation: fields.text("explanation"), url: fields.text("url"), leaderboard: leaderboard())
  }

  private mutating func endGame() -> Cue.End {
    Cue.End(
      totalQuestions: fields.integer("totalQuestions", in: Cue.counts), winners: fields.texts("winners"), leaderboard: leaderboard(),
      record: fields.text("record"))
  }

  private mutating func custom() -> Cue.Content {
    let currentFor = fields.duration("currentFor")
    return .custom(fields.readRest(), currentFor: currentFor)
  }

  private mutating func leaderboard() -> [LeaderboardEntry]? {
    fields.take("leaderboard")?.list("leaderboard", &fields.problems) { node, problems in
      let message = "a leaderboard entry is \(node.kind) here; write { nickname: …, score: … }"
      guard var entry = node.fields("this leaderboard entry", &problems, else: message) else { return nil }
      let nickname = entry.text("nickname", isRequired: true)
      let score = entry.integer("score", in: .min ... .max, isRequired: true)
      let rest = entry.readRest()
      problems += entry.problems
      guard let nickname, let score else { return nil }
      return LeaderboardEntry(nickname: nickname, score: score, unknownKeys: rest)
    }
  }

  private mutating func question() -> Cue.Question {
    let question = fields.text("question", isRequired: true)
    let task = fields.questionTask()
    // In a live stream the result may say which answer is right. In a sheet the answer was forgotten.
    let (answers, right) = QuestionAnswers.read(task, &fields, isRequired: clock != nil)
    let media = fields.mediaDraft().checked(&fields.problems)
    fields.refuse(["seal"], "computed when the sheet is stamped")
    return Cue.Question(
      question: question, task: task, worth: fields.worth(), answers: answers, right: right,
      questionNumber: fields.placedInteger("questionNumber", in: Cue.numbers),
      totalQuestions: fields.integer("totalQuestions", in: Cue.counts),
      allottedTime: fields.duration("allottedTime") ?? defaults.allottedTime, category: fields.text("category") ?? defaults.category,
      difficulty: fields.text("difficulty") ?? defaults.difficulty, media: media)
  }
}
