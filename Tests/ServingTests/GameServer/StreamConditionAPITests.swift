import Basics
import GameHosting
import TestSupport
import Testing

@testable import GameServer

/// What players, hosts and load balancers are told of the stream.
@Suite struct StreamConditionAPITests {
  private func games(_ body: (ServedGames) async throws -> Void) async throws {
    let games = try ServedGames(folder: try Workshop.newFolder())
    try await body(games)
    games.end()
  }

  @Test func aPictureThatIsAway() async throws {
    try await games { games in
      let (game, host) = await games.make()
      games.stream.show(StreamCondition(picture: .down))
      let state = await games.call("GET", "/v1/games/\(game)/state")
      #expect(state.object["picture"]?.string == "down" && state.object["behind"] == .null && state.object["delay"]?.int == 2)
      let ready = await games.call("GET", "/readyz")
      #expect(ready.status == 503 && ready.object["detail"]?.string == "the picture is away: nothing comes from the encoder")
      let refused = await games.call("POST", "/v1/games/\(game)/commands", #"{"id":"1","command":"next"}"#, token: host)
      #expect(refused.status == 409 && refused.kind == "stream-not-ready" && refused.object["force"]?.bool == true)
      let wrong = await games.call("POST", "/v1/games/\(game)/commands", #"{"id":"1","command":"next","force":5}"#, token: host)
      #expect(wrong.status == 422)
      let forced = await games.call("POST", "/v1/games/\(game)/commands", #"{"id":"1","command":"next","force":true}"#, token: host)
      #expect(forced.status == 200)
    }
  }

  /// A delay that nobody has named is raised; one that was named refuses the first question.
  @Test func viewersWhoAreFarBehind() async throws {
    try await games { games in
      games.stream.show(StreamConditionTests.far)
      #expect(await games.call("GET", "/readyz").status == 200)
      for (rules, delay) in [("{}", 37), (#"{"delay":2,"fixedDelay":false}"#, 37), (#"{"delay":40}"#, 40), (#"{"delay":2}"#, nil)]
        as [(String, Int?)]
      {
        let made = await games.call(
          "POST", "/v1/games", #"{"rules":\#(rules),"quiz":\#(ServedGames.quiz)}"#, token: games.games.operatorToken())
        let game = made.object["id"]?.string ?? ""
        let next = await games.call(
          "POST", "/v1/games/\(game)/commands", #"{"id":"1","command":"next","force":false}"#, token: made.token)
        let state = await games.call("GET", "/v1/games/\(game)/state").object
        #expect(state["picture"]?.string == "up" && state["behind"]?.int == 27)
        #expect(next.status == (delay == nil ? 409 : 200) && state["delay"]?.int == delay ?? 2, "\(rules)")
        _ = await games.call("POST", "/v1/games/\(game)/commands", #"{"id":"2","command":"end"}"#, token: made.token)
        games.directory.game(game)?.inject()
        try await games.settle()
      }
    }
  }

  /// What a node asks the leading one for goes there as it was given.
  @Test func requestsBetweenNodes() throws {
    let commands: [(HostedGame.Command, String)] = [
      (.start, #""start""#), (.next, #""next""#), (.nextUnseen, #""next","force":true"#), (.close, #""close""#), (.reveal, #""reveal""#),
      (.void, #""void""#), (.end, #""end""#), (.extend(MediaTime(ticks: 135_000)), #""extend","seconds":1.5"#),
      (.kick(player: 7), #""kick","player":7"#),
    ]
    let requests: [(HostRequest, String)] =
      commands.map { (.command($0, id: "x"), "{\"id\":\"x\",\"command\":\($1)}") } + [
        (.remove(player: 3), #"{"remove":3}"#), (.plan(automatic: nil, startsAt: nil, entryOpensAt: nil), "{}"),
        (.plan(automatic: true, startsAt: .some(nil), entryOpensAt: 5), #"{"automatic":true,"startsAt":null,"entryOpensAt":5}"#),
      ]
    for (request, text) in requests {
      #expect(request.object.text == text)
      #expect(HostRequest(request.object) == request, "\(text)")
    }
    for text in [
      #"{"remove":"3"}"#, #"{"command":"start"}"#, #"{"id":"x","command":"later"}"#, #"{"id":"x","command":"kick"}"#,
      #"{"automatic":1}"#, #"{"startsAt":"5"}"#,
    ] { #expect(HostRequest(try #require(try JSONValue(parsing: text).object)) == nil, "\(text)") }
    #expect(HostingProblem(HostingProblem.unseen("why").object) == .unseen("why"))
  }
}
