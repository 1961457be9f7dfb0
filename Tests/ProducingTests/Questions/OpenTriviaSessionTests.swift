import Sheets
import Testing

@testable import Questions

/// A session with Open Trivia DB: what is loaded, how long is waited, and what follows from each response code.
@Suite struct OpenTriviaSessionTests {
  static let base = "http://example.com"

  static func query(_ amount: Int) -> OpenTriviaQuery { OpenTriviaQuery(amount: amount, server: base) }

  static func questions(_ numbers: Range<Int>) -> String {
    func coded(_ text: String) -> String { "\"\(Base64Text.encode(text))\"" }
    let results = numbers.map { number in
      """
      {"type":\(coded("multiple")),"difficulty":\(coded("easy")),"category":\(coded("Art")),"question":\(coded("Question \(number)?")),\
      "correct_answer":\(coded("A")),"incorrect_answers":[\(coded("B"))]}
      """
    }
    return "{\"response_code\":0,\"results\":[\(results.joined(separator: ","))]}"
  }

  static func token(_ name: String) -> String { "{\"response_code\":0,\"token\":\"\(name)\"}" }
  static func code(_ code: Int) -> String { "{\"response_code\":\(code),\"results\":[]}" }

  static func api(_ amount: Int, _ token: String) -> OpenTriviaSession.Step {
    .load("\(base)/api.php?amount=\(amount)&encode=base64&token=\(token)")
  }

  /// Takes an answer, and the wait behind it.
  static func take(_ text: String, _ session: inout OpenTriviaSession) throws -> [String] {
    let notes = try session.receive(text)
    if session.step == .wait(seconds: 5) { session.waited() }
    return notes
  }

  @Test func aTokenThenCallsOfFifty() throws {
    var session = OpenTriviaSession(Self.query(120))
    #expect(session.step == .load("\(Self.base)/api_token.php?command=request"))
    #expect(try session.receive(Self.token("t1")) == [] && session.step == .wait(seconds: 5))
    session.waited()
    #expect(session.step == Self.api(50, "t1"))
    #expect(try Self.take(Self.questions(0..<50), &session) == [] && session.step == Self.api(50, "t1"))
    #expect(try Self.take(Self.questions(50..<100), &session) == [] && session.step == Self.api(20, "t1"))
    #expect(try Self.take(Self.questions(100..<120), &session) == [] && session.step == .finished)
    #expect(session.questions.map(\.text) == (0..<120).map { "Question \($0)?" } && session.token == "t1")
  }

  @Test func theQueryIsInTheAddress() {
    let query = OpenTriviaQuery(amount: 7, category: OpenTriviaCategory.named("17"), difficulty: .hard, kind: .boolean)
    let session = OpenTriviaSession(query, token: "t")
    #expect(session.step == .load("https://opentdb.com/api.php?amount=7&category=17&difficulty=hard&type=boolean&encode=base64&token=t"))
  }

  @Test func anUnknownTokenIsReplacedOnce() throws {
    var session = OpenTriviaSession(Self.query(1), token: "old")
    #expect(try Self.take(Self.code(3), &session) == ["the session token is not known (any more): asking for a new one"])
    #expect(session.step == .load("\(Self.base)/api_token.php?command=request"))
    _ = try Self.take(Self.token("new"), &session)
    #expect(session.step == Self.api(1, "new"))
    #expect(throws: OpenTriviaError.refusedAgain(.tokenNotFound, got: 0, wanted: 1)) { try session.receive(Self.code(3)) }
  }

  @Test func anEmptyTokenIsResetOnce() throws {
    var session = OpenTriviaSession(Self.query(3), token: "old")
    _ = try Self.take(Self.questions(0..<1), &session)
    #expect(
      try Self.take(Self.code(4), &session) == [
        "the session token has had every question of this kind: resetting it; questions of earlier sessions may come again"
      ])
    #expect(session.step == .load("\(Self.base)/api_token.php?command=reset&token=old"))
    _ = try Self.take(Self.token("old"), &session)
    // What came before the reset comes again and is not taken twice.
    _ = try Self.take(Self.questions(0..<2), &session)
    #expect(session.questions.count == 2 && session.step == Self.api(1, "old"))
    #expect(throws: OpenTriviaError.refusedAgain(.tokenEmpty, got: 2, wanted: 3)) { try session.receive(Self.code(4)) }
    #expect(session.questions.count == 2)
  }

  @Test func tooManyCallsAreWaitedFor() throws {
    var session = OpenTriviaSession(Self.query(1), token: "t")
    for _ in 0..<OpenTriviaSession.mostRefusals {
      #expect(try session.receive(Self.code(5)) == ["too many calls from this address: waiting 5 seconds"])
      #expect(session.step == .wait(seconds: 5))
      session.waited()
      #expect(session.step == Self.api(1, "t"))
    }
    #expect(throws: OpenTriviaError.code(.rateLimit, got: 0, wanted: 1)) { try session.refuse() }
  }

  @Test func anotherPause() throws {
    for (pause, note) in [(0, "asking again"), (1, "waiting 1 second"), (7, "waiting 7 seconds")] {
      var session = OpenTriviaSession(Self.query(1), token: "t", pause: pause)
      #expect(try session.refuse() == ["too many calls from this address: \(note)"] && session.step == .wait(seconds: pause))
    }
  }

  @Test(arguments: [OpenTriviaCode.noResults, .invalidParameter, OpenTriviaCode(rawValue: 9)])
  func otherCodesEndTheSession(code: OpenTriviaCode) {
    var session = OpenTriviaSession(Self.query(2), token: "t")
    #expect(throws: OpenTriviaError.code(code, got: 0, wanted: 2)) { try session.receive(Self.code(code.rawValue)) }
  }

  @Test func answersThatBringNothingNew() throws {
    var session = OpenTriviaSession(Self.query(2), token: "t")
    _ = try Self.take(Self.questions(0..<1), &session)
    #expect(throws: OpenTriviaError.nothingNew(got: 1, wanted: 2)) { try session.receive(Self.questions(0..<1)) }
    #expect(throws: OpenTriviaError.nothingNew(got: 1, wanted: 2)) { try session.receive(Self.code(0)) }
  }

  @Test func answersThatAreNone() {
    for text in ["", "<html>", "{}", "[1]", "{\"response_code\":0", "{\"response_code\":0}"] {
      var session = OpenTriviaSession(Self.query(2))
      #expect(throws: OpenTriviaError.self) { try session.receive(text) }
    }
    // A token that is none cannot be put into an address.
    var session = OpenTriviaSession(Self.query(2))
    #expect(throws: OpenTriviaError.unreadable(SheetError(at: .start, "there is no session token in the answer"))) {
      try session.receive(Self.token("a&b=c"))
    }
  }

  @Test func aServerThatIgnoresTheEncodingIsTold() throws {
    var session = OpenTriviaSession(Self.query(1), token: "t")
    let error = try #require(throws: OpenTriviaError.self) { try session.receive(answer()) }
    #expect(error.description.hasPrefix("the answer is unreadable: 2:") && error.description.hasSuffix("is not written in base64"))
  }

  @Test func messages() {
    #expect(
      OpenTriviaError.code(.tokenEmpty, got: 2, wanted: 3).description
        == "response code 4: this session token has had every question of this kind; reset it, or ask for others (2 of 3 questions came)")
    #expect(
      OpenTriviaError.refusedAgain(.tokenEmpty, got: 2, wanted: 3).description
        == "response code 4: the service refuses again, although the session token was reset: it has no more questions of this kind; "
        + "ask for others (2 of 3 questions came)")
    #expect(
      OpenTriviaError.refusedAgain(.tokenNotFound, got: 0, wanted: 3).description
        == "response code 3: the service refuses again, although the session token is new; try later")
    #expect(OpenTriviaError.unreadable(SheetError(at: SheetPlace(2, 3), "x")).description == "the answer is unreadable: 2:3: x")
  }

  @Test func nothingIsAskedForNothing() { #expect(OpenTriviaSession(Self.query(0)).step == .finished) }
}
