import Basics
import Synchronization
import TestSupport
import Testing

@testable import LibAV

@Suite("Copying files into fragments", .enabled(if: Programs.hasFFmpeg, Workshop.reason))
struct SegmentRemuxerTests {
  private static let copied: [Clip] = [
    .mp4, .matroska, .flash, .hevc, .audioOnly, .coverPicture, .twoLanguages, .variableRate, .lateStart, .groups, .groupsMatroska,
    .groupsTransport, .hevcGroups, .openGroups,
  ]

  @Test("Every packet arrives, at its time", arguments: copied)
  func everyPacket(clip: Clip) throws {
    try clip.requireEncoder()
    let (tracks, origin, _, summary) = try fragments(clip.path)
    let source = try packetTimes(clip.path)
    #expect(origin == MediaTime(ticks: 900_000))
    #expect(summary.packets == source.map(\.count).reduce(0, +))
    #expect([summary.repairedPackets, summary.invalidPackets, summary.framesBeforeKey] == [0, 0, 0])
    let program = summary.copied.firstIndex { $0.kind == .video } ?? 0
    let firstKey = try #require(source[program].first { $0.isKey }?.presentation)
    for (stream, before) in zip(summary.copied, source) {
      let path = try Workshop.write(try #require(tracks[stream.index]).bytes, to: "\(clip)-\(stream.index).mp4")
      let after = presentations(try packetTimes(path)[0])
      let expected = presentations(before).map { $0 - firstKey.ticks + 900_000 }
      // Sound is counted in samples, video in ticks.
      #expect(after.count == expected.count)
      let tolerance: Int64 = stream.kind == .video ? 0 : 1
      #expect(zip(after, expected).allSatisfy { abs($0 - $1) <= tolerance })
    }
  }

  @Test("Decoded frames equal the source's", arguments: [Clip.groups, .groupsMatroska, .groupsTransport, .hevcGroups])
  func decoded(clip: Clip) throws {
    try clip.requireEncoder()
    let (tracks, _, _, summary) = try fragments(clip.path)
    for (stream, kind) in zip(summary.copied, ["v", "a"]) {
      let path = try Workshop.write(try #require(tracks[stream.index]).bytes, to: "\(clip)-decoded-\(kind).mp4")
      let hashes = try Workshop.frameHashes(path, of: kind)
      #expect(try hashes == Workshop.frameHashes(clip.path, of: kind))
      #expect(hashes.count >= 50)
    }
  }

  @Test(
    "Tracks are a header and fragments, and nothing else",
    arguments: [(Clip.groups, "avc1"), (.groupsTransport, "avc1"), (.hevcGroups, "hvc1")])
  func boxes(clip: Clip, sampleEntry: String) throws {
    try clip.requireEncoder()
    let tracks = try fragments(clip.path).tracks
    #expect(tracks.count == 2)
    for track in tracks.values {
      #expect(boxTypes(track.initialisation) == ["ftyp", "moov"])
      #expect(track.fragments.allSatisfy { boxTypes($0) == ["moof", "mdat"] })
    }
    let video = try #require(tracks[0])
    #expect(video.initialisation.firstRange(of: Array(sampleEntry.utf8)) != nil)
    #expect(try #require(tracks[1]).initialisation.firstRange(of: Array("mp4a".utf8)) != nil)
    #expect(video.fragments.compactMap(decodeTime) == video.times.map(\.decodeTime.ticks))
  }

  @Test(
    "Segments start at key frames, sound with them, and durations add up",
    arguments: [Clip.groups, .groupsMatroska, .groupsTransport, .hevcGroups])
  func segmenting(clip: Clip) throws {
    try clip.requireEncoder()
    // Key frames are 0.4 s apart: the first at or after 0.5 s is the second.
    let (tracks, origin, end, _) = try fragments(clip.path, boundaries: .every(MediaTime(ticks: 45_000)))
    let video = try #require(tracks[0]).times
    #expect(video.map(\.segment) == [0, 1, 2])
    #expect(video.map { ($0.earliestPresentation - origin).ticks } == [0, 72_000, 144_000])
    #expect(video.map(\.duration.ticks) == [72_000, 72_000, 36_000])
    #expect(video.allSatisfy { $0.startsWithKeyFrame && $0.isClosed })
    #expect(end - origin == MediaTime(seconds: 2))
    let audio = try #require(tracks[1]).times
    #expect(audio.map(\.segment) == [0, 1, 2])
    for (sound, picture) in zip(audio, video).dropFirst() {
      let late = sound.earliestPresentation - picture.earliestPresentation
      #expect(late >= .zero && late < MediaTime(ticks: 2_200))
    }
    for (fragment, next) in zip(audio, audio.dropFirst()) {
      #expect(fragment.earliestPresentation + fragment.duration == next.earliestPresentation)
    }
  }

  @Test("Sound alone is cut at packets")
  func soundAlone() throws {
    let (tracks, origin, end, _) = try fragments(Clip.audioOnly.path, boundaries: .every(MediaTime(ticks: 45_000)))
    let times = try #require(tracks[0]).times
    #expect(times.count == 4)
    #expect(times.dropLast().allSatisfy { $0.duration >= MediaTime(ticks: 45_000) && $0.duration < MediaTime(ticks: 46_920) })
    #expect(times.map(\.duration).reduce(origin, +) == end)
  }

  @Test("Cuts at an open group of pictures are told")
  func openGroups() throws {
    let times = try #require(try fragments(Clip.openGroups.path).tracks[0]).times
    #expect(times.first?.isClosed == true)
    #expect(times.contains { !$0.isClosed })
    let (closed, origin) = (times.map(\.isClosed), times[0].earliestPresentation)
    let keys = try keyFrames(Clip.openGroups.path)
    #expect(keys.map(\.isClosed) == closed)
    for (key, fragment) in zip(keys, times) { #expect((key.time == fragment.earliestPresentation - origin) == key.isClosed) }
    #expect(try fragments(Clip.openGroups.path).tracks[0]?.times.map(\.duration).reduce(origin, +) == origin + MediaTime(seconds: 2))
  }

  @Test("Key frames are found without decoding", arguments: [Clip.groups, .groupsMatroska, .groupsTransport])
  func keyFrameTimes(clip: Clip) throws {
    #expect(try keyFrames(clip.path) == (0..<5).map { KeyFrame(time: MediaTime(ticks: $0 * 36_000), isClosed: true) })
  }

  @Test("Cuts may be given")
  func givenCuts() throws {
    let boundaries = [MediaTime(ticks: 108_100), .zero, MediaTime(ticks: 36_000)]
    let (tracks, origin, _, _) = try fragments(Clip.groups.path, boundaries: .at(boundaries))
    #expect(tracks[0]?.times.map { ($0.earliestPresentation - origin).ticks } == [0, 36_000, 108_000])
    #expect(tracks[1]?.times.map(\.segment) == [0, 1, 2])
    #expect(throws: RemuxError.noKeyFrame(at: MediaTime(ticks: 50_000))) {
      try fragments(Clip.groups.path, boundaries: .at([MediaTime(ticks: 36_000), MediaTime(ticks: 50_000)]))
    }
    // After the last key frame there is none either, and after the end none is needed.
    #expect(throws: RemuxError.noKeyFrame(at: MediaTime(ticks: 170_000))) {
      try fragments(Clip.groups.path, boundaries: .at([MediaTime(ticks: 170_000)]))
    }
    #expect(try fragments(Clip.groups.path, boundaries: .at([MediaTime(seconds: 2), MediaTime(seconds: 9)])).tracks[0]?.times.count == 1)
    // Sound can be cut anywhere.
    #expect(try fragments(Clip.audioOnly.path, boundaries: .at([MediaTime(ticks: 50_000)])).tracks[0]?.times.count == 2)
  }

  @Test("Pictures before the first key frame are left out")
  func startInTheMiddle() throws {
    let bytes = try Workshop.bytes(Clip.groupsTransport.path)
    let path = try Workshop.write(Array(bytes.dropFirst(bytes.count / 188 / 3 * 188)), to: "middle.ts")
    let (tracks, origin, _, summary) = try fragments(path)
    #expect(summary.framesBeforeKey > 0)
    #expect(tracks[0]?.times.first?.startsWithKeyFrame == true)
    #expect(tracks[0]?.times.first?.earliestPresentation == origin)
    let starts = try segments(path).starts
    #expect(starts.map(\.presentation) == tracks[0]?.times.map(\.earliestPresentation))
  }

  @Test("Damaged sound is passed over and counted")
  func damagedSound() throws {
    var bytes = try Workshop.bytes(Clip.groupsTransport.path)
    let header: [UInt8] = [0xFF, 0xF1, 0x50]
    let places = bytes.indices.dropLast(8).filter { Array(bytes[$0..<$0 + 3]) == header }
    // Several blocks with checksums in one ADTS frame (ISO/IEC 14496-3, 1.A.3.2), which libavcodec does not take.
    for place in places[10..<13] {
      bytes[place + 1] = 0xF0
      bytes[place + 6] |= 3
    }
    let summary = try fragments(try Workshop.write(bytes, to: "damaged-sound.ts")).summary
    #expect(summary.invalidPackets > 0)
    #expect(summary.packets + summary.invalidPackets == (try packetTimes(Clip.groupsTransport.path)).map(\.count).reduce(0, +))
  }

  @Test("Codecs that HLS does not carry are refused by name")
  func refused() throws {
    let error = #expect(throws: RemuxError.self) { try fragments(Clip.mpeg4.path) }
    #expect(error?.description == "HLS in fragmented MP4 cannot carry mpeg4 (stream 0)")
  }

  @Test("The same input gives the same bytes", arguments: [Clip.groups, .groupsTransport, .audioOnly])
  func deterministic(clip: Clip) throws { #expect(try fragments(clip.path).tracks == fragments(clip.path).tracks) }

  @Test("An interruption ends the work", arguments: [0, 10, 100])
  func interrupted(afterQuestions limit: Int) {
    let questions = Atomic(0)
    #expect(throws: RemuxError.interrupted) {
      try fragments(Clip.groups.path) { questions.wrappingAdd(1, ordering: .relaxed).newValue > limit }
    }
  }

  @Test("What a multivariant playlist needs is told")
  func codecParameters() throws {
    let input = try MediaInput(path: Clip.groups.path)
    let (first, second, third, before) = (
      input.codecParameters(of: 0), input.codecParameters(of: 1), input.codecParameters(of: 2), input.codecParameters(of: -1)
    )
    let video = try #require(first)
    #expect(video.extradata.first == 1)
    #expect(video.frameRate == CodecParameters.FrameRate(numerator: 25, denominator: 1))
    #expect(video.channelCount == nil && video.displayMatrix == nil)
    let audio = try #require(second)
    #expect(audio.channelCount == 1 && audio.frameRate == nil && !audio.extradata.isEmpty)
    #expect(third == nil && before == nil)
  }
}

/// The types of the boxes that lie one after another.
private func boxTypes(_ bytes: [UInt8]) -> [String] {
  var types: [String] = []
  var rest = bytes[...]
  while rest.count >= 8 {
    types.append(String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self))
    let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard size >= 8, size <= rest.count else { return types + ["cut off"] }
    rest = rest.dropFirst(size)
  }
  return types + (rest.isEmpty ? [] : ["rest"])
}

/// What `tfdt` says, in the track's timescale.
private func decodeTime(_ fragment: [UInt8]) -> Int64? {
  guard let type = fragment.firstRange(of: Array("tfdt".utf8)), fragment.count >= type.upperBound + 12 else { return nil }
  let wide = fragment[type.upperBound] == 1
  return fragment[type.upperBound + 4..<type.upperBound + (wide ? 12 : 8)].reduce(0) { $0 << 8 | Int64($1) }
}
