import AnswerIntake
import Basics
import GameEvents
import PublicRecord
import Scoring
import Testing

@testable import GameHosting

/// The public record of a show.
@Suite struct PublicRecordTests {
  /// Stands in for a signature: 64 bytes that follow from the message.
  private static let sign: @Sendable ([UInt8]) -> [UInt8] = { SHA256.hash([1] + $0) + SHA256.hash([2] + $0) }
  private static let secrets = RecordSecrets(secret: Array(0..<32), game: "g1")

  private static func settings(_ scoring: String = "right") -> HostedGame.Settings {
    var settings = HostedShow.settings(scoring: scoring)
    settings.recording = Recording(secrets: secrets, publicKey: Array(0..<32), sign: sign)
    return settings
  }

  /// A show of three players and one question, which all answer and Ann twice.
  private func sample() throws -> HostedShow {
    var show = HostedShow(Self.settings())
    for name in ["Ann", "Ben", "Cem"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    for (answer, player) in [(0, 0), (1, 1), (2, 2), (1, 0)] { show.answer(answer, by: player) }
    show.finishQuestion()
    return show
  }

  /// The lines of a record, each of which continues the one before.
  private func entries(_ game: HostedGame) throws -> [JSONObject] {
    var chain = RecordChain()
    return try game.publicRecord.map { line in
      defer { chain.append(line) }
      return try chain.check(line) { signature, message in signature == Self.sign(message) }
    }
  }

  /// The leaves of a question, as they are published.
  private func leaves(_ game: HostedGame, _ question: Int, _ places: Range<Int>) -> [String]? {
    var game = game
    return game.recordedAnswers(question, places)
  }

  private func proof(_ game: HostedGame, of leaf: [UInt8], in question: Int) -> (place: Int, count: Int, path: [[UInt8]])? {
    var game = game
    return game.proof(of: leaf, in: question)
  }

  private func pseudonym(_ name: String, _ player: Int) -> String { Self.secrets.player(player, key: "key of \(name)").pseudonym }

  @Test func tellsTheWholeShow() throws {
    var show = try sample()
    try show.command(.kick(player: 1))
    try show.command(.end)
    show.placeAll()
    let entries = try entries(show.game)
    #expect(entries.map { $0["type"]?.string } == ["begin", "ask", "close", "reveal", "kick", "end"])
    #expect(entries[0]["scoring"]?.string == "right" && entries[0]["key"]?.string == Base64.encode(Array(0..<32)))
    // What was sealed is what is opened.
    let guid = HostedShow.asked[0]
    let (salt, content) = (try #require(entries[3]["salt"]?.string), try #require(entries[3]["content"]?.string))
    #expect(entries[1]["content"]?.string == RecordSeal.seal(content: content, salt: salt))
    #expect(entries[1]["seal"]?.string == RecordSeal.seal(right: .one(1), salt: salt, guid: guid))
    #expect(entries[3]["right"] == .object(JSONObject(fields: ["correctAnswer": 1])))
    #expect(!show.game.publicRecord[1].contains("Mars") && content.contains("Mars"))
    // The answers are complete, in their order.
    let published = try #require(leaves(show.game, 0, 0..<100))
    let tree = MerkleTree(leafHashes: published.flatMap { MerkleTree.leafHash($0) })
    #expect(published.count == 4 && entries[2]["answers"]?.int == 4 && entries[2]["root"]?.string == tree.root.hexadecimal)
    #expect(entries[3]["counts"] == [0, 2, 1].json && entries[3]["taken"]?.int == 3)
    #expect(leaves(show.game, 0, 1..<2) == [published[1]] && leaves(show.game, 0, 4..<9) == [])
    #expect(leaves(show.game, 1, 0..<1) == nil)
    // Nobody is named, and the player whom the host has removed is not on the board.
    #expect(entries[4]["player"]?.string == pseudonym("Ben", 1))
    let board = [("Ann", 0, 1), ("Cem", 2, 0)].map { JSONValue.array([.string(pseudonym($0, $1)), $2.json]) }
    #expect(entries[5]["board"] == .array(board) && entries[5]["players"]?.int == 2)
    let text = show.game.publicRecord.joined()
    for name in ["Ann", "Ben", "Cem", "key of"] { #expect(!text.contains(name)) }
    // The stream has the hash of the last line.
    let hash = SHA256.hash(Array(try #require(show.game.publicRecord.last).utf8)).hexadecimal
    #expect(show.game.end?.cue["record"]?.string == hash)
  }

  /// A game that is made again at any moment has the same record, and continues it with the same lines.
  @Test func everyMomentComesBack() throws {
    var show = try sample()
    try show.command(.kick(player: 1))
    try show.command(.next)
    #expect(try show.playToTheEnd())
    let whole = show.game.publicRecord
    #expect(try entries(show.game).last?["type"]?.string == "end")
    for snapshot in show.snapshots {
      let restored = try show.restored(snapshot)
      #expect(restored.game.publicRecord == snapshot.game.publicRecord)
      #expect(Array(whole.prefix(restored.game.publicRecord.count)) == restored.game.publicRecord)
      let game = snapshot.game
      for question in 0..<3 {
        #expect(leaves(restored.game, question, 0..<100) == leaves(game, question, 0..<100))
      }
    }
  }

  /// A line that cannot be signed is not written, and the change tells it, so that nothing of it is stored.
  @Test func unsignedLinesAreNotWritten() throws {
    var settings = Self.settings()
    settings.recording?.sign = { _ throws(RecordSigningError) in throw RecordSigningError("no library") }
    var show = HostedShow(settings)
    try show.join("Ann")
    let change = try show.game.carryOut(.next, id: "n", now: show.now)
    #expect(change.signingFailure == RecordSigningError("no library"))
    #expect(!change.records.isEmpty && show.game.publicRecord.isEmpty)
    #expect(!change.records.contains { if case .recorded = $0 { true } else { false } })
  }

  /// A receipt that cannot be signed is none.
  @Test func unsignedReceipts() throws {
    var show = try sample()
    show.game.settings.recording?.sign = { _ throws(RecordSigningError) in throw RecordSigningError("no library") }
    let request = AnswerRequest(question: HostedShow.asked[0], answer: .one(1), time: MediaTime(seconds: 12))
    let make = try #require(show.game.receipt(for: request, of: 1))
    #expect(throws: RecordSigningError("no library")) { try make() }
  }

  @Test func receiptsAreLeavesWithAPath() throws {
    let show = try sample()
    let request = AnswerRequest(question: HostedShow.asked[0], answer: .one(1), time: MediaTime(seconds: 12))
    let make = try #require(show.game.receipt(for: request, of: 1))
    let receipt = try make()
    let leaf = try #require(receipt["leaf"]?.string)
    let published = try #require(leaves(show.game, 0, 0..<100))
    #expect(published[1] == leaf)
    let closed = try entries(show.game)[2]
    let found = try #require(proof(show.game, of: MerkleTree.leafHash(leaf), in: 0))
    let root = MerkleTree.root(from: MerkleTree.leafHash(leaf), at: found.place, of: found.count, path: found.path)
    #expect(found.place == 1 && found.count == 4 && root?.hexadecimal == closed["root"]?.string)
    #expect(proof(show.game, of: MerkleTree.leafHash(leaf), in: 1) == nil && proof(show.game, of: [], in: 0) == nil)
    // What was not asked, or is no answer, has no receipt.
    for (guid, answer) in [(HostedShow.asked[1], 1), (HostedShow.asked[0], 7)] {
      #expect(show.game.receipt(for: AnswerRequest(question: guid, answer: .one(answer), time: .zero), of: 1) == nil)
    }
  }

  /// A player who is deleted leaves hashes, with which the root is still the same, also after a restart.
  @Test func deletedPlayerLeavesHashes() throws {
    var show = try sample()
    let (before, lines) = (try #require(leaves(show.game, 0, 0..<100)), show.game.publicRecord)
    try show.remove(0)
    let hashes = [0: MerkleTree.leafHash(before[0]), 3: MerkleTree.leafHash(before[3])]
    #expect(show.records.suffix(2) == [.erased(question: 0, leaves: hashes), .removed(player: 0)])
    var restored = try show.restored(try #require(show.snapshots.last))
    for game in [show.game, restored.game] {
      let after = try #require(leaves(game, 0, 0..<100))
      #expect(after == ["\"\((hashes[0] ?? []).hexadecimal)\"", before[1], before[2], "\"\((hashes[3] ?? []).hexadecimal)\""])
      #expect(game.publicRecord == lines)
      #expect(proof(game, of: MerkleTree.leafHash(before[3]), in: 0)?.place == 3)
    }
    // The other players follow, and nothing is taken for theirs.
    try restored.remove(2)
    #expect(leaves(restored.game, 0, 0..<100)?[2] == "\"\(MerkleTree.leafHash(before[2]).hexadecimal)\"")
  }

  /// A player who is deleted while the question takes answers is not among them.
  @Test func deletedBeforeTheQuestionCloses() throws {
    var show = HostedShow(Self.settings())
    for name in ["Ann", "Ben"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    for player in 0..<2 { show.answer(1, by: player) }
    try show.remove(0)
    show.finishQuestion()
    #expect(show.records.allSatisfy { if case .erased = $0 { false } else { true } })
    #expect(leaves(show.game, 0, 0..<100)?.count == 1)
  }

  @Test func withoutRecording() throws {
    var show = HostedShow()
    try show.join("Ann")
    #expect(try show.playToTheEnd())
    #expect(show.game.publicRecord == [] && show.game.end?.cue["record"] == nil && leaves(show.game, 0, 0..<9) == nil)
    // A record that was not begun with the game is not begun later.
    var settings = HostedShow.settings()
    var late = HostedShow(settings)
    try late.command(.start)
    settings.recording = Self.settings().recording
    late.game.settings = settings
    #expect(try late.playToTheEnd() && late.game.publicRecord == [])
  }

  /// Batches that come in another order, or twice, give the same leaves.
  @Test func orderOfBatchesDoesNotMatter() {
    let entries = (0..<6).map { RecordedAnswers.Entry(player: $0, code: 0, time: .zero, arrival: Int64($0)) }
    for order in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 3, 0, 1, 5, 2, 4, 0]] {
      var answers = RecordedAnswers()
      for place in order { answers.add(entries[place], to: 0) }
      answers.erase(0, [1: [1], 7: [7]])
      #expect(
        answers.leaves(0, without: [2])
          == [
            .answer(entries[0]), .hash([1]), .answer(entries[1]), .answer(entries[3]), .answer(entries[4]), .answer(entries[5]),
          ])
    }
  }
}
