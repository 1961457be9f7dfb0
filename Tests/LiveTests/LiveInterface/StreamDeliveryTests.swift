import Basics
import LiveInterface
import Testing

/// How far viewers are behind, by the measurements of a stream.
@Suite struct StreamDeliveryTests {
  private func delivery(_ target: Int, part: Double? = nil, keyFrames: Double? = nil, asked: Int = 4) -> StreamDelivery {
    StreamDelivery(
      segmentDuration: MediaTime(seconds: asked), targetDuration: MediaTime(seconds: target),
      partTarget: part.map { MediaTime(seconds: $0) },
      keyFrameInterval: keyFrames.map { MediaTime(seconds: $0) })
  }

  /// `behind` and `furthestBehind` in seconds, and the advice.
  private struct Facts: Equatable {
    var seconds: [Double]
    var advice: String?

    init(_ seconds: [Double], _ advice: String? = nil) { (self.seconds, self.advice) = (seconds, advice) }
    init(_ delivery: StreamDelivery) {
      self.init([delivery.behind, delivery.furthestBehind].map(\.seconds), delivery.advice)
    }
  }

  @Test func facts() {
    let advice = "set the key frame interval to 2 s"
    // OBS's default, with parts and without: not all players know parts.
    #expect(Facts(delivery(9, part: 0.5, keyFrames: 250.0 / 30)) == Facts([27, 37], advice))
    #expect(Facts(delivery(9, keyFrames: 250.0 / 30)) == Facts([27, 37], advice))
    // Before the second key frame only segments are known.
    #expect(Facts(delivery(12)) == Facts([36, 49], advice))
    // As it should be.
    #expect(Facts(delivery(4, part: 0.5, keyFrames: 2)) == Facts([12, 17]))
    #expect(Facts(delivery(4, keyFrames: 2)) == Facts([12, 17]))
    // Long segments that the operator has asked for are no fault of the encoder.
    #expect(Facts(delivery(10, part: 1, keyFrames: 2, asked: 10)) == Facts([30, 41]))
    // Nobody needs more than a key frame in two seconds.
    #expect(Facts(delivery(2, part: 0.5, keyFrames: 2, asked: 1)) == Facts([6, 9]))
    #expect(Facts(delivery(3, part: 0.5, keyFrames: 3, asked: 1)) == Facts([9, 13], advice))
    // The encoder is right now, and the target duration of a stream stays.
    let again = "the stream began with key frames further apart, and its segments stay as long: begin anew with another --data folder"
    #expect(Facts(delivery(9, part: 0.5, keyFrames: 2)) == Facts([27, 37], again))
  }

  @Test func json() throws {
    let known = delivery(9, part: 0.5, keyFrames: 8.25)
    #expect(
      JSONValue.object(known.object).text == #"{"segmentDuration":4,"targetDuration":9,"partTarget":0.5,"keyFrameInterval":8.25}"#)
    #expect(StreamDelivery(known.object) == known)
    #expect(StreamDelivery(delivery(4).object) == delivery(4))
    for text in [
      "{}", #"{"segmentDuration":4}"#, #"{"segmentDuration":4,"targetDuration":"9"}"#, #"{"segmentDuration":4,"targetDuration":-9}"#,
      #"{"segmentDuration":4,"targetDuration":1e300}"#, #"{"segmentDuration":0,"targetDuration":9}"#,
      #"{"segmentDuration":4,"targetDuration":9223372036854775807}"#,
    ] {
      let object = try #require(try JSONValue(parsing: text).object)
      #expect(StreamDelivery(object) == nil, "\(text)")
    }
  }
}
