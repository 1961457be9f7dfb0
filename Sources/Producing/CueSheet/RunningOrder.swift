import Basics
public import EventSchedule
import GameEvents
public import Sheets

/// Finds what is odd about the order of a game's events: it is allowed, but players would not see it as intended.
public struct RunningOrder {
  /// A question that was asked.
  private struct Question {
    var number: Int
    var place: SheetPlace
    var opensAt: MediaTime
    var closesAt: MediaTime
    var hasResult = false
  }

  private var warnings: [SheetProblem] = []
  private var questions: [Question] = []
  private var indices: [GUID: Int] = [:]
  /// The first start: its place, and when the game begins.
  private var start: (place: SheetPlace, begins: MediaTime)?
  private let laterStart: SheetPlace?

  /// The warnings about events in the order of their times, each with its place in the text.
  public static func warnings(of events: [PlannedEvent], at places: [SheetPlace]) -> [SheetProblem] {
    let pairs = Array(zip(events, places))
    let types = pairs.map { $0.0.event.type }
    let ofGame = pairs.indices.filter { EventType.known.contains(types[$0]) && types[$0] != .periodicInfo }
    var order = RunningOrder(laterStart: types.firstIndex(of: .startGame).map { pairs[$0].1 })
    for (event, place) in pairs { order.add(event, place) }
    for question in order.questions where !question.hasResult {
      order.warnings.report(
        at: question.place, "question \(question.number) has no result, so that players never see the right answer; add a showResults")
    }
    if let first = ofGame.first, !types.contains(.startGame) {
      order.warnings.report(at: pairs[first].1, "the game has no startGame; add one before this \(types[first])")
    }
    if let last = ofGame.last, !types.contains(.endGame) {
      order.warnings.report(at: pairs[last].1, "the game has no endGame; add one after this \(types[last])")
    }
    return order.warnings.inOrder
  }

  private init(laterStart: SheetPlace?) { self.laterStart = laterStart }

  private mutating func add(_ planned: PlannedEvent, _ place: SheetPlace) {
    let time = planned.time
    switch planned.event.content {
    case .startGame(let content): begin(content, time, place)
    case .askQuestion(let content): ask(content, planned.event.guid, time, place)
    case .adjustTime(let content): adjust(content, time, place)
    case .showResults(let content): show(content, time, place)
    case .endGame:
      guard let open = questions.last, open.closesAt > time else { return }
      warnings.report(
        at: place, "the game ends while question \(open.number) in line \(open.place.line) takes answers, until \(open.closesAt.clockText)")
    case .periodicInfo, .custom: break
    }
  }

  private mutating func begin(_ content: StartGame, _ time: MediaTime, _ place: SheetPlace) {
    guard start == nil else {
      warnings.report(at: place, "the game begins in line \(start?.place.line ?? 0) already, and not again here; remove one startGame")
      return
    }
    start = (place, time + max(content.startsIn ?? .zero, .zero))
  }

  private mutating func ask(_ content: AskQuestion, _ guid: GUID, _ time: MediaTime, _ place: SheetPlace) {
    let name = "question \(content.questionNumber)"
    for advice in content.media.advice(knowsSizes: false) { warnings.report(at: place, "\(name): \(advice)") }
    if let start, time < start.begins {
      warnings.report(
        at: place,
        "\(name) is asked before the game begins at \(start.begins.clockText): the startGame in line \(start.place.line) counts down")
    } else if start == nil, let laterStart {
      warnings.report(at: place, "\(name) is asked before the startGame in line \(laterStart.line); move one of them")
    }
    if let open = questions.last, open.closesAt > time, !open.hasResult {
      warnings.report(
        at: place,
        "\(name) is asked while question \(open.number) in line \(open.place.line) takes answers, until \(open.closesAt.clockText)")
    }
    indices[guid] = questions.count
    questions.append(Question(number: content.questionNumber, place: place, opensAt: time, closesAt: time + content.allottedTime))
  }

  private mutating func adjust(_ content: AdjustTime, _ time: MediaTime, _ place: SheetPlace) {
    guard let index = indices[content.questionGuid] else { return }
    let question = questions[index]
    guard index == questions.count - 1, time < question.closesAt, !question.hasResult else {
      warnings.report(
        at: place, "question \(question.number) in line \(question.place.line) takes no answers any more, so that this changes nothing")
      return
    }
    questions[index].closesAt = content.end(ofQuestionFrom: question.opensAt, adjustedAt: time)
  }

  private mutating func show(_ content: ShowResults, _ time: MediaTime, _ place: SheetPlace) {
    guard let index = indices[content.questionGuid], let last = questions.last else { return }
    let question = questions[index]
    questions[index].hasResult = true
    if index < questions.count - 1, content.questionNumber < last.number {
      // The state machine ignores results of questions before the one that is shown.
      warnings.report(
        at: place,
        "the result of question \(question.number) comes after question \(last.number) in line \(last.place.line), and is not shown any more"
      )
    } else if time < question.closesAt {
      warnings.report(
        at: place,
        "the result of question \(question.number) comes before its time is up at \(question.closesAt.clockText); move it, or shorten allottedTime"
      )
    }
  }
}
