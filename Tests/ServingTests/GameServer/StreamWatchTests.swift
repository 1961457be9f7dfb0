import Basics
import GameHosting
import LiveInterface
import Testing

@testable import GameServer

/// What hosts and the operator hear of the stream.
@Suite struct StreamWatchTests {
  private func texts(_ conditions: [StreamCondition]) -> [[String]] {
    var watch = StreamWatch()
    return conditions.map { watch.see($0).map(\.text) }
  }

  @Test func thePicture() {
    let conditions = [nil, .down, .down, .up, .up, nil, .down, .up, .ended].map { StreamCondition(picture: $0) }
    let (up, down) = ("the picture is there", "the picture has stopped: nothing comes from the encoder")
    // Before the first one nothing has stopped.
    #expect(texts(conditions) == [[], [], [], [up], [], [], [down], [up], ["the stream has ended"]])
  }

  @Test func howFarViewersAreBehind() {
    func lag(_ target: Int, keyFrames: Double) -> StreamCondition {
      let delivery = StreamDelivery(
        segmentDuration: MediaTime(seconds: 4), targetDuration: MediaTime(seconds: target), keyFrameInterval: MediaTime(seconds: keyFrames))
      return StreamCondition(lag: StreamCondition(.up, delivery).lag)
    }
    let text = "viewers are 27 s behind: set the key frame interval to 2 s"
    #expect(texts([lag(9, keyFrames: 8.3), lag(9, keyFrames: 8.3), lag(4, keyFrames: 2)]) == [[text], [], ["viewers are 12 s behind"]])
    // Nobody needs to hear that all is well.
    #expect(texts([lag(4, keyFrames: 2), lag(4, keyFrames: 2)]) == [[], []])
  }

  @Test func messages() {
    var watch = StreamWatch()
    let notices = watch.see(
      StreamCondition(picture: .up, lag: .init(behind: MediaTime(seconds: 27), furthest: .zero, advice: "x")))
    #expect(notices.map(\.event) == ["picture", "lag"])
    #expect(notices.map { JSONValue.object($0.object).text } == [#"{"picture":"up"}"#, #"{"behind":27,"advice":"x"}"#])
  }

  /// What another process tells; one of an earlier version says less.
  @Test func otherProcesses() throws {
    func condition(_ text: String) throws -> StreamCondition {
      RemoteInjector.condition(try #require(try JSONValue(parsing: text).object))
    }
    let delivery = #""delivery":{"segmentDuration":4,"targetDuration":9,"partTarget":null,"keyFrameInterval":8.3}"#
    #expect(try condition(#"{"input":"up"}"#) == StreamCondition(picture: .up))
    #expect(try condition(#"{"input":"up","delivery":null}"#) == StreamCondition(picture: .down))
    let known = try condition("{\"input\":\"down\",\(delivery)}")
    #expect(known.picture == .down && known.lag?.text == "viewers are 27 s behind: set the key frame interval to 2 s")
    #expect(try condition("{\"input\":\"ended\",\(delivery)}").picture == .ended)
    for text in ["{}", #"{"input":"sideways"}"#, #"{"input":5}"#] { #expect(try condition(text) == StreamCondition()) }
  }

  /// The thread that follows another process ends once no game needs it.
  @Test func followingEnds() async throws {
    let address = try StreamAddress("http://127.0.0.1:9/v1/streams/live")
    weak var injector: RemoteInjector?
    let streams = GameStreams()
    do {
      let made = RemoteInjector(address, token: nil)
      made.start()
      streams.set("far", made, address: nil)
      injector = made
    }
    #expect(injector != nil)
    streams.set("far", nil, address: nil)
    try await until("the injector is gone") { [weak injector] in injector == nil }
  }
}
