import Basics
import GameEvents
import GameJSON
import Scoring
import StateMachine
import Testing

/// Programs read these lines: their keys, their order and their numbers stay as they are.
@Suite struct GameJSONTests {
  private static let ask = GameEvent(
    guid: .of("q1"), game: "g", sequence: 2, at: .seconds(5),
    content: .askQuestion(
      AskQuestion(
        question: "Größte Stadt?", answers: ["Köln", "Berlin"], questionNumber: 1, allottedTime: .seconds(10), category: "Geo",
        correctAnswer: 1)))

  @Test func copies() {
    let copy = EventCopy(of: Self.ask, copy: 2, copies: 3, age: MediaTime(seconds: 0.5))
    let event =
      #"{"eventType":"askQuestion","guid":"q1","game":"g","sequence":2,"at":5,"question":"Größte Stadt?","answers":["Köln","Berlin"],"#
      + #""questionNumber":1,"allottedTime":10,"category":"Geo","correctAnswer":1}"#
    #expect(
      copy.object(at: MediaTime(seconds: 5.5), isDuplicate: true).text
        == #"{"type":"copy","time":5.5,"eventTime":5,"eventType":"askQuestion","guid":"q1","sequence":2,"copy":2,"copies":3,"age":0.5,"#
        + #""verified":true,"duplicate":true,"event":"# + event + "}")
    var place = JSONObject()
    place.append("pid", 257)
    let unnumbered = EventCopy(
      of: GameEvent(guid: .of("p"), content: .custom(EventType("poll"), place)), copies: 1, age: .seconds(1), isVerified: false)
    #expect(
      unnumbered.object(at: .seconds(3), isDuplicate: false, place: place, byteCount: 99).text
        == #"{"type":"copy","time":3,"eventTime":2,"pid":257,"eventType":"poll","guid":"p","sequence":null,"copy":1,"copies":1,"age":1,"#
        + #""verified":false,"duplicate":false,"bytes":99,"event":{"eventType":"poll","guid":"p","pid":257}}"#)
  }

  @Test func transitionsAndStates() {
    var machine = GameStateMachine(verifySeal: nil)
    #expect(
      machine.state.object.text
        == #"{"phase":"waiting","game":null,"title":null,"question":null,"result":null,"info":null,"score":0,"answered":0}"#)
    let start = GameEvent(
      guid: .of("s"), game: "g", sequence: 1, at: .seconds(2),
      content: .startGame(StartGame(title: "Friday", totalQuestions: 3, startsIn: .seconds(2))))
    var lines = machine.receive(EventCopy(of: start), at: .seconds(2)).map(\.object.text)
    #expect(
      lines == [
        #"{"type":"transition","time":2,"eventTime":2,"transition":"lobbyOpened","guid":"s","game":"g","state":{"phase":"lobby","game":"g","#
          + #""title":"Friday","totalQuestions":3,"entryOpensAt":2,"startsAt":4,"entryIsOpen":false,"question":null,"result":null,"info":null,"score":0,"answered":0}}"#,
        #"{"type":"transition","time":2,"eventTime":2,"transition":"entryOpened","guid":"s","game":"g","state":{"phase":"lobby","game":"g","#
          + #""title":"Friday","totalQuestions":3,"entryOpensAt":2,"startsAt":4,"entryIsOpen":true,"question":null,"result":null,"info":null,"score":0,"answered":0}}"#,
      ])
    _ = machine.receive(EventCopy(of: Self.ask), at: .seconds(5))
    let question =
      #"{"guid":"q1","number":1,"total":3,"text":"Größte Stadt?","answers":["Köln","Berlin"],"opensAt":5,"closesAt":15,"category":"Geo","#
      + #""correctAnswer":1}"#
    #expect(
      machine.state.object.text
        == #"{"phase":"asking","game":"g","title":"Friday","totalQuestions":3,"question":"# + question
        + #","result":null,"info":null,"score":0,"answered":0}"#)
    let show = GameEvent(
      guid: .of("r1"), game: "g", sequence: 5, at: .seconds(16),
      content: .showResults(ShowResults(questionGuid: .of("q1"), questionNumber: 1, correctAnswer: 1, counts: [3, 4])))
    _ = machine.receive(EventCopy(of: show), at: .seconds(16))
    let result = #"{"questionGuid":"q1","questionNumber":1,"correctAnswer":1,"counts":[3,4],"seal":"absent"}"#
    let state = #"{"phase":"results","game":"g","title":"Friday","totalQuestions":3,"question":"# + question + #","result":"# + result
    #expect(machine.state.object.text == state + #","info":null,"score":0,"answered":0}"#)
    lines = machine.finish().map(\.object.text)
    #expect(
      lines == [
        #"{"type":"transition","time":16,"eventTime":16,"transition":"eventLost","guid":null,"game":"g","sequences":[3,4],"state":"#
          + state + #","info":null,"score":0,"answered":0}}"#
      ])
  }

  /// Keys that a type does not define go to programs too, and none of them passes for one that the state has.
  @Test func furtherKeysAndAdjustments() {
    var machine = GameStateMachine(verifySeal: nil)
    var more = JSONObject()
    more.append("mood", "blue")
    more.append("adjustment", 7)
    more.append("opensAt", 99)
    for key in ["correctNumber", "least", "picture", "points"] { more.append(key, "none") }
    var ask = Self.ask
    ask.unknownKeys = more
    _ = machine.receive(EventCopy(of: ask), at: .seconds(5))
    let question =
      #"{"guid":"q1","number":1,"total":null,"text":"Größte Stadt?","answers":["Köln","Berlin"],"opensAt":5,"#
    #expect(
      machine.state.object["question"]?.text == question + #""closesAt":15,"category":"Geo","correctAnswer":1,"mood":"blue"}"#)
    for key in ["adjustment", "least", "picture", "points"] { more.removeValue(for: key) }
    let adjust = GameEvent(
      guid: .of("a"), game: "g", sequence: 3, at: .seconds(6),
      content: .adjustTime(AdjustTime(questionGuid: .of("q1"), allottedTime: .seconds(20))), unknownKeys: more)
    _ = machine.receive(EventCopy(of: adjust), at: .seconds(6))
    let adjustment =
      #""adjustment":{"guid":"a","time":6,"allottedTime":20,"mood":"blue","opensAt":99,"correctNumber":"none"},"mood":"blue"}"#
    #expect(
      machine.state.object["question"]?.text == question + #""closesAt":25,"category":"Geo","correctAnswer":1,"# + adjustment)
    let show = GameEvent(
      guid: .of("r1"), game: "g", sequence: 4, at: .seconds(26),
      content: .showResults(ShowResults(questionGuid: .of("q1"), questionNumber: 1, correctAnswer: 1)), unknownKeys: more)
    _ = machine.receive(EventCopy(of: show), at: .seconds(26))
    #expect(
      machine.state.object["result"]?.text
        == #"{"questionGuid":"q1","questionNumber":1,"correctAnswer":1,"seal":"absent","mood":"blue","opensAt":99}"#)
    let end = GameEvent(
      guid: .of("e"), game: "g", sequence: 5, at: .seconds(30), content: .endGame(EndGame(totalQuestions: 1)), unknownKeys: more)
    _ = machine.receive(EventCopy(of: end), at: .seconds(30))
    #expect(machine.state.object["ending"]?.text == #"{"totalQuestions":1,"mood":"blue","opensAt":99,"correctNumber":"none"}"#)
  }

  @Test func infoEndAndCustomEvents() {
    var machine = GameStateMachine(verifySeal: nil)
    var more = JSONObject()
    more.append("likes", 7)
    let info = GameEvent(
      guid: .of("i"), game: "g", sequence: 1, at: .seconds(1), content: .periodicInfo(PeriodicInfo(viewers: 5)), unknownKeys: more)
    _ = machine.receive(EventCopy(of: info), at: .seconds(1))
    let end = GameEvent(
      guid: .of("e"), game: "g", sequence: 2, at: .seconds(2), content: .endGame(EndGame(totalQuestions: 3, winners: ["Ada"])))
    _ = machine.receive(EventCopy(of: end), at: .seconds(2))
    let state =
      #"{"phase":"ended","game":"g","title":null,"question":null,"result":null,"info":{"viewers":5,"likes":7},"#
      + #""ending":{"totalQuestions":3,"winners":["Ada"]},"score":0,"answered":0}"#
    #expect(machine.state.object.text == state)
    let poll = GameEvent(guid: .of("p"), game: "g", sequence: 3, at: .seconds(3), content: .custom(EventType("poll"), more))
    #expect(
      machine.receive(EventCopy(of: poll), at: .seconds(3)).map(\.object.text) == [
        #"{"type":"transition","time":3,"eventTime":3,"transition":"customEvent","guid":"p","game":"g","#
          + #""event":{"eventType":"poll","guid":"p","game":"g","sequence":3,"at":3,"likes":7},"state":"# + state + "}"
      ])
  }

  @Test func scoreboardsAndResults() throws {
    var game = ScoredGame(rules: try ScoringRules(parsing: "elimination"))
    let (ann, ben) = (try game.join("ann"), try game.join("ben"))
    let question = ScoredQuestion(
      guid: .of("q1"), number: 1, answerCount: 2, opensAt: .seconds(5), allottedTime: .seconds(10), correctAnswer: 1)
    game.receive([question])
    #expect(game.answer(1, to: .of("q1"), by: ann, at: .seconds(6)) == .taken)
    #expect(game.answer(0, to: .of("q1"), by: ben, at: .seconds(6)) == .taken)
    _ = game.answer(0, to: .of("q1"), by: ann, at: .seconds(16))
    let (first, second) = (
      #"{"rank":1,"player":"ann","score":1,"right":1,"answered":1,"outAt":null}"#,
      #"{"rank":2,"player":"ben","score":0,"right":0,"answered":1,"outAt":1}"#
    )
    #expect(
      game.scoreboard(of: GameID("g"), after: .of("q1"), top: 10, at: .seconds(16))?.object.text
        == #"{"type":"scoreboard","time":16,"game":"g","question":"q1","number":1,"correctAnswer":1,"counts":[1,1],"taken":2,"tooLate":1,"#
        + #""tooEarly":0,"otherwiseRefused":0,"scored":true,"players":2,"playersLeft":1,"leaders":[\#(first),\#(second)]}"#)
    #expect(game.scoreboard(of: GameID("g"), after: .of("q2"), top: 10, at: .seconds(16)) == nil)
    let results = game.results(of: GameID("g"), top: 1, at: .seconds(20))
    #expect(
      results.objects.map(\.text) == [
        #"{"type":"winner","game":"g","rank":1,"player":"ann","score":1,"right":1,"answered":1,"outAt":null}"#,
        #"{"type":"player","game":"g","rank":1,"player":"ann","score":1,"right":1,"answered":1,"outAt":null}"#,
      ])
  }
}
