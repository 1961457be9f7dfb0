import Basics
import Foundation
import GameEvents
import StateMachine
import Testing

/// What apps keep and send: identifiers, times and phases.
@Suite struct CodableTests {
  /// What an app may send for an answer.
  private struct Answer: Codable, Equatable {
    var game: GameID
    var question: GUID?
    var type: EventType
    var time: MediaTime
    var phase: GameState.Phase
    var seal: GameState.Seal
  }

  @Test func valuesAreEncodedAsTheyAreWritten() throws {
    let answer = Answer(
      game: GameID("friday"), question: GUID("a\u{301}"), type: .askQuestion, time: MediaTime(ticks: 495_000), phase: .asking, seal: .valid)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try encoder.encode(answer)
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"{"game":"friday","phase":"asking","question":"a\#u{301}","seal":"valid","time":5.5,"type":"askQuestion"}"#)
    #expect(try JSONDecoder().decode(Answer.self, from: json) == answer)
  }

  @Test func everyTickComesBack() throws {
    var random = SeededNumbers(seed: 4)
    for bits in 0..<47 {
      for sign in [Int64(1), -1] {
        let time = MediaTime(ticks: sign * Int64(random.next() >> (63 - UInt64(bits))))
        #expect(try JSONDecoder().decode([MediaTime].self, from: JSONEncoder().encode([time])) == [time])
      }
    }
  }

  @Test(arguments: [#"[""]"#, "[7]", "[\"\(String(repeating: "g", count: 129))\"]"]) func whatIsNoGUIDIsRefused(json: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([GUID].self, from: Data(json.utf8)) }
  }

  @Test func whatIsShownIsIdentifiedByItsEvent() {
    var machine = GameStateMachine(verifySeal: nil)
    _ = machine.play(Sample.shortGame[..<2])
    let question = machine.state.question
    _ = machine.select(answer: 1, at: machine.time ?? .zero)
    #expect(machine.state.question != question && machine.state.question?.id == question?.id)
    #expect(machine.state.start?.id == machine.state.start?.guid && machine.state.question?.id == machine.state.question?.guid)
  }
}
