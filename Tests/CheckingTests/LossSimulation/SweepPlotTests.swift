import Basics
import EventSchedule
import Foundation
import Testing

@testable import LossSimulation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The picture of a sweep.
@Suite struct SweepPlotTests {
  private static func row(_ loss: PacketLoss, copies: Int, refresh: Int?, lost: Int, known: Int64? = 0) -> LossSweep.Row {
    LossSweep.Row(
      policy: CopyPolicy(copies: copies, refreshInterval: refresh.map { MediaTime(seconds: $0) }), loss: loss, runs: 100, events: 50,
      lostEvents: lost, runsWithLosses: min(lost, 100), median: known.map { MediaTime(ticks: $0) },
      percentile95: known.map { MediaTime(ticks: $0) }, percentile99: known.map { MediaTime(ticks: $0) },
      latest: known.map { MediaTime(ticks: $0) }, bitRate: 1_234)
  }

  private static let rows = [
    row(.random(0.01), copies: 1, refresh: nil, lost: 5_000, known: nil), row(.random(0.01), copies: 3, refresh: 2, lost: 0),
    row(.bursts(length: 50, 0.05), copies: 1, refresh: nil, lost: 1, known: 189_000),
    row(.bursts(length: 50, 0.05), copies: 3, refresh: 2, lost: 60),
  ]

  /// The texts of the picture, in their order.
  private final class Texts: NSObject, XMLParserDelegate {
    // A class: the parser points back at it.
    var texts: [String] = []
    var classes: [String] = []
    private var isText = false

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) {
      isText = name == "text"
      if isText { texts.append("") }
      if name == "rect", let kind = attributes["class"] { classes.append(kind) }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) { isText = false }

    func parser(_ parser: XMLParser, foundCharacters text: String) { if isText { texts[texts.count - 1] += text } }
  }

  private static func read(_ svg: String) -> Texts? {
    let (parser, texts) = (XMLParser(data: Data(svg.utf8)), Texts())
    parser.delegate = texts
    return parser.parse() ? texts : nil
  }

  @Test func aCellForEachPolicyAndLoss() throws {
    let svg = Self.rows.svg(title: "show.mp4")
    let found = try #require(Self.read(svg))
    #expect(
      found.texts == [
        "show.mp4", "Events lost, of 50 events in 100 runs each; below, when 99 % of the others are known", "of all packets are lost:",
        "1 %", "5 %", "in bursts of 50",
        "1 copy, not refreshed (1.2 kbit/s)", "100.0 %", "none known", "0.02 %", "2.1 s",
        "3 copies, refreshed every 2 s (1.2 kbit/s)", "none", "0.0 s", "1.20 %", "0.0 s",
        "none", "≤ 0.01 %", "≤ 0.1 %", "≤ 1 %", "≤ 10 %", "more",
      ])
    #expect(found.classes == ["paper", "c5", "c2", "c0", "c4", "c0", "c1", "c2", "c3", "c4", "c5"])
    #expect(svg.contains("prefers-color-scheme: dark"))
  }

  @Test func textsAreEscaped() throws {
    let title = "<script>\"&'\u{202E}\u{1}</script>"
    let svg = [LossSweep.Row]().svg(title: title)
    #expect(!svg.contains("<script"))
    #expect(try #require(Self.read(svg)).texts.prefix(2) == ["<script>\"&'\u{FFFD}\u{FFFD}</script>", "Nothing was tried."])
  }
}
