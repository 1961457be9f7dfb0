import Basics
import CueSheet
import EventSchedule
import GameEvents
import Questions
import Sheets
import TestSupport
import Testing

/// Pictures and sounds in quiz files, tables and cue sheets.
@Suite struct MediaQuestionTests {
  private static func media() throws -> QuestionMedia {
    QuestionMedia(
      picture: QuestionMedia.Picture(
        address: try #require(MediaAddress("pictures/map.png")), text: "A map", size: QuestionMedia.Size(width: 640, height: 480)),
      sound: QuestionMedia.Sound(address: try #require(MediaAddress("https://a.example/bell.mp3")), text: "Two bells"))
  }

  private static func read(_ text: String, _ format: BankFormat) -> QuestionBank.Reading { QuizFile.read(Array(text.utf8), format: format) }

  @Test(arguments: ["[640, 480]", "640x480", "640 × 480"]) func quizFiles(size: String) throws {
    let text = """
      questions:
        - question: Where?
          answers: [A, B]
          correct: A
          picture: pictures/map.png
          pictureText: A map
          pictureSize: \(size)
          sound: https://a.example/bell.mp3
          soundText: Two bells
      """
    let reading = Self.read(text, .yaml)
    #expect(try reading.problems == [] && reading.notices == [] && reading.bank.questions.map { $0.value.media } == [Self.media()])
    for (written, format) in [(reading.bank.yaml, BankFormat.yaml), (reading.bank.json, .json), (reading.bank.csv, .csv)] {
      #expect(Self.read(written, format).bank.questions.map(\.value) == reading.bank.questions.map(\.value), "\(written)")
    }
  }

  @Test(arguments: [
    (
      "picture: http://a.example/b.png",
      "\"picture\" is \"http://a.example/b.png\", which is no address; write one that begins with https://, or a file such as pictures/map.png"
    ),
    (
      "sound: ../b.mp3",
      "\"sound\" is \"../b.mp3\", which is no address; write one that begins with https://, or a file such as pictures/map.png"
    ),
    ("pictureText: A map", "\"pictureText\" is the text of a picture, and there is none; add picture:"),
    ("pictureSize: 1x1", "\"pictureSize\" is the size of a picture, and there is none; add picture:"),
    (
      "picture: https://a.example/\(String(repeating: "b", count: 300))",
      "the address of the picture has 318 bytes, above the limit of 300; shorten it"
    ),
    (
      "picture: a.png, pictureSize: 0x5",
      "\"pictureSize\" is \"0x5\"; write the width and the height in pixels, such as 640x480, up to 16384"
    ),
    ("picture: a.png, pictureText: \"a\\tb\"", "\"pictureText\" has a tab; write a space"),
  ])
  func mistakes(keys: String, message: String) {
    let reading = Self.read("questions:\n  - { question: Q, answers: [A, B], correct: A, \(keys) }", .yaml)
    #expect(reading.problems.map(\.message) == [message] && reading.bank.questions.isEmpty)
  }

  @Test func whatIsMissing() {
    let reading = Self.read(
      "questions:\n  - { question: Q, answers: [A, B], correct: A, picture: a.png }\n  - { question: R, answers: [A, B], correct: A, picture: https://a.example/b, sound: c.mp3 }",
      .yaml)
    #expect(
      reading.notices.map(\.description) == [
        "2:5: the picture has no alternative text; add pictureText: with what it shows, for those who do not see it",
        "3:5: the picture has no alternative text; add pictureText: with what it shows, for those who do not see it",
        "3:5: the picture has no size; add pictureSize: such as 640x480, so that nothing moves when it is loaded",
        "3:5: the sound has no description; add soundText: with what is heard, for those who do not hear it",
      ])
  }

  @Test func cueSheets() throws {
    let text = """
      game: g
      cues:
        - { at: 0, event: startGame, title: T }
        - { at: 5, event: askQuestion, question: Where?, answers: [A, B], correct: A, picture: pictures/map.png, pictureText: A map, pictureSize: 640x480, sound: "https://a.example/bell.mp3", soundText: Two bells }
        - { at: 20, event: showResults }
        - { at: 30, event: endGame }
      """
    let sheet = try CueSheet.parse(text, policy: CopyPolicy(), answers: .open)
    let asked = sheet.events.compactMap { if case .askQuestion(let content) = $0.event.content { content } else { nil } }
    #expect(try asked.map(\.media) == [Self.media()] && sheet.warnings == [])
    #expect(CueCaptions(sheet.events).captions.contains { $0.lines.contains("Picture: A map") && $0.lines.contains("Sound: Two bells") })
    let without = CueSheet.read(
      Array(text.replacing(", pictureText: A map, pictureSize: 640x480", with: "").utf8), policy: CopyPolicy(), answers: .open)
    #expect(
      without.warnings.map(\.message) == [
        "question 1: the picture has no alternative text; add pictureText: with what it shows, for those who do not see it",
        "question 1: the picture has no size; add pictureSize: such as 640x480, so that nothing moves when it is loaded",
      ])
  }
}
