import Basics
import Foundation
import Testing

/// The dashboard and the rules for alerts name metrics that there are.
@Suite struct OperationsSampleTests {
  private static let top = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private static func text(_ path: String) throws -> String { try String(contentsOf: top.appending(path: path), encoding: .utf8) }

  /// The names after a prefix in a text, such as those of metrics.
  private static func names(_ text: String, after prefix: String) -> Set<String> {
    let parts = text.components(separatedBy: prefix).dropFirst()
    return Set(parts.map { prefix + $0.prefix { $0.isLetter || $0.isNumber || $0 == "_" } })
  }

  /// The metrics that the servers' sources add, with the names that histograms have for queries.
  private static func metrics() throws -> Set<String> {
    var names: Set<String> = []
    let files = [
      ("Sources/Serving/LiveServer/Metrics.swift", "cuelight_"), ("Sources/Serving/GameServer/GameMetrics.swift", "cuelight_"),
      ("Sources/Serving/LiveServer/Pair/PairServer.swift", "cuelight_pair_"),
    ]
    for (file, prefix) in files {
      for (call, endings) in [("text.add(", [""]), ("text.addHistogram(", ["_bucket", "_sum", "_count"])] {
        for part in try text(file).components(separatedBy: call).dropFirst() {
          let rest = part.drop { $0.isWhitespace }
          guard rest.first == "\"" else { continue }
          for ending in endings { names.insert(prefix + rest.dropFirst().prefix { $0 != "\"" } + ending) }
        }
      }
    }
    return names
  }

  @Test(arguments: ["samples/operations/grafana.json", "samples/operations/alerts.yaml"]) func metricsExist(path: String) throws {
    let (known, used) = (try Self.metrics(), Self.names(try Self.text(path), after: "cuelight_"))
    #expect(known.count > 40 && used.count > 10)
    #expect(used.subtracting(known) == [])
  }

  /// The dashboard is JSON, and each of its panels has queries and a place of its own.
  @Test func dashboard() throws {
    let bytes = Array(try Self.text("samples/operations/grafana.json").utf8)
    let dashboard = try #require(try JSONValue(parsing: bytes.span).object)
    let panels = (dashboard["panels"]?.array ?? []).compactMap(\.object)
    #expect(panels.count > 10 && panels.allSatisfy { !($0["targets"]?.array ?? []).isEmpty })
    #expect(Set(panels.compactMap { $0["id"]?.int(in: .counts) }).count == panels.count)
    #expect(Set(panels.compactMap { $0["gridPos"]?.object?.text }).count == panels.count)
  }

  /// The page says of each alert what it means.
  @Test func alerts() throws {
    let page = try Self.text("Sources/cuelight/cuelight.docc/RunningIt.md")
    let alerts = Self.names(try Self.text("samples/operations/alerts.yaml"), after: "- alert: ").map {
      String($0.dropFirst("- alert: ".count))
    }
    #expect(alerts.count > 10)
    for alert in alerts { #expect(page.contains("| `\(alert)` |"), "\(alert)") }
  }
}
