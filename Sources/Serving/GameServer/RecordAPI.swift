import AnswerIntake
import Basics
import GameHosting
import HTTPTypes
import LiveInterface
import PublicRecord
import WebSupport

/// The public record of a game, for everybody.
extension GameAPI {
  private static let place = OpenAPIParameter.query(
    "from", "The number of the first line that is given; without it, all from the first on.", .count)

  static let recordCalls = [
    Entry(
      "getRecordKey", Route("GET", "/v1/public-record/key"), .everybody, .looking, "games",
      "Give the public key of the signatures of records and receipts.",
      [.json(200, "The key, 32 bytes in base64.", .object(["algorithm": .choice(["Ed25519"]), "key": .text]))],
      problems: [404: ["notFound"]], .function(GameAPI.recordKey)),
    Entry(
      "getPublicRecord", Route("GET", "/v1/games/{game}/public-record"), .everybody, .looking, "games",
      "Give the lines of the public record so far. A line never changes, and is on the disk.",
      [.text("A JSON object a line.", "application/x-ndjson")], parameters: [place],
      problems: [404: ["notFound"], 422: ["invalid"], 503: ["overloaded"]], .function(GameAPI.publicRecord)),
    Entry(
      "getRecordedAnswers", Route("GET", "/v1/games/{game}/public-record/answers/{question}"), .everybody, .reading, "games",
      "Give the answers to a question whose result is in the stream, as leaves of its tree: at most 10,000.",
      [.text("A leaf a line, or the hash of one that was deleted, as JSON.", "application/x-ndjson")],
      parameters: [.query("from", "The place of the first leaf that is given, from 0.", .count)],
      problems: [404: ["notFound"], 422: ["invalid"]], .function(GameAPI.recordedAnswers)),
    Entry(
      "getRecordProof", Route("GET", "/v1/games/{game}/public-record/proofs/{question}/{leaf}"), .everybody, .reading, "games",
      "Prove that a leaf is among the answers to a closed question.",
      [.json(200, "The path from the leaf to the root, from the bottom up.", proof)], problems: [404: ["notFound"]],
      .function(GameAPI.recordProof)),
  ]

  private static let proof = OpenAPISchema.object([
    "question": .count, "place": .count, "answers": .count, "path": .list(.text),
  ])
  private static let mostLeaves = 10_000
  private static let noRecord = Problem("notFound", .notFound, "there is no such part of a public record yet")

  func recordKey(_ call: GameCall) throws(Problem) -> Answer {
    guard let key = directory.recordKey else { throw Self.noRecord }
    return cached(call, JSONObject(fields: ["algorithm": "Ed25519", "key": Base64.encode(key.publicKey)]), seconds: 60)
  }

  func publicRecord(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let first = try call.number("from", in: 1...ClosedRange<Int>.counts.upperBound) ?? 1
    // Waits for lines that are being stored: what a reader has seen is never taken back.
    let lines = try await perform(runner) { (game, _) throws(HostingProblem) in (game.publicRecord, HostedGame.Change(), []) }
    guard !lines.isEmpty else { throw Self.noRecord }
    return lineAnswer(call, lines.dropFirst(first - 1))
  }

  func recordedAnswers(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    let first = try call.number("from", in: .counts) ?? 0
    guard let index = Self.question(call) else { throw Self.noRecord }
    let (last, isTooLarge) = first.addingReportingOverflow(Self.mostLeaves)
    guard let lines = runner.look({ game in game.recordedAnswers(index, first..<(isTooLarge ? .max : last)) }) else { throw Self.noRecord }
    return lineAnswer(call, lines[...])
  }

  func recordProof(_ call: GameCall, _ runner: GameRunner) throws(Problem) -> Answer {
    guard let index = Self.question(call), let leaf = call.parts["leaf"].flatMap({ [UInt8](hexadecimal: $0.utf8) }),
      let proof = runner.look({ game in game.proof(of: leaf, in: index) })
    else { throw Self.noRecord }
    let object = JSONObject(fields: [
      "question": index + 1, "place": proof.place, "answers": proof.count, "path": proof.path.map { $0.hexadecimal },
    ])
    return cached(call, object, seconds: 2)
  }

  /// The index of the question of a call.
  private static func question(_ call: GameCall) -> Int? {
    call.parts["question"].flatMap { Int($0, in: 1...Int(Int32.max)) }.map { $0 - 1 }
  }

  private func lineAnswer(_ call: GameCall, _ lines: ArraySlice<String>) -> Answer {
    var answer = Answer(.ok, "application/x-ndjson", lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] })
    answer.headers = [(.eTag, Answer.tag(answer.body)), (.cacheControl, "max-age=2")]
    guard call.headers[.ifNoneMatch] != answer.headers[0].1 else { return Answer(.notModified, "", [], headers: answer.headers) }
    return answer
  }
}

extension GameRunner {
  /// The receipts for the answers of a request, which are stored: `nil` for one that was refused; none if the game keeps no record.
  func receipts(_ requests: [AnswerRequest], of player: Int, _ outcome: AnswerDesk.Outcome) -> [JSONObject?] {
    guard case .judged(let results) = outcome, results.contains(nil) else { return [] }
    // Signatures are made without the lock of the game.
    let drafts = look { game in zip(requests, results).map { $1 == nil ? game.receipt(for: $0, of: player) : nil } }
    let receipts = drafts.map { draft -> JSONObject? in
      do throws(RecordSigningError) {
        return try draft?()
      } catch {
        // The answer is stored all the same.
        keeper.noteSigning(error)
        return nil
      }
    }
    return receipts.contains { $0 != nil } ? receipts : []
  }
}
