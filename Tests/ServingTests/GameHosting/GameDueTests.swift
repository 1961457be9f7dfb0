import Basics
import GameEvents
import Testing

@testable import GameHosting

/// When a game goes on by itself.
@Suite struct GameDueTests {
  /// A game that follows its plan, to its end. Events are in the stream half a second after they are on their way.
  ///
  /// - Parameter next: The seconds of the moment after one, of which it is known when the next event is in the stream.
  private func play(_ next: (HostedShow, Double?) -> Double?) throws -> (records: [HostingRecord], information: [Double], moments: Int) {
    var show = HostedShow()
    try show.plan(automatic: true, startsAt: HostedShow.wallClock(10))
    try show.join("Ann")
    var (places, information, moments): ([GUID: Double], [Double], Int) = ([:], [], 0)
    var seconds: Double? = 0
    while let moment = seconds, moment < 200 {
      moments += 1
      show.go(to: moment)
      for outgoing in show.game.outgoing where places[outgoing.guid].map({ $0 <= moment }) ?? false { show.place(outgoing.guid) }
      var change = show.advance()
      if let closing = change.closing { change = show.decide(closing) }
      if show.game.information(viewers: 1, now: show.now) != nil { information.append(moment) }
      for outgoing in show.game.outgoing where places[outgoing.guid] == nil { places[outgoing.guid] = moment + 0.5 }
      seconds = next(show, places.values.filter { $0 > moment }.min())
    }
    return (show.records, information, moments)
  }

  /// A server that looks only when the game says so, and when something has changed, plays the same game as one that looks ten times a second.
  @Test func enough() throws {
    let often = try play { show, _ in ((show.seconds * 10).rounded() + 1) / 10 }
    let rarely = try play { show, placed in
      let due = show.game.due(show.now)
      let clock = due.wallClock.map { Double($0 - HostedShow.epoch) / 1_000 }
      return [due.edge?.seconds, clock, placed].compactMap(\.self).filter { $0 > show.seconds }.min()
    }
    #expect(rarely.records == often.records && often.records.count > 12)
    #expect(rarely.information == often.information && rarely.information.count > 5)
    #expect(rarely.moments < 60)
  }

  /// Nothing is due in the lobby, and nothing after the end.
  @Test func never() throws {
    var show = HostedShow()
    #expect(show.game.due(show.now) == HostedGame.Due())
    try show.command(.next)
    #expect(show.game.due(show.now) == HostedGame.Due())
    show.placeAll()
    // Information about the audience comes before the end of the question.
    #expect(show.game.due(show.now).edge == MediaTime(seconds: 10))
    try show.command(.end)
    #expect(show.game.due(show.now) == HostedGame.Due())
  }
}
