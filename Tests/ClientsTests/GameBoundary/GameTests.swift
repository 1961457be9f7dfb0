import Basics
import CuelightClient
import EventSchedule
import GameEvents
import StateMachine
import TestSupport
import Testing

@testable import GameBoundary

/// The JSON that C and a page get of a game.
@Suite struct GameTests {
  private static let copies = SampleGame.plan("friday", .open).map { EventCopy(of: $0.event) }

  private func seconds(_ value: Double) -> MediaTime { MediaTime(seconds: value) }

  private func state(_ game: Game) -> JSONObject { game.stateObject(game.known { $0.state }) }

  /// A state and the states of transitions say whether the viewer has seen the result of the question that is shown.
  @Test func aQuestionWhoseResultWasSeen() {
    let game = Game(checksSeals: true)
    #expect(state(game)["isQuestionOver"] == .bool(false))
    for copy in Self.copies { _ = game.client.receive(copy, presentedAt: copy.programmeTime ?? .zero, now: .zero) }
    let asked = game.client.advance(to: seconds(1))
    #expect(asked.map { game.object(of: $0)["state"]?.object?["isQuestionOver"] } == asked.map { _ in .bool(false) } && !asked.isEmpty)
    _ = game.client.advance(to: seconds(1.6))
    #expect(state(game)["phase"] == .string("results") && state(game)["isQuestionOver"] == .bool(false))
    let again = game.client.seek(to: seconds(0.9))
    #expect(again.map(\.kind.text) == ["questionAsked"])
    #expect(again.map { game.object(of: $0)["state"]?.object?["isQuestionOver"] } == [.bool(true)])
    #expect(state(game)["phase"] == .string("asking") && state(game)["isQuestionOver"] == .bool(true))
  }
}
