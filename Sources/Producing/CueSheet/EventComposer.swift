import Basics
package import EventSchedule
package import GameEvents
import Seals
package import Sheets

/// Makes the events of one game, one cue after another: assigns sequence numbers, ties results to questions, and makes identifiers and seals.
///
/// Cues must be in the order of their times. Later cues are not known.
package struct EventComposer: Sendable {
  private let game: String
  private let policy: CopyPolicy
  private let answers: CueSheet.AnswerMode
  private let sign: EventSigner?
  /// Reads the files of ID3 tags; `nil` if the game takes no tags.
  private var readTag: TagFileReader?
  private var defaults = CueDefaults()
  /// The number of questions in the game, unless a cue says otherwise; `nil` until a cue says it.
  private var totalQuestions: Int?
  /// Whether a result without its question is a mistake: the question may be in a cue that could not be read.
  private var knowsAllQuestions = true
  /// Whether a question may have no right answer: it is a poll, or its result says which one is right.
  private var allowsPolls = false
  private var numbering = SequenceNumbering()
  private var questions = QuestionNumbering()
  private var identifiers = IdentifierCheck()
  /// The mistakes in the cues so far.
  private(set) var problems = [SheetProblem]()

  /// The maximum number of identifiers that are tried for an event until one has a unique checksum. Even the largest sheets hardly ever need a
  /// fourth.
  private static let mostAttempts = 4

  /// A composer for a game whose cues arrive one by one.
  ///
  /// - Parameters:
  ///   - title: The title of the show, for a start that does not give it.
  ///   - policy: How events are repeated, which decides how large their tags become.
  ///   - answers: Whether the right answers are sealed.
  ///   - sign: Signs each event; `nil` for no signatures.
  ///   - knowsAllQuestions: Whether a result without its question is a mistake.
  package init(
    game: String, title: String? = nil, policy: CopyPolicy, answers: CueSheet.AnswerMode, sign: EventSigner? = nil,
    knowsAllQuestions: Bool = true
  ) {
    (self.game, self.policy, self.answers, self.sign) = (game, policy, answers, sign)
    self.knowsAllQuestions = knowsAllQuestions
    defaults.title = title
    (identifiers, allowsPolls) = (.ofLiveEvents, true)
  }

  /// A composer for the cues of a sheet, which are known from the start.
  ///
  /// - Parameter knowsAllQuestions: Whether all cues could be read.
  init(
    game: String, policy: CopyPolicy, answers: CueSheet.AnswerMode, sign: EventSigner?, readTag: @escaping TagFileReader, cues: [Cue],
    knowsAllQuestions: Bool
  ) {
    self.init(game: game, policy: policy, answers: answers, sign: sign, knowsAllQuestions: knowsAllQuestions)
    allowsPolls = false
    self.readTag = readTag
    identifiers = IdentifierCheck(of: cues)
    let given = cues.lazy.compactMap { cue -> Int? in if case .startGame(let start) = cue.content { start.totalQuestions } else { nil } }
    totalQuestions = given.first ?? cues.count { if case .askQuestion = $0.content { true } else { false } }
  }

  /// Skips sequence numbers up to this one, because unknown earlier events may have used them.
  package mutating func reserve(upTo sequence: Int) { numbering.reserve(upTo: sequence) }

  /// Composes a live event, whose time is not known yet, from a cue without `at`.
  ///
  /// - Parameter guid: The identifier of the event, if the cue has none.
  /// - Throws: ``SheetError`` with every mistake in the cue, which then has no effect: the next event gets the sequence number that this one would
  ///   have had.
  package mutating func event(of cue: SheetNode, guid: GUID) throws(SheetError) -> PlannedEvent {
    var composer = self
    composer.problems = []
    var event: PlannedEvent?
    if var read = CueReader.read(cue, defaults, clock: nil, &composer.problems) {
      if read.guid == nil { read.guid = Placed(guid, at: cue.place) }
      event = composer.compose(read)
    }
    guard let event, composer.problems.isEmpty else { throw SheetError(composer.problems) }
    self = composer
    return event
  }

  /// Composes the event of a cue; `nil` if the cue lacks something, which has been reported.
  mutating func compose(_ cue: Cue) -> PlannedEvent? {
    // A tag is no event of the game, and takes no number.
    if case .id3(let id3) = cue.content { return id3.flatMap { tag($0, cue) } }
    let sequence = numbering.next(for: cue, &problems)
    switch cue.content {
    case .id3: return nil
    case .startGame(let start):
      guard let title = start.title else { return nil }
      totalQuestions = totalQuestions ?? start.totalQuestions
      let total = start.totalQuestions ?? totalQuestions ?? 0
      return event(
        .startGame(StartGame(title: title, totalQuestions: total, startsIn: start.startsIn, startsAt: start.startsAt)), cue, sequence)
    case .askQuestion(let question): return ask(question, cue, sequence)
    case .adjustTime(let adjustment): return adjust(adjustment, cue, sequence)
    case .periodicInfo(let info, let counters):
      return info.flatMap { event(.periodicInfo($0), cue, sequence, unknownKeys: counters) }
    case .showResults(let results): return show(results, cue, sequence)
    case .endGame(let end):
      let total = end.totalQuestions ?? questions.count
      let content = EndGame(totalQuestions: total, winners: end.winners, leaderboard: end.leaderboard, record: end.record)
      return event(.endGame(content), cue, sequence)
    case .custom(let keys, let currentFor):
      var event = event(.custom(cue.type, keys), cue, sequence)
      event?.currentFor = currentFor
      return event
    }
  }

  private mutating func tag(_ cue: ID3Cue, _ whole: Cue) -> PlannedEvent? {
    guard let readTag else {
      return problems.refuse(at: whole.place, "a live game takes no ID3 tags of others; stamp writes them into files")
    }
    guard let bytes = cue.bytes(readTag, at: whole.place, &problems) else { return nil }
    guard bytes.count <= policy.largestTagSize else {
      let help = policy.largestTagSize < CopyPolicy.largestPESPayload ? "; make it smaller or raise --max-tag-size" : "; make it smaller"
      return problems.refuse(at: whole.place, "the tag has \(bytes.count) bytes, above the limit of \(policy.largestTagSize)\(help)")
    }
    let time = whole.at ?? .zero
    let content = "\(time.ticks)\n\(Base64.encode(bytes))"
    let derived = (0..<Self.mostAttempts).compactMap { GUID(game: game, deciding: content, kind: .id3, attempt: $0) }
    let free = whole.guid?.value ?? derived.first { !identifiers.hasChecksum(of: $0) }
    guard let guid = free else {
      return problems.refuse(at: whole.place, "there are several equal tags at this time; remove all but one")
    }
    identifiers.check(guid, whole, &problems)
    return PlannedEvent(tag: bytes, at: time, guid: guid, game: game, copies: cue.copies ?? 1, currentFor: cue.currentFor)
  }

  private mutating func ask(_ cue: Cue.Question, _ whole: Cue, _ sequence: Int) -> PlannedEvent? {
    let number = questions.add(cue, at: whole.place, &problems)
    guard let text = cue.question, let choice = cue.answers, cue.right != nil || allowsPolls || !cue.task.kind.needsRight else {
      return nil
    }
    var question = AskQuestion(
      question: text, task: cue.task, answers: choice, questionNumber: number, totalQuestions: cue.totalQuestions ?? totalQuestions,
      allottedTime: cue.allottedTime, category: cue.category, difficulty: cue.difficulty, media: cue.media, worth: cue.worth)
    guard let guid = guid(.askQuestion(question), whole, sequence) else { return nil }
    switch (answers, cue.right) {
    case (_, nil): questions.identifyLast(guid, salt: nil)
    case (.open, let right?):
      questions.identifyLast(guid, salt: nil)
      question.right = right
    case (.sealed(let key), let right?):
      let salt = AnswerSeal.salt(key: key, guid: guid, question: text, answers: choice, right: right)
      questions.identifyLast(guid, salt: salt)
      question.seal = AnswerSeal.seal(salt: salt, guid: guid, right: right)
    }
    return event(.askQuestion(question), whole, sequence, guid: guid)
  }

  private mutating func adjust(_ cue: Cue.Adjustment, _ whole: Cue, _ sequence: Int) -> PlannedEvent? {
    let question = questions.question(cue.questionNumber, of: "adjustTime", at: whole.place, mustExist: knowsAllQuestions, &problems)
    guard let guid = question?.guid, let allottedTime = cue.allottedTime else { return nil }
    return event(.adjustTime(AdjustTime(questionGuid: guid, allottedTime: allottedTime)), whole, sequence)
  }

  private mutating func show(_ cue: Cue.Results, _ whole: Cue, _ sequence: Int) -> PlannedEvent? {
    guard let question = questions.question(of: cue, at: whole.place, mustExist: knowsAllQuestions, &problems) else { return nil }
    if let choice = question.cue.answers {
      for (key, list) in [("counts", cue.counts), ("points", cue.points)] {
        guard let list, list.value.count != choice.count else { continue }
        let numbers = list.value.count.of("number")
        problems.report(at: list.place, "\(key.quoted) has \(numbers), but the question has \(choice.count) answers; write one for each")
      }
    }
    guard let guid = question.guid else { return nil }
    let right = right(of: question, cue)
    guard right != nil || allowsPolls || !question.cue.task.kind.needsRight else { return nil }
    let results = ShowResults(
      questionGuid: guid, questionNumber: question.number, right: right, salt: question.salt, counts: cue.counts?.value,
      histogram: cue.histogram, texts: cue.texts, points: cue.points?.value, explanation: cue.explanation, url: cue.url,
      leaderboard: cue.leaderboard)
    let settles = question.cue.task.kind == .prediction && right != nil
    return event(.showResults(results), whole, sequence, guid: settles ? settlingGUID(guid, whole) : nil)
  }

  private func settlingGUID(_ question: GUID, _ cue: Cue) -> GUID? {
    cue.guid?.value ?? usable((0..<Self.mostAttempts).lazy.compactMap { GUID(game: game, settling: question.text, attempt: $0) })
  }

  /// The right answer of a question, or of its result; `nil` if no answer is right, or if that is not known yet.
  private mutating func right(of question: QuestionNumbering.Question, _ cue: Cue.Results) -> RightAnswer? {
    guard let correct = cue.correct else { return question.cue.right }
    guard question.cue.right == nil else {
      return problems.refuse(at: correct.place, "the right answer is filled in from the question; remove it")
    }
    let count = problems.count
    guard let choice = question.cue.answers,
      let right = correct.value.right(of: question.cue.task, among: choice, at: correct.place, &problems)
    else {
      guard problems.count == count else { return nil }
      let choice = (question.cue.answers ?? []).map(\.quoted).joined(separator: ", ")
      return problems.refuse(at: correct.place, "the right answer is none of the question's; they are \(choice)")
    }
    return right
  }

  private func guid(_ content: EventContent, _ cue: Cue, _ sequence: Int, unknownKeys: JSONObject = JSONObject()) -> GUID? {
    if let given = cue.guid?.value { return given }
    let derived = (0..<Self.mostAttempts).lazy.compactMap { attempt in
      switch content {
      case .showResults(let results): GUID(game: game, deciding: results.questionGuid.text, kind: .showResults, attempt: attempt)
      case .endGame: GUID(game: game, deciding: "", kind: .endGame, attempt: attempt)
      default: GUID(game: game, sequence: sequence, content: content, unknownKeys: unknownKeys, attempt: attempt)
      }
    }
    return usable(derived)
  }

  /// The first identifier whose checksum no other one has.
  private func usable(_ derived: some Sequence<GUID>) -> GUID? {
    derived.first { !identifiers.hasChecksum(of: $0) } ?? derived.first { _ in true }
  }

  private mutating func event(
    _ content: EventContent, _ cue: Cue, _ sequence: Int, guid given: GUID? = nil, unknownKeys: JSONObject = JSONObject()
  ) -> PlannedEvent? {
    guard let guid = given ?? guid(content, cue, sequence, unknownKeys: unknownKeys) else { return nil }
    let event = GameEvent(guid: guid, game: game, sequence: sequence, at: cue.at, content: content, unknownKeys: unknownKeys)
    identifiers.check(guid, cue, &problems)
    let signature = sign?(event.signedBytes)
    if sign != nil, signature == nil { problems.report(at: cue.place, "the event cannot be signed") }
    let planned = PlannedEvent(event, signature: signature)
    checkSize(of: planned, at: cue.place)
    return planned
  }

  private mutating func checkSize(of planned: PlannedEvent, at place: SheetPlace) {
    do throws(EventError) {
      let size = try policy.largestTagSize(of: planned.event, signature: planned.signature)
      guard size > policy.largestTagSize else { return }
      let help = policy.largestTagSize < CopyPolicy.largestPESPayload ? " or raise --max-tag-size" : ""
      problems.report(
        at: place, "the event's tag has up to \(size) bytes, above the limit of \(policy.largestTagSize); shorten its texts\(help)")
    } catch {
      problems.report(at: place, "the event cannot be written: \(error); shorten its texts")
    }
  }
}
