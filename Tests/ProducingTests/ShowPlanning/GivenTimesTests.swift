import Basics
import Questions
import Sheets
import Testing

@testable import ShowPlanning

/// Shows whose questions are asked at times that they or markers give.
@Suite struct GivenTimesTests {
  private static func question(_ text: String, at time: String? = nil) -> Question {
    Question(text: text, answers: ["a", "b"], correctAnswer: 0, time: time)
  }

  private static func times(_ questions: [Question], _ change: (inout PlanOptions) -> Void = { _ in }) throws(PlanningError) -> [String] {
    var options = PlanOptions(game: "g", title: "t")
    change(&options)
    return try ShowPlan(questions, options).cues.compactMap { cue in
      guard case .ask(let question) = cue.content else { return nil }
      return "\(question.text) \(cue.time.clockText)"
    }
  }

  private static func failure(_ questions: [Question], _ change: (inout PlanOptions) -> Void = { _ in }) -> String? {
    do throws(PlanningError) {
      _ = try times(questions, change)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func timesOfQuestions() throws {
    let questions = [Self.question("B", at: "1:30"), Self.question("A", at: "12"), Self.question("C", at: "00:02:30.5")]
    #expect(try Self.times(questions) == ["A 00:12.000", "B 01:30.000", "C 02:30.500"])
    let plan = try ShowPlan(questions, PlanOptions(game: "g", title: "t"))
    #expect(plan.cues.map { $0.time.clockText }.first == "00:00.000" && plan.end.clockText == "02:47.500" && plan.hasGivenTimes)
    #expect(try Self.times(questions) { $0.selection.number = 2 } == ["A 00:12.000", "B 01:30.000"])
    #expect(
      Self.failure(questions + [Self.question("D")]) == "other questions have a time, and \"D\" has none; give it one, or leave it out")
    #expect(
      Self.failure([Self.question("A", at: "10"), Self.question("B", at: "21")])
        == "\"B\" is asked at 00:21.000, before the result of the question before it at 00:22.000; "
        + "move it, or take less time with --allotted-time and --result-delay")
    #expect(Self.failure(questions) { $0.length = MediaTime(seconds: 120) }?.hasSuffix("2 fit") == true)
    #expect(
      Self.failure(questions) { $0.start = MediaTime(seconds: 20) }
        == "the time \"00:12.000\" is the first question, before the start at 00:20.000")
  }

  @Test func timecodes() throws {
    let questions = [Self.question("A", at: "01:00:10:12"), Self.question("B", at: "01:01:00:00")]
    let rate = PlanTimecodes(frameRate: "25", first: "01:00:00:00")
    #expect(try Self.times(questions) { $0.timecodes = rate } == ["A 00:10.480", "B 01:00.000"])
    let drop = [Self.question("A", at: "00:01:00;02")]
    #expect(try Self.times(drop) { $0.timecodes = PlanTimecodes(frameRate: "29.97") } == ["A 01:00.060"])
    #expect(
      Self.failure(questions)
        == "the time \"01:00:10:12\" is a timecode with frames; say how many there are in a second with --frame-rate, such as 25 or 29.97")
    #expect(Self.failure(drop) { $0.timecodes = rate } == "the time \"00:01:00;02\" is in drop frame, which only 29.97 and 59.94 have")
    #expect(
      Self.failure([Self.question("A", at: "00:00:10:00")]) { $0.timecodes = rate }
        == "the time \"00:00:10:00\" is before the first timecode")
  }

  @Test func markers() throws {
    let questions = ["Who?", "Why?", "How?"].map { Self.question($0) }
    func marked(_ names: [String]) -> [MarkerList.Marker] {
      names.enumerated().map { MarkerList.Marker(time: "\(60 - 20 * $0.offset)", name: $0.element) }
    }
    #expect(try Self.times(questions) { $0.markers = marked(["x", "y", "z"]) } == ["Who? 00:20.000", "Why? 00:40.000", "How? 01:00.000"])
    #expect(
      try Self.times(questions) { $0.markers = marked(["WHO", "how", "why"]) } == ["Why? 00:20.000", "How? 00:40.000", "Who? 01:00.000"])
    #expect(try Self.times(questions) { $0.markers = marked(["x", "y"]) } == ["Who? 00:40.000", "Why? 01:00.000"])
    #expect(
      Self.failure(questions) {
        $0.markers = marked(["x"])
        $0.selection.number = 2
      } == "2 questions are wanted, and there are 1 marker; ask for fewer, or set more")
    #expect(Self.failure(questions) { $0.markers = marked(["who", "x"]) }?.contains("\"Why?\" has none") == true)
  }

  /// A sheet with distances is read as the same show, and one question more moves what follows.
  @Test func relativeTimes() throws {
    var options = PlanOptions(game: "g", title: "t")
    options.selection.seed = 1
    let questions = ["Who?", "Why?"].map { Self.question($0) }
    let plain = try ShowPlan(questions, options)
    options.hasRelativeTimes = true
    let sheet = try ShowPlan(questions, options).cueSheet()
    let moments = sheet.split(separator: "\n").filter { $0.contains("at: ") }.map {
      $0.split(separator: "at: ")[1].split(separator: ",")[0]
    }
    #expect(plain.cues.map { $0.time.clockText }.first == "00:00.000")
    #expect(moments == ["00:00.000", "previous + 12s", "timeUp + 2s", "previous + 18s", "timeUp + 2s", "previous + 5s"])
  }
}
