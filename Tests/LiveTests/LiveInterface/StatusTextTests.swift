import Basics
import Testing

@testable import LiveInterface

/// What an operator sees of a server.
@Suite struct StatusTextTests {
  private func lines(_ text: String) throws -> [String] { LiveText.status(try #require(try JSONValue(parsing: text).object)) }

  @Test func streamsAndGames() throws {
    let text = """
      {"version":"1.0.0","uptime":93784,"streams":[
      {"name":"live","input":"udp://h:1","state":"up","codecs":"avc1.4d401f,mp4a.40.2","format":"avc1.4d401f, 1280 x 720","bitRate":4070000,
      "keyFrameInterval":2,"at":65.04,"offset":0.02,"segments":12,"gaps":0,"copies":30,"viewers":7,"listeners":1,"game":"friday","faults":[]},
      {"name":"b","input":"srt://h:2","state":"down","codecs":null,"format":null,"bitRate":0,"keyFrameInterval":null,"at":null,"offset":null,
      "segments":0,"gaps":3,"copies":0,"viewers":0,"listeners":0,"game":"x","faults":["nothing comes from the input"]}],
      "games":[{"game":"abc","title":"Friday \\u001b[1m","state":"question","players":120,"viewers":300}]}
      """
    #expect(
      try lines(text) == [
        "cuelight-server 1.0.0, up 1 day 02:03:04", "",
        "stream  state       time  Mbit/s  viewers  segments  gaps  copies  offset  game    input",
        "live    up     01:05.040    4.07        7        12     0      30  0.02 s  friday  udp://h:1",
        "b       down           -    0.00        0         0     3       0       -  x       srt://h:2",
        "live: avc1.4d401f, 1280 x 720", "b: nothing comes from the input", "",
        "game  state     players  viewers  title", "abc   question      120      300  \("Friday \u{1B}[1m".visible(.text))",
      ])
  }

  /// A server of another version, or something else.
  @Test(arguments: ["{}", #"{"streams":7,"games":[1],"uptime":-1}"#]) func nothing(text: String) throws {
    #expect(try lines(text) == ["up 00:00:00"])
  }
}
