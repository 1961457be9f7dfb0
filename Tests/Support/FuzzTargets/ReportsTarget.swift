import Basics
import Reach

extension FuzzTarget {
  /// Reports of players, whatever the pieces are: the same reports in any pieces, and a book that counts no page more than once and holds no more than it
  /// may. The first byte says in which pieces.
  static let reports = FuzzTarget("reports") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let content = Array(input.rest)
    let whole = reports(in: [content])
    try require(reports(in: content.pieces(seed: seed)) == whole, "reports in pieces")
    try require(whole.reports.count <= ViewerReportReader.mostLines, "\(whole.reports.count) reports")
    var book = ReachBook(seed: 1)
    var now: Int64 = 1_764_385_200_000
    for report in whole.reports {
      if case .shown(let shown) = report.event { book.place(shown.guid, at: now) }
      now += 250
      _ = book.take(report, from: report.session, at: now)
    }
    for event in book.all {
      try require(event.shown <= event.sessions && event.sessions <= book.sessionCount, "\(event.shown) of \(event.sessions) pages")
    }
    try require(book.audience.sessions <= book.sessionCount, "delays of more pages than there are")
  }

  private static func reports(in pieces: [[UInt8]]) -> (reports: [ViewerReport], wrongLines: Int) {
    var reader = ViewerReportReader()
    var reports = pieces.flatMap { reader.push($0) }
    if let last = reader.finish() { reports.append(last) }
    return (reports, reader.wrongLines)
  }
}
