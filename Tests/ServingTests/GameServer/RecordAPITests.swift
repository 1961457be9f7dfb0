import Basics
import GameEvents
import GameHosting
import GameStore
import HTTPTypes
import LibCrypto
import PublicRecord
import TestSupport
import Testing

@testable import GameServer

/// The public record over HTTP.
@Suite struct RecordAPITests {
  private let folder: String

  init() throws { folder = try Workshop.newFolder() }

  private func serve() throws -> ServedGames {
    try ServedGames(folder: folder, recordKey: try RecordKey(secret: Array(repeating: 7, count: 64)))
  }

  /// Everybody can read the record, whose lines are signed with the published key; a player has a receipt for an answer.
  @Test func recordAndReceipt() async throws {
    let served = try serve()
    let (game, host) = await served.make()
    let path = "/v1/games/\(game)/public-record"
    let ann = await served.join("Ann", 0, game).token
    #expect(await served.call("GET", path).kind == "notFound")
    try await served.ask(game, host: host)
    #expect(await served.call("GET", "\(path)/answers/1").kind == "notFound")
    let reply = await served.answer(0, game, token: ann)
    let receipt = try #require(reply.object["receipts"]?.array?.first?.object)
    let leaf = try #require(receipt["leaf"]?.string)
    try await served.finish(game, host: host)
    // What is read is what is stored.
    let record = await served.call("GET", path)
    let lines = record.text.split(separator: "\n").map { String($0) }
    let stored = try served.store.records(of: game).compactMap { record -> String? in
      if case .recorded(let line) = record { line } else { nil }
    }
    #expect(lines == stored && lines.count == 5)
    let text = try #require(await served.call("GET", "/v1/public-record/key").object["key"]?.string)
    let key = try #require(Base64.decode(Array(text.utf8)))
    var chain = RecordChain()
    for line in lines {
      _ = try chain.check(line) { signature, message in Ed25519.isRight(signature, of: message, publicKey: key) }
      chain.append(line)
    }
    #expect(await served.call("GET", "\(path)?from=3").text == lines[2...].map { "\($0)\n" }.joined())
    #expect(await served.call("GET", "\(path)?from=99").text == "")
    #expect(await served.call("GET", "\(path)?from=0").kind == "invalid")
    let known = HTTPFields(dictionaryLiteral: (.ifNoneMatch, try #require(record.tag)))
    #expect(await served.call("GET", path, headers: known).status == 304)
    // The receipt's leaf is the only one, and its path is empty.
    #expect(await served.call("GET", "\(path)/answers/1").text == "\(leaf)\n")
    #expect(await served.call("GET", "\(path)/answers/1?from=1").text == "")
    let message = AnswerReceipt.message(
      game: game, question: try #require(GUID(receipt["question"]?.string ?? "")), leaf: leaf)
    let signature = Base64.decode(Array((receipt["signature"]?.string ?? "").utf8)) ?? []
    #expect(Ed25519.isRight(signature, of: Array(message.utf8), publicKey: key))
    let hash = MerkleTree.leafHash(leaf).hexadecimal
    #expect(
      await served.call("GET", "\(path)/proofs/1/\(hash)").text == "{\"question\":1,\"place\":0,\"answers\":1,\"path\":[]}\n")
    for wrong in ["proofs/2/\(hash)", "proofs/1/00", "proofs/1/x", "proofs/0/\(hash)", "answers/2", "answers/0", "answers/x"] {
      #expect(await served.call("GET", "\(path)/\(wrong)").kind == "notFound", "\(wrong)")
    }
    served.end()
    // After a restart it is the same.
    let again = try serve()
    #expect(await again.call("GET", path).text == record.text)
    #expect(await again.call("GET", "\(path)/answers/1").text == "\(leaf)\n")
    again.end()
  }

  @Test func withoutRecords() async throws {
    let served = try ServedGames(folder: folder)
    let (game, host) = await served.make()
    let ann = await served.join("Ann", 0, game).token
    try await served.ask(game, host: host)
    #expect(await served.answer(0, game, token: ann).text == "{\"results\":[\"recorded\"]}\n")
    #expect(await served.call("GET", "/v1/games/\(game)/public-record").kind == "notFound")
    #expect(await served.call("GET", "/v1/public-record/key").kind == "notFound")
    served.end()
  }
}
