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
    #expect(store.snapshot.map(\.files) == copy.snapshot.map(\.files) && copy.file("2.ts") != nil && copy.file("0.ts") == nil)
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
