import Basics
import GameEvents
import Sheets

/// Gives sequence numbers: the given one, or the one after that of the event before.
struct SequenceNumbering: Sendable {
  private var last = 0
  private var given: [Int: SheetPlace] = [:]

  /// Reserves all numbers up to this one.
  mutating func reserve(upTo sequence: Int) { last = max(last, sequence) }

  mutating func next(for cue: Cue, _ problems: inout [SheetProblem]) -> Int {
    guard let sequence = cue.sequence else {
      last += 1
      given[last] = cue.place
      return last
    }
    if let other = given[sequence.value] {
      problems.report(
        at: sequence.place, "the sequence number \(sequence.value) is already that of the cue in line \(other.line); write another")
    } else if sequence.value < last {
      problems.report(
        at: sequence.place, "the sequence number \(sequence.value) is below \(last) of the cue before it in time; write a larger one")
    }
    given[sequence.value] = given[sequence.value] ?? cue.place
    last = max(last, sequence.value)
    return sequence.value
  }
}

/// Numbers questions and ties results to them.
struct QuestionNumbering: Sendable {
  /// A question that was asked.
  struct Question: Sendable {
    var cue: Cue.Question
    var number: Int
    var place: SheetPlace
    var guid: GUID?
    var salt: String?
    var resultPlace: SheetPlace?
    /// Whether it is a prediction whose results have not said yet which answer is right.
    var isUnsettled = true
  }

  private var questions: [Question] = []
  private var indices: [Int: Int] = [:]

  var count: Int { questions.count }

  /// Adds a question and gives its number: the given one, or the one after that of the question before.
  mutating func add(_ cue: Cue.Question, at place: SheetPlace, _ problems: inout [SheetProblem]) -> Int {
    let number = cue.questionNumber?.value ?? (questions.last?.number ?? 0) + 1
    if let index = indices[number] {
      problems.report(
        at: cue.questionNumber?.place ?? place,
        "the question number \(number) is already that of the question in line \(questions[index].place.line); write another")
    } else {
      indices[number] = questions.count
    }
    questions.append(Question(cue: cue, number: number, place: place))
    return number
  }

  /// Sets the identifier and the salt of the question that was added last.
  mutating func identifyLast(_ guid: GUID, salt: String?) {
    guard let last = questions.indices.last else { return }
    questions[last].guid = guid
    questions[last].salt = salt
  }

  /// Returns the question that a cue refers to: the one of the given number, or the one asked last.
  ///
  /// - Parameters:
  ///   - name: The name of the cue in problems.
  ///   - mustExist: Whether such a cue without a question is reported.
  func question(
    _ number: Placed<Int>?, of name: String, at place: SheetPlace, mustExist: Bool, _ problems: inout [SheetProblem]
  ) -> Question? {
    index(number, of: name, at: place, mustExist: mustExist, &problems).map { questions[$0] }
  }

  private func index(
    _ number: Placed<Int>?, of name: String, at place: SheetPlace, mustExist: Bool, _ problems: inout [SheetProblem]
  ) -> Int? {
    if let index = number.map({ indices[$0.value] }) ?? questions.indices.last { return index }
    if mustExist {
      let missing = number.map { "no question \($0.value) is asked before this \(name)" } ?? "no question is asked before this \(name)"
      problems.report(at: number?.place ?? place, "\(missing); add an askQuestion or move the \(name)")
    }
    return nil
  }

  /// Returns the question of a result. A question has one result; a prediction may have a further one, which says what is right.
  ///
  /// - Parameter mustExist: Whether a result without a question is reported.
  mutating func question(of cue: Cue.Results, at place: SheetPlace, mustExist: Bool, _ problems: inout [SheetProblem]) -> Question? {
    guard let index = index(cue.questionNumber, of: "result", at: place, mustExist: mustExist, &problems) else { return nil }
    let settles = questions[index].cue.task.kind == .prediction && questions[index].isUnsettled && cue.correct != nil
    if let first = questions[index].resultPlace, !settles {
      problems.report(
        at: place,
        "question \(questions[index].number) already has a result in line \(first.line); remove one, or write questionNumber: to name another"
      )
    }
    if cue.correct != nil { questions[index].isUnsettled = false }
    questions[index].resultPlace = questions[index].resultPlace ?? place
    return questions[index]
  }
}

/// Finds events that receivers could not tell apart.
struct IdentifierCheck: Sendable {
  private var guids: [GUID: SheetPlace] = [:]
  private var checksums: [UInt32: SheetPlace] = [:]
  /// The checksums of the identifiers that the sheet gives, which derived identifiers must avoid.
  private let given: Set<UInt32>
  /// Whether two identifiers may have one checksum, since event messages get ids of their own.
  private var allowsEqualChecksums = false

  /// A check of events that arrive one by one.
  static let ofLiveEvents: IdentifierCheck = {
    var check = IdentifierCheck()
    check.allowsEqualChecksums = true
    return check
  }()

  init(of cues: [Cue] = []) { given = Set(cues.compactMap { cue in cue.guid.map { CRC32MPEG2.checksum($0.value.text) } }) }

  /// Whether another identifier has, or will have, the checksum of this one. Among 100,000 derived identifiers one such case is to be expected.
  func hasChecksum(of guid: GUID) -> Bool {
    let checksum = CRC32MPEG2.checksum(guid.text)
    return checksums[checksum] != nil || given.contains(checksum)
  }

  mutating func check(_ guid: GUID, _ cue: Cue, _ problems: inout [SheetProblem]) {
    let place = cue.guid?.place ?? cue.place
    if let other = guids[guid] {
      problems.report(at: place, "the guid \(guid.text.quoted) is already that of the cue in line \(other.line); write another")
      return
    }
    guids[guid] = cue.place
    if allowsEqualChecksums { return }
    // The `id` of an `emsg` box is this checksum, and players keep only the first of several with the same `id`.
    let checksum = CRC32MPEG2.checksum(guid.text)
    if let other = checksums[checksum] {
      problems.report(at: place, "the guid \(guid.text.quoted) has the same CRC-32 as that of the cue in line \(other.line); write another")
    } else {
      checksums[checksum] = cue.place
    }
  }
}

/// Finds events of the game outside the game.
enum GameOrder {
  /// Reports events after the end, and an end before the start, in cues sorted by time.
  static func problems(of cues: [Cue]) -> [SheetProblem] {
    var problems = [SheetProblem]()
    guard let end = cues.firstIndex(where: { $0.type == .endGame }) else { return problems }
    let later = cues[(end + 1)...]
    let startsBefore = cues[..<end].contains { $0.type == .startGame }
    if !startsBefore, let start = later.first(where: { $0.type == .startGame }) {
      problems.report(at: cues[end].place, "this endGame comes before the startGame in line \(start.place.line); move it after it")
      return problems
    }
    for cue in later where EventType.known.contains(cue.type) {
      problems.report(
        at: cue.place, "this \(cue.type) comes after the endGame in line \(cues[end].place.line), when the game is over; move or remove it")
    }
    return problems
  }
}
