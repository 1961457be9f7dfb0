import Basics
import LiveGame
import LiveHLS
import TestSupport
import Testing

@testable import LiveSession

/// Who wants to know how a stream is hears of it when it changes, and does not have to look again and again.
@Suite struct SessionChangesTests {
  /// The input comes, falls silent and comes again, and the session ends. While it is silent, gaps are listed.
  @Test func condition() async throws {
    let notes = Notes()
    let address = try #require(PublishAddress("rtmp://h/live"))
    var settings = LiveSettings(input: .publisher(address), outputs: [], game: "friday", playlist: .event)
    settings.segmentDuration = MediaTime(seconds: 2)
    let packets = try Workshop.bytes(SessionClip.small.path)
    try await TestThread.run {
      let session = try LiveSession(settings) { _ in }
      session.onChange {
        let situation = session.situation
        notes.add(
          "\(situation.isInputUp ? "up" : "down")\(session.delivery == nil ? "" : ", delivered")\(situation.hasEnded ? ", over" : "")")
      }
      session.start()
      let inbox = try #require(session.inboxes.first)
      let publisher = try #require(inbox.begin())
      #expect(inbox.add(packets, of: publisher))
      await notes.wait(for: "up, delivered")
      await notes.wait(for: "down, delivered")
      while session.situation.gaps < 2 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(inbox.add(packets, of: publisher))
      await notes.wait(for: "up, delivered")
      await session.stopWaiting()
    }
    #expect(notes.all.filter { $0.contains("delivered") } == ["up, delivered", "down, delivered", "up, delivered", "up, delivered, over"])
  }
}
