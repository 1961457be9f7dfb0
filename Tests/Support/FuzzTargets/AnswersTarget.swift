import AccessTokens
import AnswerIntake
import Basics
import GameEvents
import GameHosting

extension FuzzTarget {
  /// Requests with answers, and batches of stored ones: what is read is written and read again as the same.
  static let answers = FuzzTarget("answers") { bytes in
    if let requests = try? AnswerRequest.list(bytes) {
      try require((1...AnswerRequest.most).contains(requests.count), "\(requests.count) answers")
      for request in requests {
        if case .one(let index) = request.answer { try require(index >= 0, "an answer below 0") }
        try require(GivenAnswer(json: request.answer.json), equals: request.answer, "an answer written again")
      }
    }
    let result: Result<[PackedAnswer], ParseError>
    do throws(ParseError) { result = .success(try AnswerBatch.decode(bytes.span)) } catch { result = .failure(error) }
    switch result {
    case .success(let answers): try require(AnswerBatch.encode(answers), equals: bytes, "written again")
    case .failure(let error): try require(error, liesIn: bytes)
    }
  }

  /// What the tokens are signed with.
  static let tokenKey = try? TokenKey(secret: Array(0..<32))

  /// Tokens, of which none that is made up is taken, and records of games.
  static let tokens = FuzzTarget("tokens") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    if let key = tokenKey, let token = try? key.token(text, now: 0) {
      try require(key.text(token), equals: text, "the token written again")
    }
    if let record = (try? JSONValue(parsing: bytes))?.object.flatMap({ try? HostingRecord($0) }) {
      try require(try HostingRecord(record.object), equals: record, "the record read again")
    }
  }
}
