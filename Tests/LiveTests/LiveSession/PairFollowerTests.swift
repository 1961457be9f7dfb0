import Basics
import GameEvents
import LiveGame
import LiveHLS
import LivePair
import Synchronization
import TestSupport
import Testing

@testable import LiveSession

/// A node that follows, and the one that it follows.
@Suite struct PairFollowerTests {
  /// A connection whose messages the test carries.
  private final class Wire: SessionMirror.Line {
    private let state = Mutex<(messages: [PairMessage], isClosed: Bool)>(([], false))

    func send(_ message: PairMessage) { state.withLock { $0.messages.append(message) } }
    func close() { state.withLock { $0.isClosed = true } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func take() -> [PairMessage] {
      state.withLock { state in
        defer { state.messages = [] }
        return state.messages
      }
    }
  }

  /// The lines of records, after those of others.
  private static func lines(_ records: [JournalRecord], after others: [JournalRecord] = []) -> [UInt8] {
    Array(JournalText.bytes(others + records, room: 0).dropFirst(JournalText.bytes(others, room: 0).count))
  }

  private static func accepted(_ name: String, at wallClock: Int64 = 5) -> JournalRecord {
    .accepted(
      guid: SampleGame.guid(name), key: nil, request: JSONObject([.init(key: "event", value: .string(name))]),
      from: .init(wallClock: wallClock, time: nil))
  }

  private static func hello(_ follower: PairFollower) -> PairHello {
    PairHello(
      stream: "live", game: "g", node: "b", phase: .undecided, term: follower.term, length: follower.length, digest: follower.digest)
  }

  private static func update(_ number: Int) -> SegmentStore.Update {
    var update = SegmentStore.Update(playlists: [SegmentFile(name: "media.m3u8", bytes: [UInt8(number)])], targetDuration: 2)
    update.segments = [SegmentFile(name: "\(number).ts", bytes: [UInt8](repeating: UInt8(number), count: 10))]
    if number > 1 { update.removable = ["\(number - 2).ts"] }
    // What clients over HTTP get, and as delta updates.
    var reloaded = ReloadedPlaylist(name: "media.m3u8", bytes: [UInt8(number)], hints: [])
    (reloaded.update, reloaded.rangeUpdate) = (Array("delta \(number)".utf8), Array("ranges \(number)".utf8))
    update.reloaded = [reloaded]
    return update
  }

  /// A node that joins gets everything, and then each change. Both journals have the same bytes.
  @Test(arguments: [0, 1, 2]) func joining(known: Int) throws {
    let path = try Workshop.newFolder() + "/journal"
    let records: [JournalRecord] = [.started(game: "g", sealKey: "00"), .led(term: 4, isAlone: true), Self.accepted("a")]
    let journal = Self.lines(records)
    if known > 0 { try Workshop.write(Self.lines(Array(records.prefix(known))) + [0], to: path) }
    let (store, copy) = (SegmentStore(folder: nil) { _ in }, SegmentStore(folder: nil) { _ in })
    store.publish(Self.update(0))
    store.publish(Self.update(1))
    let follower = try PairFollower(journal: path, store: copy, feed: LiveFeed())
    let (mirror, wire) = (SessionMirror(), Wire())
    #expect(mirror.isAlone && mirror.takeChange() == nil)
    mirror.offer(wire, Self.hello(follower))
    mirror.admit({ journal }, store)
    #expect(!mirror.isAlone && mirror.takeChange() == false && mirror.takeChange() == nil)
    follower.begin()
    for message in wire.take() { #expect(try follower.receive(message)) }
    #expect(follower.isComplete && follower.orphans == [] && follower.takeReceived() == 5 && follower.takeReceived() == 0)
    mirror.send(journal: Self.lines([.released(guid: SampleGame.guid("a"))], after: records), at: journal.count)
    mirror.send(Self.update(2))
    for message in wire.take() { #expect(try follower.receive(message)) }
    follower.close()
    let written = try Workshop.bytes(path)
    let whole = journal + Self.lines([.released(guid: SampleGame.guid("a"))], after: records)
    #expect(Array(written.prefix(whole.count)) == whole && written.dropFirst(whole.count).allSatisfy { $0 == 0 })
    store.publish(Self.update(2))
    #expect(Self.files(store) == Self.files(copy) && copy.file("2.ts") != nil && copy.file("0.ts") == nil)
  }

  /// The files that clients may load.
  private static func files(_ store: SegmentStore) -> [String: [UInt8]] {
    let names = store.segmentNames + (store.playlists?.playlists.map(\.name) ?? [])
    var files = Dictionary(uniqueKeysWithValues: names.map { ($0, store.file($0)?.bytes ?? []) })
    for skip in ["YES", "v2"] {
      if case .file(let file) = store.find("media.m3u8", query: ["_HLS_skip": skip]) { files["skip \(skip)"] = file.bytes }
    }
    return files
  }

  /// A segment of 3 MiB, and the playlist.
  private static func largeUpdate(_ number: Int) -> SegmentStore.Update {
    var update = update(number)
    update.segments[0].bytes = [UInt8](repeating: UInt8(number), count: 3 << 20)
    update.removable = []
    return update
  }

  /// A node that joins during an event gets its segments in portions. It follows once it has those that were made meanwhile, too.
  @Test func joiningAnEvent() throws {
    let folder = try Workshop.newFolder()
    let (store, copy) = (SegmentStore(folder: nil, spoolFolder: folder) { _ in }, SegmentStore(folder: nil, spoolFolder: folder) { _ in })
    for number in 0..<12 { store.publish(Self.largeUpdate(number)) }
    copy.publish(Self.update(99))
    let follower = try PairFollower(journal: folder + "/journal", store: copy, feed: LiveFeed())
    let (mirror, wire) = (SessionMirror(), Wire())
    let woken = Mutex(0)
    mirror.attention.reach { woken.withLock { $0 += 1 } }
    mirror.offer(wire, Self.hello(follower))
    follower.begin()
    let journal = Self.lines([.started(game: "g", sealKey: "00")])
    var rounds = 0
    while !follower.isComplete, rounds < 100 {
      mirror.admit({ journal }, store)
      let messages = wire.take()
      let count = messages.reduce(0) { count, message in
        guard case .files(let files) = message else { return count }
        return count + files.segments.reduce(0) { $0 + $1.bytes.count }
      }
      #expect(count <= SessionMirror.mostUnderway + 3 << 20)
      // Without a confirmation nothing follows.
      if mirror.isAlone { mirror.admit({ journal }, store) }
      #expect(wire.take() == [])
      for message in messages { _ = try follower.receive(message) }
      #expect(follower.isComplete == !mirror.isAlone)
      // No playlist of the other node is there before all of its segments.
      #expect(copy.file("media.m3u8")?.bytes == (follower.isComplete ? [20] : [99]))
      mirror.note(received: follower.takeReceived(), by: wire)
      if rounds == 1 {
        var update = Self.largeUpdate(20)
        update.removable = ["0.ts"]
        store.publish(update)
      }
      rounds += 1
    }
    mirror.settle()
    #expect(rounds >= 4 && !wire.isClosed && woken.withLock { $0 } == rounds)
    #expect(Self.files(store) == Self.files(copy) && copy.file("99.ts") == nil && copy.segmentNames.count == 12)
    // Only the latest segments of the copy are in memory.
    let stored = copy.segmentNames.filter { if case .stored = copy.find($0) { true } else { false } }
    #expect(stored.count >= 12 - StoredSegments.mostInMemory)
  }

  /// A node that could not receive everything forgets what it has received.
  @Test func joiningInVain() throws {
    let path = try Workshop.newFolder() + "/journal"
    let copy = SegmentStore(folder: nil) { _ in }
    copy.publish(Self.update(0))
    let follower = try PairFollower(journal: path, store: copy, feed: LiveFeed())
    for _ in 0..<2 {
      follower.begin()
      _ = try follower.receive(.files(Self.update(0).files))
      _ = try follower.receive(.files(Self.update(1).files))
      #expect(copy.segmentNames == ["0.ts", "1.ts"])
    }
    follower.close()
    #expect(copy.segmentNames == ["0.ts"] && copy.file("media.m3u8")?.bytes == [0])
  }

  /// A node that is still joining is disconnected at the end, so that it leads if its own input lives. Until then its listeners hear what the others do.
  @Test func theEndWhileJoining() throws {
    let (mirror, wire) = (SessionMirror(), Wire())
    mirror.offer(wire, PairHello(stream: "live", game: "g", node: "b", phase: .undecided, term: 0, length: 0, digest: PairHello.digest([])))
    mirror.tell(LiveFeed.Message(id: 1, event: "placed", data: "{}"))
    mirror.leave(isEnd: true)
    #expect(wire.take() == [.told(id: 1, event: "placed", data: "{}")] && wire.isClosed && mirror.isAlone)
  }

  /// Both have led: what this node had promised alone, and the other one does not know, comes out; its own journal is kept beside the new one.
  @Test func twoJournals() throws {
    let path = try Workshop.newFolder() + "/journal"
    let common: [JournalRecord] = [.started(game: "g", sealKey: "00"), Self.accepted("a")]
    let own = Self.lines(
      common + [Self.accepted("unpromised"), .led(term: 2, isAlone: true), Self.accepted("b", at: 7), Self.accepted("c")])
    let other = Self.lines(common + [.led(term: 3, isAlone: true), Self.accepted("c"), Self.accepted("d")])
    try Workshop.write(own + [0], to: path)
    let follower = try PairFollower(journal: path, store: SegmentStore(folder: nil) { _ in }, feed: LiveFeed())
    let (mirror, wire) = (SessionMirror(), Wire())
    mirror.offer(wire, Self.hello(follower))
    mirror.admit({ other }, nil)
    follower.begin()
    for message in wire.take() { _ = try follower.receive(message) }
    #expect(
      follower.orphans == [
        .init(
          guid: SampleGame.guid("b"),
          request: JSONObject([.init(key: "event", value: .string("b")), .init(key: "guid", value: .string(SampleGame.guid("b").text))]),
          wallClock: 7)
      ])
    #expect(try Workshop.bytes(path + ".aside") == own && follower.term == 3)
    follower.close()
    #expect(Array(try Workshop.bytes(path).prefix(other.count)) == other)
  }

  /// A connection that ends before everything has come changes nothing here.
  @Test func cutOff() throws {
    let path = try Workshop.newFolder() + "/journal"
    let own = Self.lines([.started(game: "g", sealKey: "00"), Self.accepted("a")])
    try Workshop.write(own + [0], to: path)
    let follower = try PairFollower(journal: path, store: SegmentStore(folder: nil) { _ in }, feed: LiveFeed())
    follower.begin()
    #expect(try follower.receive(.journal(offset: 0, bytes: Self.lines([.started(game: "g", sealKey: "01")]))))
    #expect(!follower.isComplete && follower.length == own.count)
    follower.close()
    #expect(try Workshop.bytes(path) == own + [0])
  }

  /// Bytes that do not continue the journal are refused.
  @Test func aHole() throws {
    let path = try Workshop.newFolder() + "/journal"
    let follower = try PairFollower(journal: path, store: SegmentStore(folder: nil) { _ in }, feed: LiveFeed())
    follower.begin()
    _ = try follower.receive(.complete)
    #expect(throws: LiveSessionError.self) { _ = try follower.receive(.journal(offset: 1, bytes: [1])) }
  }

  /// The state of the other node's input is forgotten with its connection, and so is the node itself after a handover.
  @Test func inputs() throws {
    let (mirror, wire, stranger) = (SessionMirror(), Wire(), Wire())
    let hello = PairHello(
      stream: "live", game: "g", node: "b", phase: .undecided, term: 0, length: 0, digest: PairHello.digest([]))
    let instant = ContinuousClock.now
    mirror.offer(wire, hello)
    mirror.note(input: instant, by: wire)
    #expect(mirror.otherInput == nil)
    mirror.admit({ [] }, nil)
    mirror.note(input: instant, by: wire)
    mirror.note(input: nil, by: stranger)
    #expect(mirror.otherInput == instant)
    mirror.lose(wire)
    #expect(mirror.otherInput == nil && mirror.isAlone && mirror.takeChange() == true)
    mirror.offer(wire, hello)
    mirror.admit({ [] }, nil)
    mirror.note(input: instant, by: wire)
    _ = wire.take()
    mirror.leave(isEnd: false)
    #expect(wire.take() == [.leaving(isEnd: false)] && mirror.otherInput == nil && mirror.isAlone && mirror.takeChange() == nil)
    mirror.tell(LiveFeed.Message(id: 1, event: "placed", data: "{}"))
    mirror.lose(wire)
    #expect(wire.take() == [] && mirror.takeChange() == nil)
  }

  /// The wait ends when the other node has everything, and when it is gone or too slow.
  @Test func settling() throws {
    let (mirror, wire) = (SessionMirror(patience: .milliseconds(50)), Wire())
    mirror.settle()
    mirror.offer(wire, PairHello(stream: "live", game: "g", node: "b", phase: .undecided, term: 0, length: 0, digest: PairHello.digest([])))
    mirror.admit({ [] }, nil)
    mirror.note(received: wire.take().count, by: wire)
    mirror.settle()
    #expect(!wire.isClosed && mirror.takeChange() == false)
    mirror.send(journal: [1], at: 0)
    mirror.settle()
    #expect(wire.isClosed && mirror.isAlone && mirror.takeChange() == true && mirror.takeChange() == nil)
  }
}
