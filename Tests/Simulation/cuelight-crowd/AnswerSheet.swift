/// What the players of a squad have sent for a question, and what of it the server says it has recorded.
struct AnswerSheet: Sendable {
  /// An answer: eight bytes, because each player has one for each question.
  struct Entry: Equatable, Sendable {
    /// The programme's time at which it was given, in ticks since the question opened.
    var offset: Int32 = 0
    var answer: UInt8 = 0
    var wasSent = false
    var isRecorded = false
    /// Whether the record has it.
    var isFound = false
  }

  let question: AskedQuestion
  /// By the places of players.
  private var answers: [Entry]
  /// The second answers of those who changed theirs.
  private var changes: [UInt32: Entry] = [:]

  init(_ question: AskedQuestion, players: Int) {
    self.question = question
    answers = [Entry](repeating: Entry(), count: players)
  }

  private mutating func change<Value>(_ sending: Sending, _ body: (inout Entry) -> Value) -> Value {
    sending.kind == .change ? body(&changes[sending.player, default: Entry()]) : body(&answers[Int(sending.player)])
  }

  /// Notes that an answer is sent; returns its time, in ticks since the question opened. One that was sent before keeps its time: it is the same answer.
  mutating func stamp(_ sending: Sending, offset: Int64) -> Int64 {
    change(sending) { entry in
      if !entry.wasSent { entry = Entry(offset: Int32(clamping: offset), answer: sending.answer, wasSent: true) }
      return Int64(entry.offset)
    }
  }

  /// Notes that the server has recorded an answer.
  mutating func confirm(_ sending: Sending) { change(sending) { $0.isRecorded = true } }

  /// How many players have an answer that is recorded.
  var recordedPlayers: Int {
    let changed = changes.count { player, entry in entry.isRecorded && !answers[Int(player)].isRecorded }
    return answers.count { $0.isRecorded } + changed
  }

  /// Notes what the record has; returns whether the player has sent it. Times may differ by a tick.
  mutating func find(_ player: UInt32, answer: Int, offset: Int64) -> Bool {
    func isMeant(_ entry: Entry) -> Bool {
      entry.wasSent && Int(entry.answer) == answer && abs(Int64(entry.offset) - offset) <= 1
    }
    guard Int(player) < answers.count else { return false }
    if isMeant(answers[Int(player)]) {
      answers[Int(player)].isFound = true
      return true
    }
    guard let entry = changes[player], isMeant(entry) else { return false }
    changes[player]?.isFound = true
    return true
  }

  /// Shows each answer that was recorded and is not in the record.
  func forEachMissing(_ body: (UInt32, Entry) -> Void) {
    for (player, entry) in answers.enumerated() where entry.isRecorded && !entry.isFound { body(UInt32(player), entry) }
    for (player, entry) in changes where entry.isRecorded && !entry.isFound { body(player, entry) }
  }
}
