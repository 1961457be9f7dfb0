import Basics
import GameEvents
import GameHosting
import Synchronization
import Testing

@testable import GameServer

/// The streams of games, which may come, go and be replaced while games are played on them.
@Suite struct GameStreamsTests {
  @Test func names() {
    let streams = GameStreams()
    #expect(streams.first == nil && streams.stream(of: nil).name == GameStreams.usualName)
    let one = GameStreams(FakeInjector(edge: 5), address: "/live/live/index.m3u8")
    #expect(one.first == nil && one.stream(of: nil).address == "/live/live/index.m3u8" && one.present == [""])
    let two = GameStreams()
    two.set("news", FakeInjector(edge: 5), address: "/n")
    two.set("sports", nil, address: nil)
    #expect(two.first == "news" && two.stream(of: nil).name == "news" && two.stream(of: "sports").address == nil)
    #expect(two.present == ["news"] && two.all.map(\.name) == ["news", "sports"])
    #expect(two.stream("news") === two.stream(of: "news"))
  }

  /// Whoever observes is told of streams that come later.
  @Test func observing() {
    let streams = GameStreams()
    let seen = Mutex<[String]>([])
    streams.set("a", nil, address: nil)
    streams.observe { stream in seen.withLock { $0.append(stream.name) } }
    streams.set("b", nil, address: nil)
    streams.set("b", FakeInjector(edge: 1), address: nil)
    #expect(seen.withLock { $0 } == ["a", "b"])
  }

  /// A game that names no stream is on one that is still there.
  @Test func removed() {
    let streams = GameStreams()
    streams.set("a", FakeInjector(edge: 1), address: "/a")
    streams.set("b", FakeInjector(edge: 1), address: "/b")
    let stream = streams.stream(of: "a")
    streams.remove("a")
    #expect(streams.stream(of: nil).name == "b" && streams.present == ["b"] && stream.injector.isAway && stream.address == nil)
    // A game on it goes on if it comes back.
    streams.set("a", FakeInjector(edge: 2), address: "/a")
    #expect(streams.stream(of: "a") === stream && stream.injector.edge == MediaTime(seconds: 2) && streams.present == ["b", "a"])
    streams.remove("unknown")
  }

  /// Who waits for a time of a stream that is away is woken when a stream is there.
  @Test func waking() {
    let stream = GameStreams.Stream(named: "a", nil)
    let woken = Atomic<Int>(0)
    stream.injector.wake(at: MediaTime(seconds: 9)) { woken.add(1, ordering: .relaxed) }
    stream.injector.change(to: nil)
    #expect(woken.load(ordering: .relaxed) == 0)
    stream.injector.change(to: FakeInjector(edge: 7))
    #expect(woken.load(ordering: .relaxed) == 1)
    stream.injector.change(to: FakeInjector(edge: 8))
    #expect(woken.load(ordering: .relaxed) == 1)
  }

  /// A stream that is away takes nothing; the one that takes its place is used at once, and told to those who wait.
  @Test func replaced() {
    let stream = GameStreams.Stream(named: "a", nil)
    let told = Atomic<Int>(0)
    stream.injector.onChange { told.add(1, ordering: .relaxed) }
    #expect(stream.injector.isAway && stream.injector.edge == nil && stream.injector.liveEdge == nil && !stream.injector.hasEnded)
    #expect(stream.injector.condition.picture == .down)
    #expect(stream.injector.put(HostedShow.start, JSONObject()) == .unavailable("the stream is away"))
    stream.injector.change(to: FakeInjector(edge: 7))
    #expect(stream.injector.edge == MediaTime(seconds: 7) && told.load(ordering: .relaxed) == 1)
    stream.injector.change(to: nil)
    #expect(stream.injector.edge == nil && told.load(ordering: .relaxed) == 2)
  }
}
