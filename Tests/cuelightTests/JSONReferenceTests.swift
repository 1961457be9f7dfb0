import Basics
import EventSchedule
import Foundation
import GameEvents
import ID3
import TestSupport
import Testing
import TransportStream

/// The page `JSON.md` has every line that `--json` prints with every field, and no other.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct JSONReferenceTests {
  static let cues = """
    game: test
    title: Test
    cues:
      - { at: 0, event: startGame, startsIn: 1, startsAt: 2026-11-20T20:00:00Z }
      - { at: 1.2, event: periodicInfo, viewers: 12, players: 9, likes: 3 }
      - { at: 1.5, event: askQuestion, question: One or two?, answers: [One, Two], correct: Two, allottedTime: 1, category: Sums, difficulty: easy }
      - at: 3s
        event: showResults
        counts: [1, 2]
        points: [0, 5]
        explanation: It is two.
        url: https://example.com
        leaderboard: [{ nickname: Ada, score: 5, team: Blue }]
      - { at: 4s, event: poll, options: [a, b], currentFor: 0.5 }
      - at: 5s
        event: endGame
        winners: [Ada]
        leaderboard: [{ nickname: Ada, score: 5 }]
        record: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    """

  /// Questions of all kinds.
  static let kinds = """
    game: kinds
    title: Kinds
    defaults: { allottedTime: 0.2 }
    cues:
      - { at: 0, event: startGame }
      - { at: 0.2, event: askQuestion, kind: multiple, question: Which?, answers: [A, B, C], correct: [A, B], partial: true }
      - { at: 0.6, event: showResults }
      - { at: 1, event: askQuestion, kind: order, question: In order?, answers: [A, B, C], correct: [C, A, B] }
      - { at: 1.4, event: showResults }
      - { at: 2, event: askQuestion, kind: number, question: How far?, least: 1, most: 9, step: 0.5, unit: km, within: 1, correct: 4 }
      - { at: 2.4, event: showResults, histogram: { from: 1, width: 5, counts: [1, 2] } }
      - at: 3
        event: askQuestion
        kind: poll
        question: Tea?
        answers: [Yes, No]
        live: true
        picture: "https://a.example/tea.png"
        pictureText: A cup
        pictureSize: [640, 480]
        sound: "https://a.example/tea.mp3"
        soundText: A kettle
      - { at: 3.4, event: showResults }
      - { at: 4, event: askQuestion, kind: text, question: Which city?, correct: [Rome, Roma], tolerance: 1, points: 500 }
      - { at: 4.4, event: showResults, texts: { most: [{ text: Rome, count: 2, right: true }], others: 1 } }
      - { at: 5, event: askQuestion, kind: poll, words: true, question: One word? }
      - { at: 5.4, event: showResults, texts: { most: [{ text: Fun, count: 2 }], others: 0 } }
      - { at: 5.8, event: endGame }
    """

  /// A multivariant playlist of one variant that holds everything that may go wrong.
  static let troubled = """
    #EXTM3U
    #EXT-X-TARGETDURATION:9
    #EXTINF:6,
    tags.ts
    #EXT-X-DISCONTINUITY
    #EXTINF:6,
    missing.ts
    #EXT-X-DISCONTINUITY
    #EXTINF:6,
    show.ts
    #EXT-X-ENDLIST

    """

  let scratch: Scratch
  var page: JSONPage

  init() throws {
    scratch = try Scratch()
    page = try JSONPage()
    _ = try scratch.write(Self.cues, to: "cues.yaml")
    _ = try scratch.write(Self.cues.replacingOccurrences(of: "[1, 2]", with: "[1, 3]"), to: "other.yaml")
    _ = try scratch.write(String(repeating: "0f", count: 32), to: "key", permissions: 0o600)
    for (options, output) in [
      ("", "show.ts"), ("--open-answers --sign key", "open.ts"), ("--copies 1 --refresh off", "once.ts"),
      ("--segment-duration 2", "ts/index.m3u8"),
      ("--segment-type fmp4 --program-date-time 2026-11-20T20:00:00Z --daterange", "cmaf/index.m3u8"),
    ] {
      let stamped = try Command.shell("cuelight stamp '\(Broadcast.path)' --cues cues.yaml \(options) -o \(output)", in: scratch.folder)
      #expect(stamped.status == 0, "\(stamped.errors)")
    }
    // Two events with the sequence number 1.
    let (rival, _) = try stamp(SampleStream().bytes, with: [SampleGame.short("one", at: 0), SampleGame.short("two", at: 90_000)])
    try Data(rival).write(to: scratch["rival.ts"])
    let (further, _) = try stamp(SampleStream().bytes, with: Self.eventsWithFurtherKeys)
    try Data(further).write(to: scratch["further.ts"])
    try Self.streamWithOtherTags().write(to: scratch["tags.ts"])
    try Self.without(unit: 3, of: Data(contentsOf: scratch["once.ts"])).write(to: scratch["lossy.ts"])
    try Self.unaligned(Data(contentsOf: scratch["show.ts"])).write(to: scratch["unaligned.ts"])
    for name in ["show", "tags"] {
      let stream = [UInt8](try Data(contentsOf: scratch["\(name).ts"]))
      try Data(cutTags(stream, pid: name == "show" ? 0x102 : 0x123)).write(to: scratch["\(name)-cut.ts"])
    }
    try MetadataSamples.transportStream().write(to: scratch["all.ts"])
    try MetadataSamples.fragments().write(to: scratch["all.mp4"])
    try MetadataSamples.fileOfFLV().write(to: scratch["all.flv"])
    _ = try scratch.write(try MetadataSamples.playlist("all.ts", "all.mp4"), to: "media-all.m3u8")
    _ = try scratch.write("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia-all.m3u8\n", to: "all.m3u8")
    _ = try scratch.write("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia.m3u8\n", to: "troubled.m3u8")
    _ = try scratch.write(Self.troubled, to: "media.m3u8")
  }

  @Test mutating func thePageHasWhatIsPrintedAndNothingElse() throws {
    for stream in ["show.ts", "open.ts", "cmaf/index.m3u8", "tags.ts", "troubled.m3u8 --all-renditions", "show-cut.ts", "tags-cut.ts"] {
      try check("inspect", stream)
    }
    for stream in ["show.ts", "all.m3u8 --all-renditions", "all.flv", "troubled.m3u8", "tags-cut.ts"] { try check("inspect --all", stream) }
    for stream in ["show.ts", "open.ts", "lossy.ts", "rival.ts", "further.ts", "tags.ts", "media.m3u8", "show-cut.ts"] {
      try check("replay", stream)
    }
    _ = try scratch.write(Self.kinds, to: "kinds.yaml")
    for (options, output) in [("", "kinds.ts"), ("--open-answers", "kinds-open.ts")] {
      try check("stamp", "'\(Broadcast.path)' --cues kinds.yaml \(options) -o \(output)")
      try check("inspect", output)
      try check("replay", "\(output) --bots perfect:1,random:9 --seed 3")
    }
    try check("replay", "show.ts --bots perfect:1,random:9 --seed 3 --scoring right+elimination")
    for options in ["cues.yaml", "other.yaml"] { try check("verify", "show.ts --cues \(options)") }
    try check("verify", "show-cut.ts --cues cues.yaml")
    try check("verify", "show.ts --cues cues.yaml --offset 0.5")
    _ = try scratch.write("1 plaintext \"Part one\"\n", to: "titles.txt")
    try check("stamp", "'\(Broadcast.path)' --cues titles.txt -o json-titles.ts")
    for (options, output) in [
      ("", "json.ts"), ("--sei", "json-sei.ts"), ("", "json.mp4"), ("--segment-type fmp4", "json/index.m3u8"),
    ] {
      try check("stamp", "'\(Broadcast.path)' --cues cues.yaml \(options) -o \(output)")
    }
    try check("stamp", "once.ts --replace --cues cues.yaml -o json-again.ts")
    for (options, output) in [("-an", "video.mp4"), ("-an", "small.mp4"), ("-vn", "sound.m4a")] {
      let copied = try Command.shell("ffmpeg -v error -i '\(Broadcast.path)' \(options) -c copy \(output)", in: scratch.folder)
      try #require(copied.status == 0, "\(copied.errors)")
    }
    try check("stamp", "video.mp4 small.mp4 sound.m4a --cues cues.yaml -o json-group/index.m3u8")
    try check("verify", "ts/index.m3u8 --all-renditions --cues other.yaml")
    let apart = try Command.shell("cp -r cmaf apart; sed -i '0,/EXT-X-DATERANGE/{/EXT-X-DATERANGE/d}' apart/*.m3u8", in: scratch.folder)
    try #require(apart.status == 0, "\(apart.errors)")
    try check("verify", "apart/index.m3u8 --carriages --all-renditions")
    try check("verify", "show.ts --cues cues.yaml --drop-burst 40:0.6 --runs 3 --seed 3", summary: "summary (with a loss)")
    for stream in ["show.ts", "unaligned.ts", "troubled.m3u8"] { try check("doctor", stream) }
    try check("doctor --rules", "")
    _ = try scratch.write("game: g\ncues: [{ at: 1, event: reveal }, { at: x, event: poll }]\n", to: "wrong.yaml")
    try check("lint", "wrong.yaml cues.yaml")
    _ = try scratch.write("question,correct,wrong\nWho?,a,a\nWhy?,a,b\n", to: "bank.csv")
    try check("questions lint", "bank.csv")
    #expect(page.unseen == [], "fields of the page that no command printed")
  }

  /// Compares the lines of a command with the page.
  private mutating func check(_ command: String, _ arguments: String, summary: String = "summary") throws {
    let outcome = try Command.shell("cuelight \(command) --json \(arguments)", in: scratch.folder)
    #expect(!outcome.lines.isEmpty, "\(command) \(arguments): \(outcome.errors)")
    for line in outcome.lines {
      let value = try JSONValue(parsing: line)
      let type = value.object?["type"]?.string ?? "none"
      let kind = type == "summary" ? summary : value.object?["tag"] == nil ? type : "\(type) (of a playlist)"
      let problems = page.problems(of: value, table: "\(command)/\(kind)")
      #expect(problems == [], "\(command) \(arguments): \(line)")
    }
  }

  /// Events with a key that their types do not define, among them one that changes a question's time.
  private static var eventsWithFurtherKeys: [PlannedEvent] {
    let question = SampleGame.guid("further-ask")
    let ask = AskQuestion(question: "Which?", answers: ["this", "that"], questionNumber: 1, allottedTime: MediaTime(ticks: 45_000))
    let contents: [(String, Int64, EventContent)] = [
      ("start", 0, .startGame(StartGame(title: "Friday", totalQuestions: 1))), ("ask", 72_001, .askQuestion(ask)),
      ("adjust", 80_000, .adjustTime(AdjustTime(questionGuid: question, allottedTime: MediaTime(ticks: 50_000)))),
      ("show", 150_000, .showResults(ShowResults(questionGuid: question, questionNumber: 1, correctAnswer: 1))),
      ("end", 198_000, .endGame(EndGame(totalQuestions: 1))),
    ]
    return contents.enumerated().map { number, event in
      var planned = SampleGame.event("further", event.0, number + 1, at: event.1, event.2)
      planned.event.unknownKeys.append("mood", "blue")
      return planned
    }
  }

  /// A stream with a tag of every kind of frame, a byte after its packets that belongs to none, and no event.
  private static func streamWithOtherTags() throws -> Data {
    let frames: [ID3Frame] = [
      .text(id: "TIT2", values: ["song"]), .userText(description: "d", value: "v"), .privateData(owner: "o", data: [1, 2]),
      .unknown(id: "WXXX", flags: 0, data: [3]),
    ]
    var sample = SampleStream()
    sample.map.streams.append(.init(type: .metadata, pid: 0x123))
    sample.extras = [7: [.pes(0x123, SamplePacketWriter.pes(presentation: 936_000, payload: try ID3Tag(frames: frames).encode()))]]
    return Data(sample.bytes) + Data(repeating: 1, count: 100)
  }

  private static func isUnit(_ packet: SamplePacket) -> Bool { packet.pid == 0x102 && packet.header.startsUnit }

  /// A stamped stream without one of its tags.
  private static func without(unit number: Int, of stream: Data) -> Data {
    var units = 0
    let kept = SamplePacket.all(in: [UInt8](stream)).filter { packet in
      if isUnit(packet) { units += 1 }
      return packet.pid != 0x102 || units != number
    }
    return Data(kept.flatMap(\.bytes))
  }

  /// A stamped stream whose tags do not say that they are aligned, which media3 drops.
  private static func unaligned(_ stream: Data) -> Data {
    Data(
      SamplePacket.all(in: [UInt8](stream)).flatMap { packet in
        var bytes = packet.bytes
        if isUnit(packet), let start = bytes.indices.dropLast(6).first(where: { Array(bytes[$0..<$0 + 4]) == [0, 0, 1, 0xBD] }) {
          bytes[start + 6] &= ~0x04
        }
        return bytes
      })
  }
}

/// The tables of the page `JSON.md`, and which of their fields were seen.
struct JSONPage {
  private struct Field {
    var type: String
    var isAlwaysThere: Bool
  }

  /// Field by field, of each table: `inspect/copy`, or `object/event` for an object within lines.
  private var tables: [String: [String: Field]] = [:]
  /// The tables of another command that a command has, too: `inspect --all/copy` is `inspect/copy`.
  private var borrowed: [String: String] = [:]
  /// What was seen: `inspect/copy.guid`.
  private var seen: Set<String> = []

  /// The row for keys that a cue sheet makes up.
  private static let other = "any other"

  init() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/cuelight/cuelight.docc/JSON.md")
    var (part, table) = ("", "")
    for line in try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n") {
      if let heading = line.wholeMatch(of: #/## Lines of `(.+)`/#) { part = String(heading.1) }
      if line == "## Objects within lines" { part = "object" }
      if let match = line.wholeMatch(of: #/The lines (.+) are those of `(.+)`\./#) {
        for name in match.1.matches(of: #/`(\w+)`/#) { borrowed["\(part)/\(name.1)"] = "\(match.2)/\(name.1)" }
      }
      if line.hasPrefix("### ") { table = "\(part)/\(line.dropFirst(4))" }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("| "), cells.count == 4, cells[0] != "field", cells[0] != "---" else { continue }
      tables[table, default: [:]][cells[0].trimmingCharacters(in: ["`"])] = Field(type: cells[1], isAlwaysThere: cells[2] == "always")
    }
  }

  /// The fields that no line had.
  var unseen: [String] {
    tables.flatMap { table, fields in fields.keys.map { "\(table).\($0)" } }.filter { !seen.contains($0) }.sorted()
  }

  /// Where an object differs from what the page says of it.
  mutating func problems(of value: JSONValue, table name: String) -> [String] {
    let table = borrowed[name] ?? name
    guard let fields = tables[table] else { return ["the page has no \(table)"] }
    guard let object = value.object else { return ["\(table) is no object"] }
    var problems = fields.filter { $0.value.isAlwaysThere && object[$0.key] == nil }.map { "\(table).\($0.key) is missing" }
    for member in object.members {
      let name = fields[member.key] == nil ? Self.other : member.key
      guard let field = fields[name] else {
        problems.append("the page has no \(table).\(member.key)")
        continue
      }
      seen.insert("\(table).\(name)")
      problems += self.problems(of: member.value, type: field.type, at: "\(table).\(member.key)")
    }
    return problems
  }

  private mutating func problems(of value: JSONValue, type: String, at place: String) -> [String] {
    var problems: [String] = []
    for alternative in type.components(separatedBy: " or ") {
      problems = self.problems(of: value, oneType: alternative, at: place)
      if problems.isEmpty { break }
    }
    return problems
  }

  private mutating func problems(of value: JSONValue, oneType type: String, at place: String) -> [String] {
    if type.hasPrefix("array of ") {
      guard let elements = value.array else { return ["\(place) is no array"] }
      return elements.flatMap { problems(of: $0, oneType: String(type.dropFirst("array of ".count)), at: place) }
    }
    if type.hasPrefix("object ") { return problems(of: value, table: "object/\(type.dropFirst("object ".count))") }
    let isRight =
      switch type {
      case "string": value.string != nil
      case "integer": value.number.map { Int($0.text) != nil } ?? false
      case "number": value.number != nil
      case "boolean": value == .bool(true) || value == .bool(false)
      case "null": value == .null
      case "any": true
      default: false
      }
    return isRight ? [] : ["\(place) is no \(type)"]
  }
}
