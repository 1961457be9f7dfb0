import Basics
import EventReading
import Files
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import LivePair
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// A node of a pair that goes on where the other one has stopped.
@Suite struct TakeoverTests {
  private static func settings(_ journal: String, _ type: SegmentType) throws -> LiveSettings {
    var settings = LiveSettings(input: .file(SessionClip.small.path), outputs: [], game: "friday", playlist: .event)
    settings.segmentType = type
    settings.segmentDuration = MediaTime(seconds: 2)
    settings.journal = journal
    // Twice as fast as it is watched: events are released a second of the programme before their time.
    settings.pace = 2
    settings.hasOpenAnswers = true
    settings.title = "T"
    return settings
  }

  /// A session to its end, with an event at the end of the third segment, whose burst goes on in the fourth one.
  private static func run(_ session: LiveSession, _ requests: [String]) async throws {
    session.desk.start()
    for request in requests {
      _ = try await session.desk.change { (game, now) throws(LiveProblem) in
        try game.accept(try LiveRequest(json: request), newGUID: SampleGame.guid("none"), now: now)
      }
    }
    session.start()
    while !session.situation.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// The copies of a segment, with what is the same on both nodes.
  private static func copies(_ session: LiveSession, _ index: Int) throws -> [EventCopy] {
    try session.items(of: try session.media().segments[index]).compactMap { if case .copy(let copy, _) = $0 { copy } else { nil } }
  }

  /// The packets of video and audio of a segment of transport stream; the samples of a segment of fragmented MP4.
  private static func media(_ session: LiveSession, _ index: Int, _ type: SegmentType) throws -> [[UInt8]] {
    guard type == .transportStream else {
      let playlists = [try session.media()] + (try ["audio1.m3u8", "audio2.m3u8"].map { try session.media($0) })
      return try playlists.map { try samples(session.bytes([$0.segments[index].uri])) }
    }
    let bytes = try session.bytes([try session.media().segments[index].uri])
    return stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
      .filter { [0x100, 0x101, 0x102].contains(UInt16($0[1] & 0x1F) << 8 | UInt16($0[2])) && $0[1] & 0x1F != 0 }
  }

  /// When the samples of a fragment are decoded, and their bytes: what stands behind the time in `tfdt`, and in `mdat`.
  private static func samples(_ bytes: [UInt8]) throws -> [UInt8] {
    func place(_ name: String) throws -> Int {
      try #require((0..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == Array(name.utf8) })
    }
    let (time, data) = (try place("tfdt"), try place("mdat"))
    return Array(bytes[time + 8..<time + 16]) + bytes[(data + 4)...]
  }

  /// Every cut of the journal behind a segment: the segments behind it are those that the other node would have made.
  @Test(arguments: [1, 3], SegmentType.allCases) func goingOn(segments count: Int, type: SegmentType) async throws {
    let folder = try Workshop.newFolder()
    let requests = [
      #"{"event":"startGame","guid":"s"}"#,
      #"{"event":"askQuestion","guid":"q","question":"?","answers":["a","b"],"correct":"a","allottedTime":60}"#,
      #"{"event":"poll","guid":"p","at":5.96}"#,
    ]
    let first = try await TestThread.run {
      let session = try LiveSession(try Self.settings(folder + "/a", type)) { _ in }
      try await Self.run(session, requests)
      return session
    }
    let records = try JournalText.contents(try Workshop.bytes(folder + "/a")).records
    var known: [JournalRecord] = []
    var listed: [String] = []
    var files: [String] = []
    for record in records {
      known.append(record)
      if case .segment(let segment) = record {
        listed.append(segment.name)
        files += segment.files
      }
      if listed.count == count { break }
    }
    try Workshop.write(JournalText.bytes(known, room: 1), to: folder + "/b")
    let store = SegmentStore(folder: nil) { _ in }
    for name in first.store.segmentNames where files.contains(name) {
      _ = store.stage([SegmentFile(name: name, bytes: try #require(first.store.file(name)).bytes)])
    }
    store.replace(with: first.store.playlists, keeping: Set(files))
    let settings = try Self.settings(folder + "/b", type)
    let input = StandbyInput(settings) { _ in }
    input.start()
    let second = try await TestThread.run {
      while !input.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
      let lead = PairLead(input: input, store: store, feed: LiveFeed(), mirror: SessionMirror(), lastListing: .now)
      let session = try LiveSession(settings, leading: lead) { _ in }
      try await Self.run(session, [])
      return session
    }
    let (left, right) = (try first.media(), try second.media())
    #expect(right.segments.count == left.segments.count && right.segments.allSatisfy { !$0.isDiscontinuous && !$0.isGap })
    #expect(right.segments.prefix(count).map(\.uri) == left.segments.prefix(count).map(\.uri))
    #expect(right.segments.map(\.duration) == left.segments.map(\.duration))
    #expect(right.segments.map(\.programDateTime) == left.segments.map(\.programDateTime))
    for index in count..<left.segments.count {
      #expect(try Self.media(second, index, type) == Self.media(first, index, type), "segment \(index)")
    }
    // What was placed behind the cut and the other node did not know is accepted, and comes later.
    if count == 3 {
      let (bursts, other) = (try Self.copies(first, 3), try Self.copies(second, 3))
      let repeats = bursts.filter { $0.event.guid == SampleGame.guid("p") && !$0.isRefresh }.map(\.copy)
      #expect(repeats == (type == .transportStream ? [2, 3] : []))
      #expect(other.filter { !$0.isRefresh } == bursts.filter { !$0.isRefresh })
    }
  }
}
