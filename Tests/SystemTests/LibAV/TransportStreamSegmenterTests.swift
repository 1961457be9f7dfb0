import Basics
import Synchronization
import TestSupport
import Testing

@testable import LibAV

@Suite("Copying files into transport stream segments", .enabled(if: Programs.hasFFmpeg, Workshop.reason))
struct TransportStreamSegmenterTests {
  /// A transport stream packet's PID, whether something starts in it, and whether decoding can start there.
  private struct Packet {
    var pid: Int
    var isStart: Bool
    var isRandomAccess: Bool
    var continuity: UInt8
    var hasPayload: Bool

    init(_ bytes: ArraySlice<UInt8>) {
      let fields = Array(bytes)
      pid = Int(fields[1] & 0x1F) << 8 | Int(fields[2])
      isStart = fields[1] & 0x40 != 0
      isRandomAccess = fields[3] & 0x20 != 0 && fields[4] > 0 && fields[5] & 0x40 != 0
      continuity = fields[3] & 0x0F
      hasPayload = fields[3] & 0x10 != 0
    }
  }

  private static func packets(_ bytes: [UInt8]) -> [Packet] {
    stride(from: 0, to: bytes.count, by: 188).map { Packet(bytes[$0..<$0 + 188]) }
  }

  @Test("A stream's header is that of its fragments", arguments: [Clip.groups, .groupsMatroska, .audioOnly])
  func initialisation(clip: Clip) throws {
    let segmenter = try TransportStreamSegmenter(MediaInput(path: clip.path), boundaries: .every(MediaTime(seconds: 6)))
    let tracks = try fragments(clip.path).tracks
    #expect(tracks.count == segmenter.summary.copied.count)
    for (stream, track) in tracks {
      var header: [UInt8] = []
      if let bytes = try segmenter.initializationSegment(of: stream) { header = copy(bytes.span) }
      // Beside the sample entries libavformat notes what the first fragment's packets are like.
      #expect(try sampleEntries(header) == sampleEntries(track.initialisation))
    }
    let unknown = try segmenter.initializationSegment(of: 9) != nil
    #expect(!unknown)
  }

  @Test(
    "The segments one after another are the whole",
    arguments: Clip.copied + [.groups, .groupsMatroska, .groupsTransport, .hevcGroups, .openGroups])
  func whole(clip: Clip) throws {
    try clip.requireEncoder()
    let (segments, _, _, summary) = try segments(clip.path)
    let (whole, usual) = try remux(clip.path)
    #expect(summary == usual)
    let path = try Workshop.write(segments.flatMap { $0 }, to: "\(clip)-segments.ts")
    let usualPath = try Workshop.write(whole, to: "\(clip)-whole.ts")
    for (stream, (after, before)) in zip(summary.copied, zip(try packetTimes(path), try packetTimes(usualPath))) {
      let (after, before) = (presentations(after), presentations(before))
      #expect(after.count == before.count)
      // Only the first frame of sound in a PES packet has a time, and it is not the same one: others are counted from it, where a container
      // such as Matroska has them to the millisecond.
      #expect(zip(after, before).allSatisfy { abs($0 - $1) <= (stream.kind == .video ? 0 : 90) })
    }
  }

  @Test("Decoded frames equal the source's", arguments: [Clip.groups, .groupsMatroska, .groupsTransport, .hevcGroups])
  func decoded(clip: Clip) throws {
    try clip.requireEncoder()
    let path = try Workshop.write(try segments(clip.path).segments.flatMap { $0 }, to: "\(clip)-decoded.ts")
    for kind in ["v", "a"] {
      #expect(try Workshop.frameHashes(path, of: kind) == Workshop.frameHashes(clip.path, of: kind))
    }
  }

  @Test(
    "Each segment starts with the tables and a key frame, and splits no PES packet",
    arguments: [Clip.groups, .groupsTransport, .hevcGroups])
  func segmentStarts(clip: Clip) throws {
    try clip.requireEncoder()
    let segments = try segments(clip.path).segments
    #expect(segments.count == 5)
    var counters: [Int: UInt8] = [:]
    for (number, segment) in segments.enumerated() {
      let packets = Self.packets(segment)
      #expect(packets.prefix(3).map(\.pid) == [0x11, 0, 0x1000])
      let picture = try #require(packets.first { $0.pid == 0x100 })
      #expect(picture.isStart && picture.isRandomAccess)
      if number > 0 { #expect(packets[3].pid == 0x100) }
      for pid in Set(packets.map(\.pid)) { #expect(packets.first { $0.pid == pid }?.isStart == true) }
      for packet in packets where packet.hasPayload {
        if let last = counters[packet.pid] { #expect(packet.continuity == (last + 1) & 0x0F) }
        counters[packet.pid] = packet.continuity
      }
    }
  }

  @Test("A segment is decoded alone")
  func alone() throws {
    let segments = try segments(Clip.groups.path).segments
    let hashes = try Workshop.frameHashes(Clip.groups.path, of: "v")
    for (number, segment) in segments.enumerated() {
      let path = try Workshop.write(segment, to: "alone-\(number).ts")
      #expect(try Workshop.frameHashes(path, of: "v") == Array(hashes[number * 10..<number * 10 + 10]))
    }
  }

  @Test("Starts are those of the fragments, and the end is the last picture's")
  func times() throws {
    let boundaries = SegmentBoundaries.every(MediaTime(ticks: 45_000))
    let (_, starts, end, _) = try segments(Clip.groups.path, boundaries: boundaries)
    let track = try #require(try fragments(Clip.groups.path, boundaries: boundaries).tracks[0])
    #expect(starts.map(\.number) == [0, 1, 2])
    #expect(starts.map(\.presentation) == track.times.map(\.earliestPresentation))
    #expect(starts.allSatisfy { $0.startsWithKeyFrame && $0.isClosed })
    #expect(end == MediaTime(ticks: 900_000 + 180_000))
  }

  @Test("Sound alone is cut, and each segment starts with the tables")
  func soundAlone() throws {
    let (segments, starts, _, _) = try segments(Clip.audioOnly.path, boundaries: .every(MediaTime(ticks: 45_000)))
    #expect(starts.count == 4)
    for segment in segments { #expect(Self.packets(segment).prefix(4).map(\.pid) == [0x11, 0, 0x1000, 0x100]) }
  }

  @Test("Cuts may be given")
  func givenCuts() throws {
    #expect(
      try segments(Clip.groups.path, boundaries: .at([MediaTime(ticks: 72_000)])).starts.map(\.presentation.ticks) == [900_000, 972_000])
    #expect(throws: RemuxError.noKeyFrame(at: MediaTime(ticks: 50_000))) {
      try segments(Clip.groups.path, boundaries: .at([MediaTime(ticks: 50_000)]))
    }
  }

  @Test("The same input gives the same bytes")
  func deterministic() throws { #expect(try segments(Clip.groups.path).segments == segments(Clip.groups.path).segments) }

  @Test("An interruption ends the work", arguments: [0, 10, 100])
  func interrupted(afterQuestions limit: Int) {
    let questions = Atomic(0)
    #expect(throws: RemuxError.interrupted) {
      try segments(Clip.groups.path) { questions.wrappingAdd(1, ordering: .relaxed).newValue > limit }
    }
  }
}

/// What stands between the box of the sample entries and the one after it.
private func sampleEntries(_ header: [UInt8]) throws -> [UInt8] {
  let start = try #require(header.firstRange(of: Array("stsd".utf8)))
  return Array(header[start.upperBound..<(try #require(header.firstRange(of: Array("stts".utf8)))).lowerBound])
}
