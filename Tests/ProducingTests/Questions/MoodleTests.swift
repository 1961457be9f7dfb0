import Basics
import GameEvents
import Sheets
import TestSupport
import Testing
import XML

@testable import Questions

/// GIFT, Aiken and XML, the formats of Moodle for questions.
@Suite struct MoodleTests {
  static let gift = #"""
    // A comment.
    $CATEGORY: $course$/top/Science

    ::Q1:: Who's buried in Grant's \{tomb\}? {
      =Grant#Right\: he is.
      ~no one#Wrong.
      ~[html]<p>Mary &amp; Jefferson</p>
    }

    ::Truth::The sun \= a star. {TRUE#Look again#Indeed####Stars shine.}

    The moon is a star. {F}

    Two plus {~three =four ~five} is even.

    [html]<p>Which <b>metal</b> is liquid?</p>{~%-50%Iron =%100%Mercury}

    """#

  @Test func questionsInGIFT() {
    let reading = QuizFile.read(Array(Self.gift.utf8), format: .gift)
    #expect(reading.problems == [])
    #expect(
      reading.bank.questions == [
        Placed(
          Question(
            text: "Who's buried in Grant's {tomb}?", answers: ["Grant", "no one", "Mary & Jefferson"], correctAnswer: 0,
            category: "Science",
            explanation: "Right: he is."), at: SheetPlace(4, 1)),
        Placed(
          Question(
            text: "The sun = a star.", answers: ["True", "False"], correctAnswer: 0, category: "Science", explanation: "Stars shine."),
          at: SheetPlace(10, 1)),
        Placed(
          Question(text: "The moon is a star.", answers: ["True", "False"], correctAnswer: 1, category: "Science"), at: SheetPlace(12, 1)),
        Placed(
          Question(text: "Two plus _____ is even.", answers: ["three", "four", "five"], correctAnswer: 1, category: "Science"),
          at: SheetPlace(14, 1)),
        Placed(
          Question(text: "Which metal is liquid?", answers: ["Iron", "Mercury"], correctAnswer: 1, category: "Science"),
          at: SheetPlace(16, 1)),
      ])
    #expect(QuizFile.read(Array(Self.gift.utf8), format: nil) == reading)
    #expect(QuizFile.read(Array(Self.gift.replacing("\n", with: "\r\n").utf8), format: .gift) == reading)
  }

  /// Questions that a game cannot ask are named, and the others are read.
  @Test(arguments: [
    ("Write. {}", "1:8: an essay"),
    ("Match {=a -> b =c -> d}", "1:7: a question of pairs"), ("How many? {#many}", "1:11: a question for such a number"),
    ("How many? {#0.1234567:0}", "1:11: a question for such a number"), ("How many? {#1e300}", "1:11: a question for such a number"),
  ])
  func otherKinds(text: String, message: String) {
    let reading = QuizFile.read(Array("\(text)\n\nQ {=a ~b}\n".utf8), format: .gift)
    #expect(reading.problems == [] && reading.notices.map(\.description) == [message + " cannot be asked, so it is left out"])
    #expect(reading.bank.questions.map(\.value) == [Question(text: "Q", answers: ["a", "b"], correctAnswer: 0)])
    let alone = QuizFile.read(Array(text.utf8), format: .gift)
    #expect(
      alone.problems.map(\.message) == [
        "no question of this file can be asked: \(message.drop { $0 != " " }.dropFirst()) cannot be asked, so it is left out"
      ])
  }

  @Test func mistakesInGIFT() {
    func problems(_ text: String) -> [String] { QuizFile.read(Array(text.utf8), format: .gift).problems.map(\.description) }
    #expect(problems("Just a text.") == ["1:1: this text has no answers; write them in braces, as in {=Mercury ~Iron}, or remove it"])
    #expect(problems("Q {=a ~b\n\nR {=a ~b}") == ["1:3: this brace is never closed before the next blank line; add one after the answers"])
    #expect(problems("Q {=a ~b} {") == ["1:11: a second brace in one question; part questions by blank lines"])
    #expect(
      problems("Odd {yes}") == [
        "1:5: this question has no answers; write the right ones with = and the others with ~, or remove it"
      ])
    #expect(problems("Q {~a ~b}") == ["1:3: no answer is right; write = before the right one"])
    #expect(problems("Q {=a ~a}") == ["1:7: the answer \"a\" is already in line 1, column 4; make all answers different"])
    #expect(
      problems("") == ["1:1: there is no question; write one with its answers in braces, as in Which metal is liquid? {=Mercury ~Iron}"])
    #expect(problems(String(repeating: "a", count: 70_000)).map { $0.prefix(40) } == ["1:1: this question has more than 65536 c"])
  }

  static let aiken = """
    What is the capital
    of France?
    A. Lyon
    B) Paris
    ANSWER: B

    Is it so?
    A. True
    B. False
    ANSWER: A
    """

  @Test func questionsInAiken() {
    let reading = QuizFile.read(Array(Self.aiken.utf8), format: .aiken)
    let expected = [
      Placed(Question(text: "What is the capital\nof France?", answers: ["Lyon", "Paris"], correctAnswer: 1), at: SheetPlace(1, 1)),
      Placed(Question(text: "Is it so?", answers: ["True", "False"], correctAnswer: 0), at: SheetPlace(7, 1)),
    ]
    #expect(reading == QuestionBank.Reading(QuestionBank(questions: expected)))
    #expect(QuizFile.read(Array(Self.aiken.utf8), format: nil) == reading)
    #expect(QuizFile.read(Array(Self.aiken.replacing("\n", with: "\r\n").utf8), format: .aiken) == reading)
  }

  @Test func mistakesInAiken() {
    func problems(_ text: String) -> [String] { QuizFile.read(Array(text.utf8), format: .aiken).problems.map(\.description) }
    #expect(problems("Q\nA. a\nB. b\nANSWER: C") == ["4:1: \"C\" is none of the answers; write the letter of the right one"])
    #expect(problems("Q\nA. a\nB. b\nANSWER: A, B") == ["4:1: \"A, B\" is none of the answers; write the letter of the right one"])
    #expect(problems("Q\nA. a\nC. b\nANSWER: A") == ["3:1: the answer C comes where B is expected; letter them from A on"])
    #expect(problems("Q\nA. a\nB. b") == ["1:1: this question has no line such as ANSWER: A; add it after the answers"])
    #expect(problems("ANSWER: A") == ["1:1: there is no question before this line; write it and its answers above"])
    #expect(
      problems("Q\nA. a\nB. b\nR\nANSWER: A") == [
        "4:1: this line is no answer; begin answers with A. or A), and say ANSWER: A before the next question"
      ])
    #expect(problems("") == ["1:1: there is no question; write it on a line, then A. and B. with the answers, and ANSWER: A"])
  }

  /// What people write for Aiken's format is read: any case and sign, numbers, headings, blank lines, and any text encoding.
  @Test func looseAiken() {
    let text = """
      Round 1

      1. What is the capital of France?

      a) Lyon
      b) Paris

      Answer: b

      2) Which is a planet?
      A: Mars
      B: the Sun
      ANSWER : A.
      Round 2: Music
      3. Who wrote
      "Für Elise"?
      (a) Beethoven
      (b)\u{A0}Bach
      Antwort: Bach
      """
    let expected = [
      Question(text: "What is the capital of France?", answers: ["Lyon", "Paris"], correctAnswer: 1),
      Question(text: "Which is a planet?", answers: ["Mars", "the Sun"], correctAnswer: 0),
      Question(text: "Who wrote\n\"Für Elise\"?", answers: ["Beethoven", "Bach"], correctAnswer: 1),
    ]
    let western = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    for bytes in [Array(text.utf8), [0xEF, 0xBB, 0xBF] + text.replacing("\n", with: "\r\n").utf8, western] {
      for format in [BankFormat.aiken, nil] {
        let reading = QuizFile.read(bytes, format: format)
        #expect(reading.bank.questions.map(\.value) == expected && reading.problems == [])
        #expect(reading.notices.suffix(2).map(\.line) == [1, 14])
      }
    }
  }

  /// A mistake in one question is none of the next one.
  @Test func nothingIsGluedIntoTheNextQuestion() {
    let next = "Good?\nA. yes\nB. no\nANSWER: A\n"
    let cases: [(String, String)] = [
      ("Q\nA. a\nB. b\n\n", "1:1: this question has no line such as ANSWER: A; add it after the answers"),
      ("Q\nA. a\nB. b\n", "1:1: this question has no line such as ANSWER: A; add it after the answers"),
      ("A long text without answers\n\n", "1:1: this text has no answers; write A. and B. with the answers below it, or remove it"),
      ("Q\nA. a\n*B. b\n\n", "3:1: the right answer is marked with *; \(AikenText.advice)"),
      ("1. Q? a) x b) y *c) z\n", "1:1: this line has a question and its answers; \(AikenText.advice)"),
      ("A. a\nB. b\nANSWER: A\n", "1:1: there is no question before this answer; write it above"),
      ("Q\nA. a\nC. b\nANSWER: A\n", "3:1: the answer C comes where B is expected; letter them from A on"),
      (
        "Q\nA. a\nB. b\nmore\nC. c\nANSWER: A\n",
        "4:1: this line is no answer; begin answers with A. or A), and say ANSWER: A before the next question"
      ),
    ]
    for (text, message) in cases {
      let reading = QuizFile.read(Array((text + next).utf8), format: .aiken)
      #expect(reading.problems.map(\.description) == [message], "\(text)")
      #expect(reading.bank.questions.map(\.value) == [Question(text: "Good?", answers: ["yes", "no"], correctAnswer: 0)], "\(text)")
    }
    // A date and initials are no numbers and no letters.
    let dates = QuizFile.read(Array("3. Oktober: was?\nA. U.S. day\nB. J. Bach\nANSWER: B".utf8), format: .aiken)
    #expect(dates.bank.questions.map(\.value.text) == ["3. Oktober: was?"] && dates.problems == [])
  }

  @Test func partsOfThePointsInGIFT() {
    let reading = QuizFile.read(
      Array("Q {=right ~%25%near ~far}\n\nR {=%100%a ~%-50%b}\n$CATEGORY: x/Art\nS {~no =yes}\n".utf8), format: .gift)
    #expect(
      reading
        == QuestionBank.Reading(
          QuestionBank(questions: [
            Placed(Question(text: "Q", answers: ["right", "near", "far"], correctAnswer: 0), at: SheetPlace(1, 1)),
            Placed(Question(text: "R", answers: ["a", "b"], correctAnswer: 0), at: SheetPlace(3, 1)),
            Placed(Question(text: "S", answers: ["no", "yes"], correctAnswer: 1, category: "Art"), at: SheetPlace(5, 1)),
          ]),
          notices: [SheetProblem(at: SheetPlace(1, 11), "a wrong answer is worth a part of the points, which is left out")]))
  }

  static let xml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <quiz>
    <!-- question: 0  -->
      <question type="category"><category><text>$course$/top/Science</text></category></question>
      <question type="multichoice">
        <name><text>Metal</text></name>
        <questiontext format="html"><text><![CDATA[<p>Which <b>metal</b> is liquid &amp; heavy?</p>]]></text></questiontext>
        <generalfeedback format="html"><text>It freezes at -39 &#176;C.</text></generalfeedback>
        <defaultgrade>1.0000000</defaultgrade><single>true</single>
        <answer fraction="0" format="html"><text>Iron</text><feedback format="html"><text>No.</text></feedback></answer>
        <answer fraction="100" format="html"><text>Mercury</text><feedback format="html"><text>Yes.</text></feedback></answer>
        <answer fraction="33.33333"><text>Gallium</text></answer>
      </question>
      <question type="truefalse">
        <questiontext format="plain_text"><text>The Sun is a star.</text></questiontext>
        <answer fraction="100"><text>true</text><feedback><text>Of course.</text></feedback></answer>
        <answer fraction="0"><text>false</text></answer>
      </question>
      <question type="description"><questiontext><text>Part two</text></questiontext></question>
      <question type="essay"><questiontext><text>Why?</text></questiontext></question>
      <question type="multichoice"><questiontext><text>Both?</text></questiontext><single>false</single>
        <answer fraction="50"><text>a</text></answer><answer fraction="50"><text>b</text></answer></question>
      <question type="multichoice"><questiontext><text>None?</text></questiontext><answer fraction="0"><text>a</text></answer></question>
    </quiz>
    """

  /// Moodle's XML, whatever the file is called, with one notice or mistake for each question that is no game's.
  @Test(.enabled(if: XMLText.isAvailable), arguments: [nil, BankFormat.csv, .gift]) func moodleXML(format: BankFormat?) {
    let metal = Question(
      text: "Which metal is liquid & heavy?", answers: ["Iron", "Mercury", "Gallium"], correctAnswer: 1, category: "Science",
      explanation: "It freezes at -39 °C.")
    let sun = Question(
      text: "The Sun is a star.", answers: ["True", "False"], correctAnswer: 0, category: "Science", explanation: "Of course.")
    let both = Question(
      text: "Both?", task: QuestionTask(.multiple, grading: Grading(isPartial: true)), answers: ["a", "b"], right: .several([0, 1]),
      category: "Science")
    #expect(
      QuizFile.read(Array(Self.xml.utf8), format: format)
        == QuestionBank.Reading(
          QuestionBank(questions: [
            Placed(metal, at: SheetPlace(5, 3)), Placed(sun, at: SheetPlace(14, 3)), Placed(both, at: SheetPlace(21, 3)),
          ]),
          problems: [SheetProblem(at: SheetPlace(23, 3), "no answer is said to be right; one is, or several are")],
          notices: [
            SheetProblem(at: SheetPlace(5, 3), "a wrong answer is worth a part of the points, which is left out"),
            SheetProblem(at: SheetPlace(19, 3), "this description is left out"),
            SheetProblem(at: SheetPlace(20, 3), "a question of the type \"essay\" cannot be asked, so it is left out"),
          ]))
  }

  /// Cut off anywhere, there are questions or a reason.
  @Test(.enabled(if: XMLText.isAvailable)) func cutMoodleXML() {
    for count in stride(from: 0, to: Self.xml.utf8.count, by: 7) {
      let reading = QuizFile.read(Array(Self.xml.utf8.prefix(count)), format: nil)
      #expect(!reading.problems.isEmpty && reading.problems.allSatisfy { !$0.message.contains("\n") })
    }
  }

  /// Texts of other kinds name the way.
  @Test(arguments: [
    ("1. Which? a) x b) y *c) z\n2. Who? a) x *b) y c) z\n", "1:1: this is a list as a word processor has it"),
    ("\nWhich?\na) x\n*b) y\n", "4:1: this is a list as a word processor has it"),
    ("#Q Which?\n^ x\nA x\nB y\n\n", "1:1: this is in the format of OpenTriviaQA"),
    ("<?xml version=\"1.0\"?>\n<quiz></quiz>", "1:1: there is no question in this XML of Moodle"),
    ("<?xml version=\"1.0\"?>\n<quiz><question type=\"essay\">", "1:1: this XML of Moodle is damaged or cut off"),
    ("<?xml version=\"1.0\"?>\n<questestinterop/>", "1:1: this is XML, which is not read"),
    ("Which?\na) x\nb) y\n\nWho?\na) x\nb) y\n", "2:1: this is a list as a word processor has it; bold letters and colours"),
    ("<html><table><tr><td>Q</td></tr></table></html>", "1:1: this is a web page"), ("%PDF-1.7\n", "1:1: this is a PDF"),
    ("\u{1}\u{2}\u{3}\u{0}\u{4}\u{5}\u{6}a,b,c\n", "1:1: this is no text: it has control characters"),
  ])
  func otherTexts(text: String, message: String) {
    for format in [nil, BankFormat.csv] {
      let problems = QuizFile.read(Array(text.utf8), format: format).problems.map(\.description)
      #expect(problems.count == 1 && problems.allSatisfy { $0.hasPrefix(message) }, "\(problems)")
    }
  }

  @Test func damagedAndCutTexts() {
    var random = SeededNumbers(seed: 32)
    for (text, format) in [(Self.gift, BankFormat.gift), (Self.aiken, .aiken)] {
      for _ in 0..<500 {
        let bytes = Array(damaged(text, &random).utf8)
        let reading = QuizFile.read(bytes, format: format)
        #expect(reading == QuizFile.read(bytes, format: format) && reading.problems.allSatisfy { !$0.message.contains("\n") })
      }
      for count in 0...text.utf8.count {
        #expect(QuizFile.read(Array(text.utf8.prefix(count)), format: format).bank.questions.count <= 5)
      }
    }
  }
}
