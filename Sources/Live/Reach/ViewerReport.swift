import Basics
package import GameEvents

/// A line of CMCD version 2 in event mode (CTA-5004-B): what a player says of itself at one moment. Players are strangers, so that nothing in it is
/// believed beyond its bounds.
package struct ViewerReport: Equatable, Sendable {
  /// What the player reports.
  package enum Event: Equatable, Sendable {
    /// An event of the game was presented to the viewer.
    case shown(Shown)
    /// Anything else: the player is there.
    case other
  }

  /// An event of the game that was presented.
  package struct Shown: Equatable, Sendable {
    package var guid: GUID
    /// How many milliseconds before the report was sent; `nil` if the player says only by its own clock when.
    package var age: Int64?
    /// How many milliseconds after its time it was presented, since the viewer joined later or a copy was lost.
    package var late: Int64
    /// How many milliseconds before it was presented the page had read it.
    package var ahead: Int64
  }

  /// The session of the page: a random text of its own, which says nothing about the viewer.
  package var session: String
  package var event: Event
  /// When that was by the player's clock, in milliseconds since 1970.
  package var time: Int64
  /// How many milliseconds the picture is behind the live edge; `nil` if the player does not know.
  package var latency: Int64?
  /// The player and its version, such as `hls.js 1.7.1`; `nil` if it does not say it.
  package var player: String?

  /// The name of the custom event.
  package static let shownName = "com.cuelight-shown"
  /// How old and how late a report may be, in milliseconds.
  package static let times: ClosedRange<Int64> = 0...600_000
  /// The maximum number of bytes of a session's name, as CMCD has it.
  private static let longestSession = 64
  /// The maximum number of bytes of a player's name.
  private static let longestPlayer = 48

  package init(session: String, event: Event, time: Int64, latency: Int64? = nil, player: String? = nil) {
    (self.session, self.event, self.time, self.latency, self.player) = (session, event, time, latency, player)
  }

  /// Reads a line without its end; `nil` if it is no report of version 2 with a session.
  init?(line: ArraySlice<UInt8>) {
    guard let fields = StructuredField.dictionary(line), fields["v"]?.integer == 2, let kind = fields["e"]?.token,
      let session = fields["sid"]?.string, (1...Self.longestSession).contains(session.utf8.count),
      let time = fields["ts"]?.integer, time >= 0
    else { return nil }
    (self.session, self.time) = (session, time)
    latency = fields["ltc"]?.integer.flatMap { Self.times.contains($0) ? $0 : nil }
    player = fields["com.cuelight-player"]?.string.flatMap { Self.isPlayer($0) ? $0 : nil }
    event = .other
    guard kind == "ce", fields["cen"]?.string == Self.shownName else { return }
    // What is not within its bounds makes the line a wrong one: half of it would count otherwise.
    guard let guid = fields["com.cuelight-guid"]?.string.flatMap({ GUID($0) }), let late = Self.time(fields["com.cuelight-late"]),
      let ahead = Self.time(fields["com.cuelight-ahead"])
    else { return nil }
    let age = fields["com.cuelight-age"]
    guard age == nil || age?.integer.map({ Self.times.contains($0) }) == true else { return nil }
    event = .shown(Shown(guid: guid, age: age?.integer, late: late, ahead: ahead))
  }

  /// Milliseconds within ``times``; 0 if there are none.
  private static func time(_ field: StructuredField?) -> Int64? {
    guard let field else { return 0 }
    return field.integer.flatMap { times.contains($0) ? $0 : nil }
  }

  private static func isPlayer(_ text: String) -> Bool {
    (1...longestPlayer).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || " .-_/+()".utf8.contains($0) }
  }
}

/// Reads reports, a line each, as bytes come. It holds one line, of 4,096 bytes at most.
package struct ViewerReportReader: Sendable {
  private var line: [UInt8] = []
  private var isTooLong = false
  private var lines = 0
  /// The number of lines that are no reports, or too many.
  package private(set) var wrongLines = 0

  /// The maximum number of bytes of a line, and of lines.
  package static let longestLine = 4_096
  package static let mostLines = 100

  package init() {}

  /// Takes bytes; returns the reports that are complete with them.
  package mutating func push(_ bytes: some Sequence<UInt8>) -> [ViewerReport] {
    var reports: [ViewerReport] = []
    for byte in bytes {
      if byte == 0x0A {
        if let report = endLine() { reports.append(report) }
      } else if line.count < Self.longestLine {
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
    return reports
  }

  /// Takes the end of the bytes; returns the last report if its line has no end of its own.
  package mutating func finish() -> ViewerReport? { endLine() }

  private mutating func endLine() -> ViewerReport? {
    defer {
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    if line.last == 0x0D { line.removeLast() }
    guard !line.isEmpty || isTooLong else { return nil }
    lines += 1
    guard lines <= Self.mostLines, !isTooLong, let report = ViewerReport(line: line[...]) else {
      wrongLines += 1
      return nil
    }
    return report
  }
}
