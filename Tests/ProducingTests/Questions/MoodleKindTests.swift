import Basics
import GameEvents
import Sheets
import Testing
import XML

@testable import Questions

/// Kinds of questions in GIFT and XML, the formats of Moodle.
@Suite struct MoodleKindTests {
  static func one(_ text: String) throws -> QuestionBank.Reading {
    let reading = QuizFile.read(Array(text.utf8), format: .gift)
    #expect(reading.problems == [] && reading.bank.questions.count == 1, "\(text)")
    return reading
  }

  @Test(arguments: [
    ("Two {=a =b ~c}", false), ("Parts {~%50%a ~%50%b ~c}", true), ("Parts {~%50%a ~%50%b ~%-100%c}", true),
    ("Parts {=%50%a =%50%b ~c}", true),
  ])
  func severalRightAnswersInGIFT(text: String, isPartial: Bool) throws {
    let reading = try Self.one(text)
    let question = try #require(reading.bank.questions.first).value
    #expect(question.task == QuestionTask(.multiple, grading: Grading(isPartial: isPartial)) && reading.notices == [])
    #expect(question.right == .several([0, 1]) && question.answers == ["a", "b", "c"])
  }

  /// The right number, the distance, and the range that is guessed: it never has the right number in its middle.
  @Test(arguments: [
    ("{#42:2}", "42", "2", "0", "100", "1"), ("{#42}", "42", "0", "0", "100", "1"), ("{#40..44}", "42", "2", "0", "100", "1"),
    ("{#-39:0.5#Cold}", "-39", "0.5", "-100", "100", "0.1"), ("{#3.1415}", "3.1415", "0", "0", "5", "0.0001"),
    ("{#=1969:0 =%50%1969:10}", "1969", "0", "0", "5000", "1"),
    ("{# 299792458:1000000 }", "299792458", "1000000", "0", "500000000", "1000"),
    ("{#0}", "0", "0", "0", "10", "1"),
  ])
  func numbersInGIFT(answer: String, right: String, within: String, least: String, most: String, step: String) throws {
    let reading = try Self.one("How many? \(answer)")
    let question = try #require(reading.bank.questions.first).value
    func number(_ text: String) throws -> DecimalNumber { try #require(DecimalNumber(text)) }
    let scale = NumberScale(least: try number(least), most: try number(most), step: try number(step))
    #expect(question.task == QuestionTask(.number, grading: Grading(within: try number(within)), scale: scale))
    #expect(question.right == .number(try number(right)) && question.answers == [])
    #expect(
      reading.notices.map(\.description).first
        == "1:11: the numbers to choose from are guessed: \(least) to \(most) in steps of \(step); a quiz file may say others (least, most, step)"
    )
  }

  @Test func anOrderInGIFT() throws {
    let question = try #require(try Self.one("Sort. {>3 ALL VERTICAL\nMercury\nVenus\nEarth\n}").bank.questions.first).value
    #expect(question.task == QuestionTask(.order) && question.rightAnswer == "Mercury → Venus → Earth")
  }

  @Test(.enabled(if: XMLText.isAvailable)) func kindsInMoodleXML() throws {
    let xml = """
      <quiz>
      <question type="numerical"><questiontext><text>How long?</text></questiontext>
      <answer fraction="50"><text>400</text><tolerance>9</tolerance></answer>
      <answer fraction="100"><text>384</text><tolerance>5</tolerance><feedback><text>Yes.</text></feedback></answer>
      <units><unit><multiplier>1</multiplier><unit_name>km</unit_name></unit></units></question>
      <question type="ordering"><questiontext><text>Sort.</text></questiontext><selecttype>ALL</selecttype>
      <answer fraction="1"><text>one</text></answer><answer fraction="2"><text>two</text></answer>
      <answer fraction="3"><text>three</text></answer></question>
      <question type="multichoice"><questiontext><text>Which?</text></questiontext><single>false</single>
      <answer fraction="100"><text>a</text></answer><answer fraction="0"><text>b</text></answer></question>
      <question type="numerical"><questiontext><text>Any?</text></questiontext><answer fraction="100"><text>*</text></answer></question>
      </quiz>
      """
    let reading = QuizFile.read(Array(xml.utf8), format: nil)
    #expect(reading.problems == [])
    let questions = reading.bank.questions.map(\.value)
    let scale = NumberScale(least: .zero, most: try #require(DecimalNumber(1_000)), step: .one)
    let number = Question(
      text: "How long?",
      task: QuestionTask(.number, grading: Grading(within: DecimalNumber(5)), scale: scale, unit: "km"), answers: [],
      right: .number(try #require(DecimalNumber(384))), explanation: "Yes.")
    #expect(questions.first == number)
    #expect(questions.map(\.rightAnswer) == ["384 km", "one → two → three", "a"])
    #expect(questions.last?.task == QuestionTask(.multiple))
    #expect(
      reading.notices.map(\.description) == [
        "2:1: the numbers to choose from are guessed: 0 to 1000 in steps of 1; a quiz file may say others (least, most, step)",
        "11:1: a question for such a number cannot be asked, so it is left out",
      ])
  }
}
