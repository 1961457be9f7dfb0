import Basics
import EventSchedule
public import GameEvents
import Seals
import Sheets

/// The cue sheet of the events in a stream. Stamping it makes the same events again.
///
/// GUIDs are kept. Right answers are those of the results, if these open the seals of their questions.
public struct ExtractedSheet: Equatable, Sendable {
  /// Something that the sheet cannot say about an event, or that must be added by hand.
  public struct Remark: Equatable, Sendable {
    /// Whether the sheet cannot be stamped as it is.
    public var isMissing: Bool
    /// What it is, in words.
    public var text: String
  }

  /// The sheet.
  public private(set) var sheet: CueSheetText
  /// What a producer should know.
  public private(set) var remarks: [Remark] = []
  /// The size in bytes that the largest tag of the sheet may reach, if stamping does not accept it by default.
  public private(set) var largeTag: Int?

  /// Makes the sheet of the events of a game.
  ///
  /// - Parameters:
  ///   - events: The events in their order, each with its time.
  ///   - game: The game.
  ///   - comments: Lines at the top of the sheet.
  public init(_ events: [GameEvent], of game: GameID, comments: [String]) {
    let answers = Self.rightAnswers(events)
    sheet = CueSheetText(comments: comments, game: game, events, rightAnswers: answers)
    remark(events, answers)
    check(events)
  }

  /// Whether the sheet can be stamped as it is.
  public var isComplete: Bool { !remarks.contains { $0.isMissing } }

  /// The right answer of each question whose result opens its seal. Questions that contain it need none.
  private static func rightAnswers(_ events: [GameEvent]) -> [GUID: RightAnswer] {
    var questions: [GUID: AskQuestion] = [:]
    for event in events { if case .askQuestion(let question) = event.content { questions[event.guid] = question } }
    var answers: [GUID: RightAnswer] = [:]
    for case .showResults(let results) in events.map(\.content) {
      guard let question = questions[results.questionGuid], question.task.kind.needsRight, let right = results.right,
        right.belongs(to: question.form)
      else { continue }
      if let seal = question.seal {
        let opens = results.salt.map {
          AnswerSeal.verify(seal: seal, salt: $0, guid: results.questionGuid, right: right)
        }
        guard opens == true else { continue }
      }
      answers[results.questionGuid] = right
    }
    return answers
  }

  private mutating func remark(_ events: [GameEvent], _ answers: [GUID: RightAnswer]) {
    let results = Set(
      events.compactMap { event in if case .showResults(let results) = event.content { results.questionGuid } else { nil } })
    for event in events {
      guard case .askQuestion(let question) = event.content, question.task.kind.needsRight, question.right == nil,
        answers[event.guid] == nil
      else { continue }
      let reason =
        results.contains(event.guid)
        ? "has a result that does not open its seal"
        : question.seal == nil ? "has no right answer" : "is sealed, and its result is not in the stream"
      remarks.append(
        Remark(isMissing: true, text: "question \(question.questionNumber) \(reason): add correct: to its cue, which is at \(event.clock)"))
    }
    if let text = CueSheetText.lostKeys(of: events) { remarks.append(Remark(isMissing: false, text: text)) }
    let custom = events.count(where: \.isCustom)
    if custom > 0 {
      let who = custom.of("event is of a type of its own", "events are of types of their own")
      remarks.append(
        Remark(isMissing: false, text: "\(who): for how long to repeat them is not in the stream; add currentFor: to their cues"))
    }
  }

  /// Reads the sheet as stamping will, and compares it with the events.
  private mutating func check(_ events: [GameEvent]) {
    var whole = sheet
    // Adds placeholders for what a producer has to add.
    for (index, event) in events.enumerated() where whole.cues.indices.contains(index) {
      guard case .askQuestion(let question) = event.content, let right = question.placeholder, whole.cues[index][right.key] == nil else {
        continue
      }
      whole.cues[index].append(right.key, right.json)
    }
    let largest = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)
    do throws(SheetError) {
      let read = try CueSheet.parse(whole.yaml, policy: largest, answers: .open)
      if let event = read.firstDifference(from: events) {
        remarks.append(Remark(isMissing: true, text: "the \(event.type) at \(event.clock) says what no cue sheet can"))
      }
      let size = read.events.compactMap { try? largest.largestTagSize(of: $0.event) }.max() ?? 0
      if size > CopyPolicy().largestTagSize { largeTag = size }
    } catch {
      remarks += error.problems.map { Remark(isMissing: true, text: $0.message) }
    }
  }
}

extension AskQuestion {
  /// A possible right answer, for a question that must have one.
  fileprivate var placeholder: RightAnswer? {
    switch task.kind {
    case .single: .one(0)
    case .multiple: .several([0])
    case .order: .order(Array(answers.indices))
    case .number: task.scale.map { .number($0.least) }
    case .text: AnswerText("?").map { .texts([$0]) }
    case .poll, .prediction, .other: nil
    }
  }
}

extension GameEvent {
  fileprivate var clock: String { (at ?? .zero).clockText }
}

extension CueSheet {
  /// Returns the first event that the sheet does not reproduce, except for what stamping makes again; `nil` if there is none.
  public func firstDifference(from events: [GameEvent]) -> GameEvent? {
    let read = self.events.map { ReadBack($0.event) }
    let written = events.sorted { ($0.at ?? .zero, $0.sequence ?? 0) < ($1.at ?? .zero, $1.sequence ?? 0) }
    guard read.count == written.count else { return written.first }
    return zip(read, written).first { $0 != ReadBack($1) }?.1
  }
}

/// The parts of an event that must be read back from a cue sheet as they were written.
private struct ReadBack: Equatable {
  var time: MediaTime
  var sequence: Int
  var content: EventContent
  var counters = JSONObject()

  init(_ event: GameEvent) {
    time = event.at ?? .zero
    sequence = event.sequence ?? 0
    content = event.content
    if case .askQuestion(var question) = content {
      (question.seal, question.right) = (nil, nil)
      content = .askQuestion(question)
    } else if case .showResults(var results) = content {
      results.salt = nil
      content = .showResults(results)
    } else if case .periodicInfo = content {
      counters = event.unknownKeys
    }
  }
}
