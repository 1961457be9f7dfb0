import Basics
import EventSchedule
import Sheets
import TestSupport
import Testing

@testable import CueSheet

/// Times that count from other cues, times of day, and timecodes.
@Suite struct CueTimesTests {
  /// A sheet with these lines in its head.
  private func sheet(_ head: String, _ cues: [String]) -> String {
    "game: g\ntitle: T\n\(head)\ncues:\n" + cues.map { "  - { \($0) }\n" }.joined()
  }

  /// The times of the cues in the order of the text, in ticks.
  private func ticks(_ head: String, _ cues: String...) throws -> [Int64] {
    let parsed = try parse(sheet(head, cues))
    return zip(parsed.events, parsed.places).sorted { $0.1 < $1.1 }.map(\.0.time.ticks)
  }

  private func seconds(_ cues: String...) throws -> [Double] {
    let parsed = try parse(sheet("# no head", cues))
    return zip(parsed.events, parsed.places).sorted { $0.1 < $1.1 }.map(\.0.time.seconds)
  }

  @Test func distances() throws {
    #expect(
      try seconds(
        "at: 1s, event: startGame", "at: +2s, event: poll", "at: start + 4, event: poll", question(at: "next - 1.5", "correct: A"),
        "at: 00:10, event: poll", "at: question+3, event: poll", "at: timeUp, event: poll", "at: timeUp + 2s, event: showResults",
        "at: result + 00:01.5, event: poll", "at: \"previous   +  1\", event: poll", "at: timeUp - 1, event: poll",
        "at: result, event: endGame")
        == [1, 3, 5, 8.5, 10, 11.5, 18.5, 20.5, 22, 23, 17.5, 20.5])
    // The time for answers is that of the defaults, or what was made of it.
    #expect(
      try seconds(
        question(at: "5", "correct: A, allottedTime: 4"), "at: +1, event: adjustTime, allottedTime: 20", "at: timeUp, event: showResults",
        question(at: "+3", "correct: A, allottedTime: 4"), "at: +1, event: adjustTime, allottedTime: 1, questionNumber: 2",
        "at: timeUp + 1, event: showResults", question(at: "+3", "correct: A"),
        "at: question + 2, event: adjustTime, allottedTime: 99, questionNumber: 1", "at: timeUp, event: showResults")
        == [5, 6, 25, 28, 29, 30, 33, 35, 43])
    #expect(try seconds("at: next - 1, event: poll", "at: next - 1, event: poll", "at: 9, event: poll") == [7, 8, 9])
    // JSON has texts.
    let json = #"{"game":"g","title":"T","cues":[{"at":1,"event":"startGame"},{"at":"+2.5s","event":"endGame"}]}"#
    #expect(try parse(json).events.map(\.time.seconds) == [1, 3.5])
  }

  /// A chain as long as a sheet can be, in both directions.
  @Test func longChains() throws {
    for (first, others, last) in [("1", "+0.5", "+0.5"), ("next - 0.5", "next - 0.5", "9000")] {
      let cues = (0..<9_000).map { index in "at: \(index == 0 ? first : index == 8_999 ? last : others), event: poll" }
      let parsed = try parse(sheet("", cues))
      #expect(
        parsed.events.count == 9_000
          && parsed.events[8_999].time - parsed.events[0].time == MediaTime(seconds: 8_999) - MediaTime(ticks: 404_955_000))
    }
  }

  private static let distanceCases: [([String], [String])] = [
    (["at: +2s, event: poll"], ["5:11: there is no cue before this cue that its time could count from; write a time"]),
    (["at: next - 1, event: poll"], ["5:11: there is no cue after this cue that its time could count from; write a time"]),
    (
      ["at: 1, event: poll", "at: timeUp + 2s, event: poll"],
      ["6:11: there is no askQuestion before this cue that its time could count from; write a time"]
    ),
    (["at: result, event: poll"], ["5:11: there is no showResults before this cue that its time could count from; write a time"]),
    (["at: start, event: startGame"], ["5:11: there is no startGame before this cue that its time could count from; write a time"]),
    (
      ["at: next - 1, event: poll", "at: +1, event: poll"],
      ["6:11: this time and that of the cue in line 5 count from each other; write one as a time"]
    ),
    (
      ["at: 1, event: poll", "at: previous - 3, event: poll"],
      ["6:11: this poll comes 2 s before the programme begins; write a later time, or leave it out"]
    ),
    (
      ["at: timeup + 1, event: poll"],
      ["5:11: \"at\" is \"timeup + 1\", which begins with \"timeup\", from which no time counts; did you mean timeUp?"]
    ),
    (
      ["at: banana + 1, event: poll"],
      [
        "5:11: \"at\" is \"banana + 1\", which begins with \"banana\", from which no time counts; a time counts from previous, next, start, "
          + "question, timeUp, result"
      ]
    ),
    (["at: timeUp +, event: poll"], ["5:11: \"at\" is \"timeUp +\", which is no time; write for example +5s, timeUp + 2s or next - 2s"]),
    (["at: +-2, event: poll"], ["5:11: \"at\" is \"+-2\", which is no time; write for example +5s, timeUp + 2s or next - 2s"]),
    (["at: go, event: poll"], ["5:11: \"at\" is \"go\", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm"]),
    (
      ["at: 999999999, event: poll", "at: +999999999, event: poll"],
      ["6:11: this poll comes after more than 31 years; write an earlier time"]
    ),
    (
      ["at: x, event: poll", "at: +1, event: poll"],
      ["5:11: \"at\" is \"x\", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm"]
    ),
  ]

  @Test(arguments: distanceCases) func mistakesInDistances(cues: [String], expected: [String]) {
    #expect(problems(sheet("", cues)) == expected)
  }

  @Test func timesOfDay() throws {
    let head = "timeOfDay: 20:15:00"
    #expect(
      try ticks(head, "at: 20:15:00, event: a", "at: 20:16:30.5, event: b", "at: 12.5s, event: c", "at: +1, event: d")
        == [0, 8_145_000, 1_125_000, 1_215_000])
    #expect(
      try ticks("timeOfDay: 23:30", "at: 23:59:59, event: a", "at: 00:00:00, event: b", "at: 11:30:00, event: c") == [
        161_910_000, 162_000_000, 3_888_000_000,
      ])
    #expect(
      problems(sheet(head, ["at: 20:16, event: a", "at: 20:14:59, event: b", "at: 24:00:00, event: c", "at: 8:15:01, event: d"])) == [
        "5:11: \"at\" is \"20:16\", which may be a time of day or minutes and seconds; write hh:mm:ss or seconds (12.5s)",
        "6:11: \"at\" is \"20:14:59\", which is before the beginning at 20:15:00; write a later one",
        "7:11: \"at\" is \"24:00:00\", which is no time of day; write hh:mm:ss, below 24:00:00",
        "8:11: \"at\" is \"8:15:01\", which is before the beginning at 20:15:00; write a later one",
      ])
    for wrong in ["24:00:00", "20", "20:60", "20:15:00:00", "[1]"] {
      #expect(problems(sheet("timeOfDay: \(wrong)", ["at: 1, event: a"])).map { $0.prefix(17) } == ["3:12: \"timeOfDay\""], "\(wrong)")
    }
  }

  private static let timecodeCases: [(String, String, String, Int64)] = [
    ("25", "10:00:00:00", "10:00:01:24", Int64(49 * 3_600)), ("24", "10:00:00:00", "10:00:00:01", 3_750),
    ("30", "00:59:59:29", "01:00:00:00", 3_000),
    ("50", "00:00:00:00", "00:00:00:49", 88_200), ("60", "00:00:00:00", "00:00:00:59", 88_500), ("48", "00:00:00:00", "00:00:00:01", 1_875),
    // 23.976: 3,753.75 ticks a frame, to the nearest tick.
    ("23.976", "01:00:00:00", "01:00:00:01", 3_754), ("24000/1001", "01:00:00:00", "01:00:00:02", 7_508),
    ("23.98", "01:00:00:00", "01:00:01:00", 90_090),
    // Without drop frame an hour of numbers lasts 3.6 s longer.
    ("29.97", "00:00:00:00", "01:00:00:00", 324_324_000), ("29.97", "00:00:00;00", "01:00:00;00", 323_999_676),
    ("30000/1001", "00:00:59;29", "00:01:00;02", 3_003), ("29.97", "00:09:59;29", "00:10:00;00", 3_003),
    ("59.94", "00:00:59;59", "00:01:00;04", 1_502), ("60000/1001", "00:00:00;00", "00:00:00;02", 3_003),
    ("59.94", "00:00:00;00", "01:00:00;00", 323_999_676),
    // Past midnight.
    ("25", "23:59:59:24", "00:00:00:00", 3_600), ("29.97", "23:59:59;29", "00:00:00;00", 3_003),
  ]

  @Test(arguments: timecodeCases) func timecodes(rate: String, start: String, cue: String, expected: Int64) throws {
    #expect(try ticks("timecode: { rate: \(rate), start: \(start) }", "at: \(cue), event: a") == [expected])
    if start.hasPrefix("00:00:00") { #expect(try ticks("timecode: { rate: \(rate) }", "at: \(cue), event: a") == [expected]) }
  }

  private static let timecodeMistakes: [(String, String, String)] = [
    (
      "", "10:00:00:00",
      "6:7: \"at\" is \"10:00:00:00\", a timecode; say at the top of the sheet what it counts, as in timecode: { rate: 25 }"
    ),
    ("rate: 25", "10:00:00:25", "6:7: \"at\" is \"10:00:00:25\", which has no such frame: at this rate they go from 00 to 24"),
    ("rate: 25", "10:00:60:00", "6:7: \"at\" is \"10:00:60:00\", which is no timecode; write hh:mm:ss:ff, two digits each"),
    ("rate: 25", "1:00:00:00", "6:7: \"at\" is \"1:00:00:00\", which is no timecode; write hh:mm:ss:ff, two digits each"),
    ("rate: 25", "24:00:00:00", "6:7: \"at\" is \"24:00:00:00\", which is no timecode; write hh:mm:ss:ff, two digits each"),
    (
      "rate: 25", "10:00:00;00",
      "6:7: \"at\" is \"10:00:00;00\", which is a timecode in drop frame, which only 29.97 and 59.94 have; write a colon before the frames"
    ),
    (
      "rate: 29.97, start: 10:00:00;00", "10:01:00;01",
      "6:7: \"at\" is \"10:01:00;01\", which does not exist: drop frame leaves out the first 2 numbers of each minute but every tenth; write 10:01:00;02"
    ),
    (
      "rate: 59.94", "10:19:00;03",
      "6:7: \"at\" is \"10:19:00;03\", which does not exist: drop frame leaves out the first 4 numbers of each minute but every tenth; write 10:19:00;04"
    ),
    (
      "rate: 29.97, start: 10:00:00;00", "10:01:00:02",
      "6:7: \"at\" is \"10:01:00:02\", which is not in drop frame, other than the start; write a semicolon before the frames"
    ),
    (
      "rate: 29.97, start: 10:00:00:00", "10:01:00;02",
      "6:7: \"at\" is \"10:01:00;02\", which is in drop frame, other than the start; write a colon before the frames"
    ),
    (
      "rate: 25, start: 10:00:00:00", "09:59:59:24",
      "6:7: \"at\" is \"09:59:59:24\", which is before the beginning at 10:00:00:00; write a later one"
    ),
    (
      "rate: 25, start: 10:00:00:00", "10:00:05",
      "6:7: \"at\" is \"10:00:05\", which may be a timecode without frames or a time from the beginning; write hh:mm:ss:ff or seconds (12.5s)"
    ),
    ("rate: 26", "10:00:00:00", "4:19: \"rate\" is \"26\"; write 23.976, 24, 25, 29.97, 30, 48, 50, 59.94 or 60"),
    ("rate: 25, start: 5s", "5s", "4:30: \"start\" is \"5s\", which is no timecode; write hh:mm:ss:ff, two digits each"),
    ("start: 10:00:00:00", "5s", "4:11: \"rate\" is missing in \"timecode\"; add it"),
    ("rate: 25, drop: no", "5s", "4:23: unknown key \"drop\"; \"timecode\" has rate, start"),
  ]

  @Test(arguments: timecodeMistakes) func mistakesInTimecodes(head: String, cue: String, expected: String) throws {
    let text = "game: g\ntitle: T\n\n\(head.isEmpty ? "" : "timecode: { \(head) }")\ncues:\n- at: \(cue)\n  event: a\n"
    let found = try #require(problems(text).first)
    #expect(found.hasPrefix(expected))
  }

  @Test func mixedTimecodes() {
    #expect(
      problems(sheet("timecode: { rate: 29.97 }", ["at: 00:00:01:00, event: a", "at: 00:00:02;00, event: b", "at: 00:00:03:00, event: c"]))
        == [
          "6:11: this timecode is in drop frame, other than the one in line 5; write all of one kind"
        ])
  }

  /// Every frame of a day in drop frame has its own timecode, which leads back to it.
  @Test func everyTimecodeOfADay() throws {
    for name in ["29.97", "59.94", "25"] {
      let rate = try #require(FrameRate(name))
      let isDrop = rate.dropped > 0
      let count = Timecode.framesOfDay(rate, isDrop: isDrop)
      #expect(count == (name == "29.97" ? 2_589_408 : name == "59.94" ? 5_178_816 : 2_160_000))
      // Whole minutes and their neighbours, and the rest in steps.
      var frames = Set(stride(from: 0, to: count, by: 997))
      for minute in 0..<1_440 { frames.formUnion((-3...5).map { max(0, min(count - 1, minute * count / 1_440 + $0)) }) }
      var last = ""
      for frame in frames.sorted() {
        let text = Timecode(frame: frame, isDrop: isDrop).text(rate: rate)
        #expect(last < text && (try? Timecode(text, rate: rate)) == Timecode(frame: frame, isDrop: isDrop))
        last = text
        #expect(rate.frames(lasting: rate.duration(of: frame)) == frame && rate.duration(of: -frame) == .zero - rate.duration(of: frame))
      }
    }
  }

  @Test func signedDurations() throws {
    #expect(try MediaTime(signedCueTime: "-1:30") == MediaTime(seconds: -90))
    #expect(try MediaTime(signedCueTime: "+2.5s") == MediaTime(ticks: 225_000))
    #expect(try MediaTime(signedCueTime: "7") == MediaTime(seconds: 7))
    for text in ["", "-", "--1", "+-1", "- 1", "x", "-x"] { #expect(throws: CueTimeError.notATime) { try MediaTime(signedCueTime: text) } }
  }

  @Test func offsets() throws {
    let text = sheet("", ["at: 2, event: startGame", "at: +1, event: endGame"])
    let moved = try CueSheet.parse(Array(text.utf8), policy: CopyPolicy(), answers: .open, offset: MediaTime(seconds: -2))
    #expect(moved.events.map(\.time.seconds) == [0, 1])
    let error = #expect(throws: SheetError.self) {
      try CueSheet.parse(Array(text.utf8), policy: CopyPolicy(), answers: .open, offset: MediaTime(seconds: Double(-2.5)))
    }
    #expect(
      error?.problems.map(\.description) == [
        "5:11: this startGame comes, with the offset of -2.5 s, 0.5 s before the programme begins; write a later time, or leave it out"
      ])
  }

  /// Whatever is written as a time, there is a time or a mistake.
  @Test func cutAndDamagedTimes() {
    var random = SeededNumbers(seed: 5)
    let times = ["timeUp + 2s", "next - 00:01.5", "10:01:00;02", "20:15:30.25", "previous", "+5s"]
    for time in times {
      for count in 0...time.utf8.count { check(String(time.prefix(count))) }
      for _ in 0..<200 {
        var bytes = Array(time.utf8)
        for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = Array("+-:;. 059aUst".utf8)[random.below(13)] }
        check(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  private func check(_ time: String) {
    for head in ["timecode: { rate: 29.97, start: 10:00:00;00 }", "timeOfDay: 20:15", ""] {
      let cues = [
        "at: 1, event: startGame", question(at: "2", "correct: A"), "at: \"\(time)\", event: showResults", "at: 99999s, event: endGame",
      ]
      let reading = CueSheet.read(Array(sheet(head, cues).utf8), policy: CopyPolicy(), answers: .open)
      #expect((reading.sheet == nil) == !reading.mistakes.isEmpty && reading.mistakes.allSatisfy { $0.line == 7 }, "\(time)")
    }
  }
}
