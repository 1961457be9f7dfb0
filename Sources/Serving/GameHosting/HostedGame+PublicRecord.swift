package import AnswerIntake
import Basics
import GameEvents
package import PublicRecord
import Questions
import Scoring

/// The public record: entries follow from what happens in the game, and are stored together with it.
extension HostedGame {
  /// The lines of the public record so far; none if the game keeps no record.
  package var publicRecord: [String] { recorded.chain.lines }

  /// Appends what follows from a record to the public record.
  mutating func note(_ record: HostingRecord, _ change: inout Change) {
    guard let recording = settings.recording else { return }
    if case .started = record, recorded.chain.lines.isEmpty { return begin(recording, &change) }
    guard !recorded.isOver else { return }
    switch record {
    case .asked: noteQuestion(asked.count - 1, recording, &change)
    case .decided(_, let question, _) where !recorded.has(.close, question): noteAnswers(question, &change)
    case .placed(let guid, _): noteResult(guid, recording, &change)
    case .voided(let question): write(.void, JSONObject(fields: ["question": question + 1]), &change)
    case .kicked(let player): write(.kick, JSONObject(fields: ["player": pseudonym(of: player, recording)]), &change)
    default: break
    }
  }

  /// Appends the end; returns the hash of the whole record in hexadecimal digits, or `nil` if there is none.
  mutating func noteEnd(at time: MediaTime, _ change: inout Change) -> String? {
    guard let recording = settings.recording, !recorded.isOver else { return nil }
    let board = scored.leaders(Self.boardCount, at: time).map { standing in
      JSONValue.array([.string(pseudonym(of: standing.player.index, recording)), standing.score.json])
    }
    write(
      .end,
      JSONObject([JSONObject.Member(key: "players", value: playerCount.json), JSONObject.Member(key: "board", value: .array(board))]),
      &change)
    return recorded.chain.last.hexadecimal
  }

  /// The records that keep the hashes of a player's answers to closed questions, before the player is forgotten.
  func erasures(of player: Int) -> [HostingRecord] {
    guard settings.recording != nil, !isRemoved(player) else { return [] }
    var game = self
    return asked.indices.compactMap { question in
      guard recorded.has(.close, question) else { return nil }
      let places = game.leaves(question).enumerated().filter { if case .answer(let entry) = $1 { entry.player == player } else { false } }
      guard !places.isEmpty else { return nil }
      return .erased(question: question, leaves: Dictionary(places.map { ($0.offset, game.hash($0.element, question)) }) { $1 })
    }
  }

  // MARK: Entries

  private mutating func write(_ kind: RecordChain.Kind, _ members: JSONObject, _ change: inout Change) {
    guard let recording = settings.recording else { return }
    do throws(RecordSigningError) {
      add(.recorded(try recorded.chain.line(kind, members, sign: recording.sign)), &change)
    } catch {
      change.signingFailure = error
    }
  }

  private mutating func begin(_ recording: Recording, _ change: inout Change) {
    write(
      .begin,
      JSONObject(fields: [
        "version": 1, "game": settings.id, "key": Base64.encode(recording.publicKey), "scoring": settings.rules.scoring.description,
        "ticks": Int(clamping: MediaTime.ticksPerSecond),
      ]), &change)
  }

  /// The seals of a question that is asked.
  private mutating func noteQuestion(_ index: Int, _ recording: Recording, _ change: inout Change) {
    let (guid, question) = (asked[index].guid, self.question(index))
    let salt = recording.secrets.salt(of: guid)
    let seal = question.right.map { RecordSeal.seal(right: $0, salt: salt, guid: guid) }
    let content = RecordSeal.seal(content: Self.content(question), salt: salt)
    write(.ask, JSONObject(fields: ["question": index + 1, "guid": guid.text, "content": content]).with("seal", seal), &change)
  }

  /// The words of a question, and how it is graded.
  private static func content(_ question: Question) -> String {
    question.taskObject.with("points", question.worth == nil ? question.points : nil).text
  }

  /// The root of the answers to a question that has closed.
  private mutating func noteAnswers(_ index: Int, _ change: inout Change) {
    let (question, tree) = (scoredQuestion(index), answerTree(index))
    write(
      .close,
      JSONObject(fields: [
        "question": index + 1, "opensAt": Int(clamping: question.opensAt.ticks),
        "closesAt": Int(clamping: (asked[index].streamClosesAt ?? question.closesAt).ticks), "answers": tree.count,
        "root": tree.root.hexadecimal,
      ]), &change)
  }

  /// The opened seals and the counts of a question whose result is in the stream.
  private mutating func noteResult(_ guid: GUID, _ recording: Recording, _ change: inout Change) {
    if let index = asked.firstIndex(where: { $0.result == guid && $0.phase == .shown }), recorded.has(.close, index),
      !recorded.has(.reveal, index)
    {
      let (question, shown, summary) = (self.question(index), shownQuestion(index), scored.summary(of: asked[index].guid))
      let counts = summary?.counts ?? []
      let right = question.right.map { JSONObject([JSONObject.Member(key: $0.key, value: $0.json)]) }
      write(
        .reveal,
        JSONObject(fields: [
          "question": index + 1, "salt": recording.secrets.salt(of: asked[index].guid), "content": Self.content(question),
          "opensAt": Int(clamping: shown.opensAt.ticks), "closesAt": Int(clamping: shown.closesAt.ticks),
          "allottedTime": Int(clamping: shown.allottedTime.ticks),
          "taken": summary?.taken ?? 0,
        ]).with("right", right).with("counts", counts.isEmpty ? nil : counts).with("accepted", acceptedTexts(index)), &change)
    }
    if let index = asked.firstIndex(where: { $0.settlement?.guid == guid && $0.settlement?.placedAt != nil }), recorded.has(.reveal, index),
      !recorded.has(.settle, index)
    {
      let right = JSONObject(fields: ["correctAnswer": asked[index].settlement?.answer])
      write(.settle, JSONObject(fields: ["question": index + 1, "right": right]), &change)
    }
  }

  /// The texts that were given to a question and count as right, as they were written; `nil` for a question that has no right text.
  private mutating func acceptedTexts(_ index: Int) -> [String]? {
    guard case .texts? = question(index).right else { return nil }
    let texts = Set(leaves(index).compactMap { leaf in if case .answer(let entry) = leaf { entry.text } else { nil } })
    return texts.filter { scored.isRight($0, to: asked[index].guid) }.map(\.text).sorted { $0.hasSmallerBytes(than: $1) }
  }

  // MARK: Answers

  private func pseudonym(of player: Int, _ recording: Recording) -> String {
    recording.secrets.player(player, key: key(of: player)).pseudonym
  }

  private mutating func leaves(_ index: Int) -> [RecordedAnswers.Leaf] { recorded.leaves(index, without: players.removed) }

  /// An answer as a leaf of its question's tree; `nil` if it is none.
  private func leaf(_ answer: GivenAnswer?, by player: Int, at time: MediaTime, to index: Int) -> String? {
    guard let recording = settings.recording, let answer else { return nil }
    return recording.secrets.player(player, key: key(of: player)).leaf(answer, to: index + 1, at: time)
  }

  private func leaf(_ entry: RecordedAnswers.Entry, to index: Int) -> String? {
    leaf(entry.text.map { .text($0) } ?? form(of: index).answer(entry.code), by: entry.player, at: entry.time, to: index)
  }

  private func hash(_ leaf: RecordedAnswers.Leaf, _ index: Int) -> [UInt8] {
    switch leaf {
    case .hash(let hash): hash
    case .answer(let entry): MerkleTree.leafHash(self.leaf(entry, to: index) ?? "")
    }
  }

  private mutating func answerTree(_ index: Int) -> MerkleTree {
    let leaves = leaves(index)
    let game = self
    return recorded.tree(index) { _ in MerkleTree(leafHashes: leaves.flatMap { game.hash($0, index) }) }
  }

  /// The answers to a question whose result is in the stream, as lines of JSON: each a leaf, or the hash of one that was deleted; `nil` for another
  /// question.
  ///
  /// - Parameter places: Which leaves, by their places from 0.
  package mutating func recordedAnswers(_ index: Int, _ places: Range<Int>) -> [String]? {
    guard settings.recording != nil, recorded.has(.reveal, index) else { return nil }
    let leaves = leaves(index)
    return leaves[places.clamped(to: leaves.indices)].map { leaf in
      switch leaf {
      case .hash(let hash): "\"\(hash.hexadecimal)\""
      case .answer(let entry): self.leaf(entry, to: index) ?? "null"
      }
    }
  }

  /// The place of a leaf among those of a closed question, and the path from it to the root; `nil` if it is not there.
  package mutating func proof(of leaf: [UInt8], in index: Int) -> (place: Int, count: Int, path: [[UInt8]])? {
    guard settings.recording != nil, recorded.has(.close, index) else { return nil }
    let tree = answerTree(index)
    guard let place = tree.place(of: leaf), let path = tree.path(from: place) else { return nil }
    return (place, tree.count, path)
  }

  /// Makes the receipt for an answer that is stored, which takes a signature; `nil` if the game keeps no record.
  package func receipt(for request: AnswerRequest, of player: Int) -> AnswerReceipt.Draft? {
    guard let recording = settings.recording, !recorded.chain.lines.isEmpty,
      let index = asked.firstIndex(where: { $0.guid == request.question }),
      let leaf = leaf(form(of: index).answer(as: request.answer), by: player, at: request.time, to: index)
    else { return nil }
    return { [id = settings.id] () throws(RecordSigningError) in
      try AnswerReceipt.object(game: id, question: request.question, leaf: leaf, sign: recording.sign)
    }
  }
}
