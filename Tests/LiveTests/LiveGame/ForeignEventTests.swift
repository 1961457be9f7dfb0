import Basics
import GameEvents
import LiveGame
import Testing

/// Events of other injectors as cues.
@Suite struct ForeignEventTests {
  private func cue(_ name: String, _ data: String, _ terms: ForeignEvent.Terms = ForeignEvent.Terms()) throws -> String {
    let object = try #require(try JSONValue(parsing: data).object)
    let request = try ForeignEvent(name: name, data: object).request(try #require(GUID("g")), terms)
    return JSONValue.object(request.object).text
  }

  @Test func ours() throws {
    #expect(
      try cue("startGame", #"{"title":"T","guid":"x","eventType":"y","event":"z"}"#) == #"{"event":"startGame","guid":"g","title":"T"}"#)
    var terms = ForeignEvent.Terms()
    (terms.delay, terms.currentFor, terms.expires) = (MediaTime(seconds: 2), MediaTime(seconds: 3), MediaTime(seconds: 5))
    #expect(try cue("endGame", "{}", terms) == #"{"event":"endGame","guid":"g","in":2,"expires":5}"#)
    #expect(throws: LiveProblem.self) { try cue("endGame", #"{"at":1}"#, terms) }
  }

  @Test func custom() throws {
    #expect(try cue("poll", #"{"b":1,"a":{"at":2},"guid":"x"}"#) == #"{"event":"poll","guid":"g","b":1,"a":{"at":2}}"#)
    for key in [
      "event", "at", "in", "wallClock", "timecode", "late", "game", "expires", "sequence", "currentFor", "copy", "copies", "age",
      "signature", "crc",
    ] {
      #expect(try cue("poll", "{\"\(key)\":1,\"b\":2}") == "{\"event\":\"poll\",\"guid\":\"g\",\"data\":{\"\(key)\":1,\"b\":2}}")
    }
    var terms = ForeignEvent.Terms()
    terms.currentFor = MediaTime(seconds: 3)
    #expect(try cue("poll", "{}", terms) == #"{"event":"poll","guid":"g","currentFor":3}"#)
    // Whether a name may be one is decided where the event is accepted, as for any cue.
    #expect(try cue("two words", "{}") == #"{"event":"two words","guid":"g"}"#)
  }
}
