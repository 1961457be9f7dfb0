import Basics
import HTTPTypes
import LiveGame
import LiveSession
import Reach
import WebSupport

/// What the pages of viewers report.
extension LiveAPI {
  /// The maximum number of bytes of a request with reports.
  static let largestReports = 64 << 10
  /// A page reports a few times a minute, and many pages may come from one address.
  static let reporting = CallLimit(perMinute: 6_000, burst: 2_000)

  func postReports(_ call: LiveCall) async throws(Problem) -> Answer {
    // A player that is told so is silent for the rest of its session (CTA-5004-B).
    guard let reach = session.reach else { throw Problem("noReports", .gone, "the stream takes no reports") }
    var reader = ViewerReportReader()
    var reports = reader.push(call.body)
    if let last = reader.finish() { reports.append(last) }
    guard reach.take(reports, wrongLines: reader.wrongLines, from: call.place) else {
      throw Problem("noReports", .gone, "enough pages report already")
    }
    return .noContent
  }

  func getReach(_ call: LiveCall) async throws(Problem) -> Answer {
    let status = try status(call.parts)
    guard let reach = session.reach else { throw Problem("noReports", .conflict, "the stream takes no reports: start it with --reach") }
    return Answer(.ok, reach.read { ($0.reach(of: status.guid) ?? EventReach(guid: status.guid, acceptedAt: 0)).object(share: $0.share) })
  }

  private static let delays = OpenAPISchema.object(["count": .count], optional: ["p50": .number, "p95": .number, "p99": .number])
  static let reach = OpenAPISchema.object([
    "guid": .text, "frame": .number.orNull, "part": .number.orNull, "page": delays, "eye": delays, "sessions": .count, "shown": .count,
    "missing": .count, "share": .number, "players": .list(.object(["player": .text, "eye": delays])),
  ])
  static let audience = OpenAPISchema.object([
    "sessions": .count, "share": .number, "p50": .number.orNull, "p95": .number.orNull, "p99": .number.orNull,
  ])
}
