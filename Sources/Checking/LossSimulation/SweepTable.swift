import Basics
import EventSchedule

extension [LossSweep.Row] {
  private static let columns = [
    "loss", "copies", "refresh", "kbit/s", "lost", "of", "runs with losses", "p50", "p95", "p99", "max",
  ]

  /// The rows as an aligned table with headings.
  package var table: [String] { ([Self.columns] + map(\.readableCells)).aligned(textColumns: [0]) }

  /// The rows as comma-separated values (RFC 4180) with headings, ending with a line break; times in seconds.
  package var csv: String {
    let heading =
      "loss,burst_length,copies,refresh,runs,events,lost_events,runs_with_losses,delay_p50,delay_p95,delay_p99,delay_max,bits_per_second"
    return ([heading] + map(\.csv)).map { "\($0)\r\n" }.joined()
  }
}

extension LossSweep.Row {
  fileprivate var readableCells: [String] {
    [
      loss.readableText, "\(policy.copies)", policy.refreshInterval.map { "\($0.shortestDecimalSeconds) s" } ?? "off",
      MediaTime(ticks: Int64(bitRate) * 90).text(decimals: 1), "\(lostEvents)", "\(runs * events)", "\(runsWithLosses)",
    ] + [median, percentile95, percentile99, latest].map { $0.map { "\($0.text(decimals: 2)) s" } ?? "-" }
  }

  fileprivate var csv: String {
    let length: String
    if case .bursts(let mean, _) = loss { length = "\(mean)" } else { length = "" }
    let cells =
      [
        "\(loss.probability)", length, "\(policy.copies)", policy.refreshInterval?.shortestDecimalSeconds ?? "off", "\(runs)", "\(events)",
        "\(lostEvents)", "\(runsWithLosses)",
      ] + [median, percentile95, percentile99, latest].map { $0?.decimalSeconds ?? "" } + ["\(bitRate)"]
    return cells.joined(separator: ",")
  }
}

extension PacketLoss {
  /// The loss for people: `1 %`, or `1 % in bursts of 50`.
  package var readableText: String {
    // Without zeros at the end.
    var percent = MediaTime(seconds: probability * 100).text(decimals: 4)
    while percent.contains("."), percent.hasSuffix("0") || percent.hasSuffix(".") {
      let isPoint = percent.hasSuffix(".")
      percent.removeLast()
      if isPoint { break }
    }
    guard case .bursts(let length, _) = self else { return "\(percent) %" }
    return "\(percent) % in bursts of \(MediaTime(seconds: length).shortestDecimalSeconds)"
  }
}
