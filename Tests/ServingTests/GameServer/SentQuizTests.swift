import Basics
import GameEvents
import Questions
import Sheets
import Testing

@testable import GameServer

/// Quizzes that clients send.
@Suite struct SentQuizTests {
  @Test func noticesAreKept() throws {
    let text = """
      questions:
        - { question: Q, answers: [A, B], correct: A, picture: map.png, pictureText: A map, sound: bell.mp3, soundText: A bell }
        - { question: R, answers: [A, B], correct: A, picture: /media/known.png, pictureText: A map }
      """
    let quiz = try SentQuiz(Array(text.utf8), .yaml, "", hasMedia: { $0 == "/media/known.png" })
    #expect(quiz.bank.questions.map { $0.value.media.picture?.address.text } == [nil, "/media/known.png"])
    #expect(quiz.bank.questions.allSatisfy { $0.value.media.sound == nil })
    #expect(
      quiz.noticeList?.map(\.text) == [
        #"{"detail":"2:5: the picture map.png was not sent, and is left out; write an address that begins with https://"}"#,
        #"{"detail":"2:5: the sound bell.mp3 was not sent, and is left out; write an address that begins with https://"}"#,
      ])
    let plain = try SentQuiz(Array("questions: [{ question: Q, answers: [A, B], correct: A }]".utf8), .yaml, "", hasMedia: { _ in false })
    #expect(plain.noticeList == nil)
  }

  @Test func mistakesAreListed() {
    #expect(throws: (any Error).self) { try SentQuiz(Array("questions: [{ question: Q }]".utf8), .yaml, "", hasMedia: { _ in true }) }
  }
}
