import AnswerIntake
import Basics
import HTTPTypes
import WebSupport

/// Reads requests with answers, and writes their outcomes.
enum AnswerReading {
  /// The maximum size of a request's body, in bytes.
  static let largestBody = 4 << 10

  /// The answers of a request.
  ///
  /// - Throws: `Problem`.
  static func requests(_ body: [UInt8]) throws(Problem) -> [AnswerRequest] {
    do throws(AnswerRequest.Mistake) {
      return try AnswerRequest.list(body)
    } catch {
      switch error {
      case .notJSON(let error): throw .notJSON(error)
      case .invalid(let pointer, let message): throw .invalid(pointer, message)
      }
    }
  }

  /// The reply to a request: 202 if at least one answer is recorded.
  ///
  /// - Parameter receipts: The receipts of the answers; none if the game keeps no public record.
  /// - Throws: `Problem` if none is.
  static func answer(_ outcome: AnswerDesk.Outcome, receipts: [JSONObject?] = []) throws(Problem) -> Answer {
    switch outcome {
    case .tooMany: throw .rateLimited(1)
    case .tooManyChanges:
      throw Problem(
        "rate-limited", .tooManyRequests, "a question takes \(AnswerDesk.mostChanges) answers of a player; the last one stays",
        headers: [(.retryAfter, "60")])
    case .overloaded: throw .overloaded
    case .unknownPlayer: throw .forbidden
    case .judged(let results):
      guard results.contains(nil) else { throw Problem(results.compactMap { $0 }) }
      let texts = results.map { "\"\($0?.rawValue ?? "recorded")\"" }.joined(separator: ",")
      let more = receipts.isEmpty ? "" : ",\"receipts\":\(receipts.json.text)"
      return Answer(.accepted, "application/json", Array("{\"results\":[\(texts)]\(more)}\n".utf8), headers: [(.cacheControl, "no-store")])
    }
  }
}

extension Problem {
  /// The problem that no answer of a request is accepted.
  fileprivate init(_ refusals: [AnswerWindow.Refusal]) {
    let refusal = refusals.first ?? .unknownQuestion
    self.init(refusal.rawValue, refusal == .unknownQuestion ? .notFound : .conflict, refusal.description)
    members.append("results", refusals.map(\.rawValue))
  }
}

extension AnswerWindow.Refusal {
  /// The message for the player.
  fileprivate var description: String {
    switch self {
    case .unknownQuestion: "this question was not asked"
    case .unknownAnswer: "the question has no such answer"
    case .tooEarly: "at your position the question had not been asked yet"
    case .tooLate: "at your position the time was up"
    case .tooFarBehind: "your position lies too far behind the live edge"
    case .ahead: "your position lies ahead of the live edge"
    case .revealed: "the result is decided"
    case .eliminated: "you are out of the game"
    }
  }
}
