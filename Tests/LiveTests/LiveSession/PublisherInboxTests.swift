import Basics
import LiveGame
import LiveHLS
import Synchronization
import Testing

@testable import LiveSession

/// The inbox for published streams.
@Suite struct PublisherInboxTests {
  @Test func addresses() throws {
    for (text, host, port, application, written) in [
      ("rtmp://0.0.0.0:1936/show", "0.0.0.0", 1936, "show", "rtmp://0.0.0.0:1936/show"),
      ("RTMP://studio", "studio", 1935, "live", "rtmp://studio:1935/live"),
      ("rtmp://[::1]/a/b/", "::1", 1935, "a/b", "rtmp://[::1]:1935/a/b"), ("rtmp://[::1]:0", "::1", 0, "live", "rtmp://[::1]:0/live"),
    ] {
      let address = try #require(PublishAddress(text))
      #expect(address.place == .init(host: host, port: port) && address.application == application && address.text == written)
      #expect(LiveInput(text) == .publisher(address) && LiveInput(text)?.name == written)
    }
    for text in [
      "rtmp://", "rtmp://h:x/a", "rtmp://h:65536/a", "rtmp://u@h/a", "rtmp://h/a?b", "rtmp://h/a#b", "rtmp:h", "rtmps://h/a", "srt://h",
      "rtmp://:1935/a",
    ] {
      #expect(PublishAddress(text) == nil, "\(text)")
      if text.hasPrefix("rtmp:/") { #expect(LiveInput(text) == nil, "\(text)") }
    }
    var settings = LiveSettings(input: .standardInput, outputs: [], game: "g", playlist: .event)
    #expect(settings.application == "live")
    settings.input = .publisher(try #require(PublishAddress("rtmp://h/show")))
    #expect(settings.application == "show")
  }

  private let event = ForeignEvent(name: "poll", data: JSONObject())

  @Test func onePublisher() throws {
    let inbox = PublisherInbox(try #require(PublishAddress("rtmp://h")))
    inbox.wake()
    #expect(inbox.take() == [])
    #expect(inbox.begin() == 1 && inbox.begin() == nil)
    #expect(inbox.add([1], events: [event], notices: ["n"], of: 1) && !inbox.add([2], of: 2))
    inbox.end(2)
    inbox.end(1)
    inbox.tell("t")
    #expect(inbox.take() == [.begin, .event(event), .notice("n"), .packets([1]), .end, .notice("t")])
    #expect(!inbox.add([1], of: 1) && inbox.begin() == 2)
    inbox.close()
    inbox.end(2)
    #expect(inbox.begin() == nil)
  }

  /// The inbox is bounded: the publisher is read again when there is room.
  @Test func room() throws {
    let inbox = PublisherInbox(try #require(PublishAddress("rtmp://h")))
    let reads = Atomic<Int>(0)
    func count() -> Int { reads.load(ordering: .relaxed) }
    inbox.whenThereIsRoom { reads.add(1, ordering: .relaxed) }
    #expect(inbox.begin() == 1 && count() == 1)
    #expect(inbox.add([UInt8](repeating: 0, count: 4 << 20), of: 1))
    inbox.whenThereIsRoom { reads.add(1, ordering: .relaxed) }
    #expect(count() == 1)
    #expect(inbox.take().count == 2 && count() == 2)
    inbox.wake()
    #expect(inbox.take().isEmpty && count() == 2)
    for _ in 0..<5_000 { inbox.tell("t") }
    #expect(inbox.take().count == 4_096)
  }

  /// A silent publisher is replaced, and its later packets are refused.
  @Test func takeover() throws {
    let inbox = PublisherInbox(try #require(PublishAddress("rtmp://h")))
    let start = ContinuousClock.now
    #expect(inbox.begin(at: start) == 1 && inbox.begin(at: start + .seconds(1)) == nil)
    #expect(inbox.begin(at: start + .seconds(3)) == 2 && !inbox.add([1], of: 1) && inbox.add([2], of: 2))
    inbox.end(1)
    #expect(inbox.take() == [.begin, .end, .begin, .packets([2])])
  }
}
