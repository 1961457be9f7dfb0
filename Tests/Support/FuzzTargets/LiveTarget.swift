import Basics
import CueSheet
import EventSchedule
import GameEvents
import LiveGame
import LiveHLS
import PacketStamping
import Stamping
import TestSupport
import TransportStream

extension FuzzTarget {
  /// Requests for a running stream: what is accepted comes back from a journal as it was, and the game with it.
  static let liveRequest = FuzzTarget("live-request") { bytes in
    guard let request = try? LiveRequest(json: String(decoding: bytes, as: UTF8.self)) else { return }
    let again = try LiveRequest(json: JSONValue.object(request.object).text)
    try require(again.object, equals: request.object, "written and read again")
    try require(again.due, equals: request.due, "the time")
    let settings = LiveGame.Settings(game: "g", title: "T", policy: CopyPolicy(), answers: .open)
    var game = LiveGame(settings)
    let now = LiveGame.Now(time: MediaTime(seconds: 10), wallClock: 1_000)
    guard let (_, change) = try? game.accept(request, newGUID: SampleGame.guid("new"), now: now) else { return }
    let records = try JournalText.contents(JournalText.bytes(change.records, room: 0)).records
    try require(records, equals: change.records, "the journal")
    try require(try LiveGame.restored(records, settings).game.statuses, equals: game.statuses, "the game")
  }

  /// Journals of live games: what is read is read again, and damage lies inside. With right checksums, too, what lines say does no harm.
  static let liveJournal = FuzzTarget("live-journal") { bytes in
    let lines = bytes.split(separator: 0x0A)
    let written = lines.compactMap { try? JSONValue(parsing: String(decoding: $0, as: UTF8.self)).object }.compactMap { JournalRecord($0) }
    try require(try JournalText.contents(JournalText.bytes(written, room: 0)).records, equals: written, "written and read again")
    if var (game, arrivals) = try? LiveGame.restored(written, .init(game: "g", title: "T", policy: CopyPolicy(), answers: .open)) {
      let time = MediaTime(seconds: 10)
      arrivals += game.release(now: .init(time: time, wallClock: 1_000, dates: .init(time: time, wallClock: 1_000))).arrivals
      try require(arrivals.allSatisfy { game.status($0.planned.event.guid) != nil }, "an event that the game does not know")
      for status in game.statuses { _ = JSONValue.object(status.object(at: "")).text }
    }
    do throws(JournalText.Damage) {
      let contents = try JournalText.contents(bytes)
      let again = try JournalText.contents(JournalText.bytes(contents.records, room: 0))
      let lines = try JournalText.contents(Array(bytes.prefix(contents.byteCount)))
      guard contents.records == again.records, lines.records == contents.records else {
        throw .init(line: 0, offset: 0, reason: "read again it is another one")
      }
    } catch {
      try require(!JournalRepair(bytes).isWhole, "a damaged journal is whole")
      try require(error.line > 0 && (0...bytes.count).contains(error.offset), "damage outside: \(error)")
    }
  }

  /// Live streams: no time of a copy goes back, no packet is lost, and the playlist of the segments can always be written.
  static let liveStamper = FuzzTarget("live-stamper") { bytes in
    for keepsRate in [false, true] { try stampLive(bytes, keepsRate: keepsRate, .transportStream) }
    try stampLive(bytes, keepsRate: false, .fragmentedMP4)
  }

  private static func stampLive(_ bytes: [UInt8], keepsRate: Bool, _ type: SegmentType) throws {
    var options = PacketStamper.Options()
    options.keepsRate = keepsRate
    var stamper = LivePacketStamper(
      EventSchedule([], policy: CopyPolicy()), options, from: .zero, SegmentClock(duration: MediaTime(ticks: 45_000)))
    var output = LiveGathering(LiveSegmenter(type, partDuration: type == .fragmentedMP4 ? MediaTime(ticks: 18_000) : nil))
    var playlist = LivePlaylist(.event, type, prefix: "p", hasParts: type == .fragmentedMP4)
    var count = 0
    for start in stride(from: 0, through: bytes.count - TransportPacket.size, by: TransportPacket.size) {
      var packet = Array(bytes[start..<start + TransportPacket.size])
      packet[0] = TransportPacket.syncByte
      if count % 97 == 3 { stamper.add(SampleGame.short("\(count)", at: 0)) }
      stamper.push(packet.span, into: &output)
      count += 1
      for segment in output.segmenter.takeSegments() {
        _ = playlist.append(segment, wallClock: 0)
        _ = try playlist.playlists()
      }
      for part in output.segmenter.takeParts() { _ = playlist.append(part, wallClock: 0) }
    }
    stamper.finish(into: &output)
    try require(output.isInOrder, "a time goes back")
    try require(output.byteCount % TransportPacket.size == 0, "\(output.byteCount) bytes")
    // A tag of the stream's own that has begun keeps them from it.
    try require(output.placedCount <= output.dueCount, "\(output.placedCount) of \(output.dueCount) copies are in the stream")
    try require(keepsRate || output.expectedCount == 0, "packets wait for null packets")
  }
}

private struct LiveGathering: LiveOutput {
  var segmenter: LiveSegmenter
  var byteCount = 0
  var latest = MediaTime(ticks: .min)
  var isInOrder = true
  var (dueCount, placedCount, expectedCount) = (0, 0, 0)

  init(_ segmenter: LiveSegmenter) { self.segmenter = segmenter }

  mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
    segmenter.begin(unit, copies)
    dueCount += copies.count
    for copy in copies {
      isInOrder = isInOrder && copy.time >= latest
      latest = max(latest, copy.time)
    }
  }

  mutating func write(_ packets: Span<UInt8>) {
    byteCount += packets.count
    segmenter.write(packets)
  }

  mutating func expect(_ packets: Span<UInt8>) {
    expectedCount += 1
    segmenter.expect(packets)
  }

  mutating func follow(pmtPID: PID, leadingPID: PID?) { segmenter.follow(pmtPID: pmtPID, leadingPID: leadingPID) }

  mutating func place(_ copies: [PlacedCopy]) { placedCount += copies.count }
}

extension SampleTexts {
  /// A journal of a short game, with room behind it.
  static let liveJournal: [UInt8] = {
    let guid = SampleGame.guid("a")
    let request = JSONObject([.init(key: "event", value: .string("poll"))])
    let records: [JournalRecord] = [
      .started(game: "g", sealKey: nil), .accepted(guid: guid, key: "k", request: request, from: .init(wallClock: 1, time: .zero)),
      .numbered(guid: guid, sequence: 1, deadline: 9), .placed(guid: guid, at: .zero, pts: 5, wallClock: 7), .ended,
    ]
    return JournalText.bytes(records, room: 300)
  }()
}
