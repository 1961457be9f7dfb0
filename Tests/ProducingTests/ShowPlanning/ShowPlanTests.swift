import Basics
import CueSheet
import EventSchedule
import GameEvents
import Questions
import Sheets
import Testing

@testable import ShowPlanning

extension MediaTime {
  static func s(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds) }
}

/// When what happens in a planned show, and the cue sheet of it.
@Suite struct ShowPlanTests {
  static func plan(_ count: Int, _ change: (inout PlanOptions) -> Void = { _ in }) throws -> ShowPlan {
    var options = PlanOptions(game: "g", title: "T")
    change(&options)
    return try ShowPlan(SelectionTests.questions(count), options)
  }

  static func times(_ plan: ShowPlan) -> [MediaTime] {
    plan.cues.compactMap { if case .ask = $0.content { $0.time } else { nil } }
  }

  @Test func theUsualTimes() throws {
    let plan = try Self.plan(2)
    #expect(plan.cues.map(\.time) == [0, 12, 24, 42, 54, 59].map { .s($0) } && plan.interval == .s(30) && plan.questionCount == 2)
    #expect(plan.cues.first == PlannedCue(at: .zero, .startGame(startsIn: .s(10))))
  }

  @Test func everyTimeCanBeSaid() throws {
    let plan = try Self.plan(2) {
      $0.start = .s(10)
      $0.interval = .s(20.5)
      $0.allottedTime = .s(6)
      $0.resultDelay = .s(1.25)
      $0.infoInterval = .s(15)
      $0.viewers = 7
    }
    #expect(plan.cues.map(\.time) == [0, 12, 19.25, 25, 32.5, 39.75, 40, 44.75].map { .s($0) })
    #expect(plan.cues.filter { $0.content == .periodicInfo(viewers: 7) }.map(\.time) == [.s(25), .s(40)])
  }

  @Test func aCountdownWhereThereIsRoom() throws {
    // The start, what is kept free, when the start is announced, and how long before.
    let cases: [(Double, [Range<Double>], Double, Double?)] = [
      (0, [], 0, nil), (2.999, [], 2.999, nil), (3, [], 0, 3), (10, [], 0, 10), (12.5, [], 2.5, 10), (20, [12..<15.5], 15.5, 4.5),
      (20, [12..<18], 20, nil), (20, [2..<5], 10, 10), (20, [15..<30], 20 + 10, nil), (20, [40..<50], 10, 10),
    ]
    for (start, keptFree, time, startsIn) in cases {
      let plan = try Self.plan(1) {
        $0.start = .s(start)
        $0.keptFree = keptFree.map { .s($0.lowerBound)..<(.s($0.upperBound)) }
      }
      #expect(plan.cues.first == PlannedCue(at: .s(time), .startGame(startsIn: startsIn.map { .s($0) })), "\(start) \(keptFree)")
      let sheet = try CueSheet.parse(try plan.cueSheet(), policy: CopyPolicy(), answers: .open)
      guard case .startGame(let content) = sheet.events[0].event.content else { return #expect(Bool(false)) }
      #expect(content.startsIn == startsIn.map { .s($0) } && sheet.events[0].event.at == .s(time))
    }
  }

  /// Where nothing says when the game starts, there is a whole countdown, or as much of it as the questions leave.
  @Test func aCountdownUnlessTheQuestionsNeedTheTime() throws {
    // The programme's length, how many questions, what is kept free, when the start is announced, and when it is.
    let cases: [(Double?, Int, [Range<Double>], Double, Double)] = [
      (nil, 2, [], 0, 10), (120, 2, [], 0, 10), (44, 2, [], 0, 10), (43.999, 2, [], 0, 9), (40, 2, [], 0, 6), (37, 2, [], 0, 3),
      (36.999, 2, [], 2, 2), (35, 2, [], 1, 1), (nil, 2, [0..<0.5], 0.5, 10.5), (nil, 2, [5..<30, 35..<36, 65..<90], 36, 46),
      (100, 2, [5..<30], 30, 40), (68, 2, [5..<30], 30, 34), (64, 2, [5..<30], 30, 30), (60, 1, [5..<30], 30, 40),
    ]
    for (length, count, keptFree, announced, start) in cases {
      let plan = try Self.plan(2) {
        $0.selection.number = count
        $0.length = length.map { .s($0) }
        $0.keptFree = keptFree.map { .s($0.lowerBound)..<(.s($0.upperBound)) }
      }
      let startsIn = start > announced ? MediaTime.s(start) - .s(announced) : nil
      #expect(
        plan.cues.first == PlannedCue(at: .s(announced), .startGame(startsIn: startsIn)), "\(String(describing: length)) \(keptFree)")
      #expect(Self.times(plan).first == .s(start + 2) && plan.questionCount == count)
    }
    // Of as many as fit, none is left out for the countdown.
    let most = try Self.plan(9) { $0.length = .s(55) }
    #expect(most.questionCount == 2 && most.cues.first == PlannedCue(at: .zero, .startGame(startsIn: .s(5))))
    #expect(throws: PlanningError.doesNotFit(questions: 2, needed: .s(35), length: .s(34.9), fitting: 1)) {
      try Self.plan(2) {
        $0.selection.number = 2
        $0.length = .s(34.9)
      }
    }
  }

  @Test func timesAreWholeMilliseconds() throws {
    let plan = try Self.plan(20) {
      $0.start = MediaTime(ticks: 90_001)
      $0.interval = MediaTime(ticks: 2_700_089)
      $0.allottedTime = MediaTime(ticks: 900_045)
      $0.keptFree = [MediaTime(ticks: 5_000_000)..<MediaTime(ticks: 6_000_001)]
    }
    #expect(plan.cues.allSatisfy { $0.time.ticks.isMultiple(of: 90) })
  }

  @Test func whatIsKeptFree() throws {
    let plan = try Self.plan(4) {
      // The second question's result would come in the first range; the game would end in the last.
      $0.keptFree = [.s(45)..<(.s(50)), .s(49)..<(.s(60)), .s(130)..<(.s(140)), .s(0)..<(.s(2))]
      $0.infoInterval = .s(5)
    }
    #expect(plan.cues.first?.time == .s(2) && Self.times(plan) == [.s(14), .s(60), .s(90), .s(140)] && plan.end == .s(157))
    let touched = plan.cues.filter { cue in
      [45.0..<60, 130..<140, 0..<2].contains { (.s($0.lowerBound)..<(.s($0.upperBound))).contains(cue.time) }
    }
    #expect(touched == [])
  }

  @Test func questionsThatAreTooClose() {
    #expect(throws: PlanningError.intervalTooShort(.s(13), least: .s(14))) { try Self.plan(2) { $0.interval = .s(13) } }
    #expect(throws: PlanningError.tooManyCues(limit: 100_000)) {
      try Self.plan(2) {
        $0.infoInterval = .s(0.001)
        $0.interval = .s(1_000)
      }
    }
  }

  @Test func spreadOverALength() throws {
    let plan = try Self.plan(10) {
      $0.selection.number = 10
      $0.length = .s(300)
    }
    // A second more, and the end would be in the last two segments of 6 seconds.
    #expect(plan.end == .s(281) && plan.interval == .s(28))
    // Ten questions closer than usual.
    let close = try Self.plan(10) {
      $0.selection.number = 10
      $0.length = .s(160)
    }
    #expect(close.end <= .s(159) && close.interval >= .s(14) && close.interval < .s(16))
  }

  @Test func asManyAsFit() throws {
    let plan = try Self.plan(100) {
      $0.length = .s(300)
      $0.interval = .s(30)
    }
    #expect(plan.questionCount == 10 && plan.interval == .s(30))
    let spread = try Self.plan(100) { $0.length = .s(309) }
    #expect(spread.questionCount == 10 && spread.interval == .s(31))
    #expect(spread.choiceCount == 100 && spread.closest == ShowPlan.Closest(interval: .s(14), fitting: 21))
    let few = try Self.plan(3) { $0.length = .s(300) }
    #expect(few.choiceCount == 3 && few.closest == nil)
    #expect(few.questionCount == 3 && few.end <= .s(288) && few.end > .s(286))
  }

  @Test func whatDoesNotFit() {
    #expect(throws: PlanningError.doesNotFit(questions: 10, needed: .s(147), length: .s(100), fitting: 6)) {
      try Self.plan(10) {
        $0.selection.number = 10
        $0.length = .s(100)
      }
    }
    let error = PlanningError.doesNotFit(questions: 10, needed: .s(147), length: .s(100), fitting: 6)
    #expect("\(error)" == "10 questions need 02:27.000, and the programme has 01:40.000: 00:47.000 too much; 6 fit")
    #expect(throws: PlanningError.doesNotFit(questions: 1, needed: .s(21), length: .s(20.5), fitting: 0)) {
      try Self.plan(10) { $0.length = .s(20.5) }
    }
  }

  /// Whatever the options, the plan keeps what it promises, and the widest interval is the widest.
  @Test func generatedPlans() throws {
    var random = SeededNumbers(seed: 21)
    for _ in 0..<200 {
      let count = Int.random(in: 1...20, using: &random)
      var options = PlanOptions(game: "g", title: "T")
      options.selection.number = count
      if Bool.random(using: &random) { options.start = .s(Double.random(in: 0...20, using: &random)) }
      options.allottedTime = .s(Double.random(in: 1...20, using: &random))
      options.resultDelay = .s(Double.random(in: 0...5, using: &random))
      options.length = .s(Double.random(in: 10...900, using: &random))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let from = Double.random(in: 0...600, using: &random)
        options.keptFree.append(.s(from)..<(.s(from + Double.random(in: 0.1...60, using: &random))))
      }
      guard let plan = try? ShowPlan(SelectionTests.questions(count), options) else { continue }
      #expect(plan.questionCount == count && plan.end <= .s(-1) + (options.length ?? .zero))
      for cue in plan.cues { #expect(!options.keptFree.contains { $0.contains(cue.time) }) }
      let times = Self.times(plan)
      for (one, next) in zip(times, times.dropFirst()) { #expect(next >= one + plan.interval) }
      if count > 1 {
        let first = plan.cues[0]
        let startsIn = if case .startGame(let startsIn?) = first.content { startsIn } else { MediaTime.zero }
        options.start = first.time + startsIn
        let maker = TimetableMaker(options)
        // It is rounded down to seconds, or tenths, or milliseconds.
        let ticks = plan.interval.ticks
        let step: Int64 = ticks % 90_000 == 0 ? 90_000 : ticks % 9_000 == 0 ? 9_000 : 90
        let spans = [MediaTime](repeating: options.allottedTime.wholeMilliseconds + options.resultDelay.wholeMilliseconds, count: count)
        let wider = maker.timetable(spans, interval: MediaTime(ticks: ticks + step)).end
        let closest = maker.timetable(spans, interval: options.leastInterval(of: SelectionTests.questions(count))).end
        let length = options.length ?? .zero
        #expect(wider > length - (closest <= length - .s(12) ? .s(12) : .s(1)))
      }
    }
  }

  @Test func theCueSheet() throws {
    let question = Question(
      text: "Which: planet?", answers: ["Mars", "Io"], correctAnswer: 0, points: [2, -1], category: "Science & Nature", difficulty: .hard,
      explanation: "It is.", link: "https://example.com")
    var options = PlanOptions(game: "friday", title: "Friday Night")
    options.selection.seed = 2
    options.infoInterval = .s(10)
    options.allottedTime = .s(7.5)
    let text = try ShowPlan([question], options).cueSheet(comments: ["made\nby hand"])
    #expect(
      text == """
        # made by hand
        game: friday
        title: Friday Night
        defaults: { allottedTime: 7.5 }
        cues:
          - { at: 00:00.000, event: startGame, startsIn: 10 }
          - at: 00:12.000
            event: askQuestion
            question: "Which: planet?"
            answers: [Io, Mars]
            correct: Mars
            category: "Science & Nature"
            difficulty: hard
          - { at: 00:20.000, event: periodicInfo, viewers: 0 }
          - at: 00:21.500
            event: showResults
            points: [-1, 2]
            explanation: It is.
            url: "https://example.com"
          - { at: 00:26.500, event: endGame }

        """)
    let sheet = try CueSheet.parse(text, policy: CopyPolicy(), answers: .open)
    guard case .showResults(let results) = sheet.events[3].event.content else { return #expect(Bool(false)) }
    #expect(results.points == [-1, 2] && results.explanation == "It is." && results.url == "https://example.com")
    guard case .askQuestion(let asked) = sheet.events[1].event.content else { return #expect(Bool(false)) }
    #expect(asked.answers == ["Io", "Mars"] && asked.correctAnswer == 1 && asked.allottedTime == .s(7.5))
    #expect(!sheet.events[1].event.content.object.text.contains("oints") && !sheet.events[1].event.content.object.text.contains("It is"))
  }

  /// What question banks accept, stamps: the largest questions make tags within the limit.
  @Test func theLargestQuestionsFitTheirTags() throws {
    let answers = (0..<9).map { "\($0)\(String(repeating: "a", count: 17))" }
    let question = Question(
      text: String(repeating: "q", count: 308), answers: answers, correctAnswer: 8, points: [Int](repeating: -1_000_000, count: 9),
      category: String(repeating: "c", count: 26), difficulty: .medium, explanation: String(repeating: "e", count: 400),
      link: "https://\(String(repeating: "l", count: 45))")
    var options = PlanOptions(game: String(repeating: "g", count: 100), title: String(repeating: "t", count: 100))
    options.selection.seed = 3
    options.start = PlanOptions.largestTime
    let text = try ShowPlan([question], options).cueSheet()
    #expect(text.contains("askQuestion"))
    options.game = String(repeating: "g", count: 1_900)
    let plan = try ShowPlan([question], options)
    #expect(throws: PlanningError.self) { try plan.cueSheet() }
  }

  /// A question's own time decides when its result comes, and when the next question may come.
  @Test func questionsWithTimesAndPictures() throws {
    var questions = SelectionTests.questions(4)
    questions[0].allottedTime = .s(20)
    questions[1].allottedTime = .s(60)
    questions[1].media.picture = QuestionMedia.Picture(
      address: try #require(MediaAddress("https://a.example/b.png")), text: "A map", size: QuestionMedia.Size(width: 640, height: 480))
    questions[2].allottedTime = .s(10)
    let plan = try ShowPlan(questions, PlanOptions(game: "g", title: "T"))
    #expect(Self.times(plan) == [12, 42, 106, 136].map { .s($0) } && plan.end == .s(153))
    #expect(
      plan.cues.filter { if case .showResults = $0.content { true } else { false } }.map(\.time) == [34, 104, 118, 148].map { .s($0) })
    let text = try plan.cueSheet()
    #expect(
      text.contains(
        """
            picture: "https://a.example/b.png"
            pictureText: A map
            pictureSize: [640, 480]
        """))
    let sheet = try CueSheet.parse(text, policy: CopyPolicy(), answers: .open)
    let times = sheet.events.compactMap { if case .askQuestion(let question) = $0.event.content { question.allottedTime } else { nil } }
    #expect(times == [.s(20), .s(60), .s(10), .s(10)] && text.ranges(of: "    allottedTime: ").count == 2)
    // What fits counts with the times that questions need.
    func fitting(_ length: Double) throws -> Int {
      var options = PlanOptions(game: "g", title: "T")
      options.length = .s(length)
      return try ShowPlan(questions, options).questionCount
    }
    #expect(try [31, 100, 101, 114, 115, 145].map { try fitting($0) } == [1, 1, 2, 2, 3, 4])
    // Only a question without a time of its own makes an interval too short.
    #expect(throws: PlanningError.intervalTooShort(.s(13), least: .s(14))) {
      var options = PlanOptions(game: "g", title: "T")
      options.interval = .s(13)
      return try ShowPlan(questions, options)
    }
    for index in questions.indices { questions[index].allottedTime = .s(5) }
    var options = PlanOptions(game: "g", title: "T")
    options.interval = .s(9)
    #expect(try Self.times(ShowPlan(questions, options)) == [12, 21, 30, 39].map { .s($0) })
  }

  /// What a plan chooses itself is in whole seconds, or in tenths.
  @Test(arguments: [60.011, 61.377, 119.96, 300.04, 1_800.123]) func timesAreRound(length: Double) throws {
    for count in 1...8 {
      for avoid in [nil, 20.033] {
        let plan = try? Self.plan(count) {
          $0.selection.number = count
          $0.length = .s(length)
          if let avoid { $0.keptFree = [.s(avoid)..<(.s(avoid + 3.004))] }
        }
        guard let plan else { continue }
        #expect(plan.cues.allSatisfy { $0.time.ticks.isMultiple(of: 9_000) }, "\(plan.cues.map(\.time.clockText))")
        if avoid == nil, plan.interval >= .s(15) { #expect(plan.cues.allSatisfy { $0.time.ticks.isMultiple(of: 90_000) }) }
      }
    }
  }

  @Test func theSameBytesFromTheSameSeed() throws {
    func text(_ seed: UInt64) throws -> String {
      try Self.plan(30) {
        $0.selection.order = .shuffled
        $0.selection.seed = seed
      }.cueSheet()
    }
    #expect(try text(5) == text(5))
    #expect(try text(5) != text(6))
  }

  @Test func anyTextSurvives() throws {
    var random = SeededNumbers(seed: 14)
    let ink = Array("aZé😀π '\"\\:#,[]{}&*!|>%@`?-_=~<>\t\n0.9\u{A0}\u{2028}\u{FEFF}и漢\u{85}\u{7F}".unicodeScalars)
    func text() -> String {
      String(String.UnicodeScalarView((0..<12).compactMap { _ in ink.randomElement(using: &random) })) + "."
    }
    for _ in 0..<100 {
      let question = Question(text: "q\(text())", answers: ["x\(text())", "y\(text())"], correctAnswer: 1, explanation: "e\(text())")
      let sheet = try CueSheet.parse(
        try ShowPlan([question], PlanOptions(game: "g\(text())", title: "t\(text())")).cueSheet(), policy: CopyPolicy(), answers: .open)
      guard case .askQuestion(let asked) = sheet.events[1].event.content else { return #expect(Bool(false)) }
      #expect(Set(asked.answers) == Set(question.answers) && asked.question == question.text)
      #expect(asked.correctAnswer.map { asked.answers[$0] } == question.rightAnswer)
      guard case .showResults(let results) = sheet.events[2].event.content else { return #expect(Bool(false)) }
      #expect(results.explanation == question.explanation)
    }
  }
}
