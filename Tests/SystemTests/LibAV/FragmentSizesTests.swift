import Basics
import TestSupport
import Testing

@testable import LibAV

@Suite("Large segments in several fragments", .enabled(if: Programs.hasFFmpeg, Workshop.reason))
struct FragmentSizesTests {
  private static let boundaries = SegmentBoundaries.every(MediaTime(ticks: 72_000))

  @Test("Fragments of a segment follow each other without interleaving", arguments: [Clip.groups, .groupsTransport, .hevcGroups])
  func continued(clip: Clip) throws {
    try clip.requireEncoder()
    let whole = try fragments(clip.path, boundaries: Self.boundaries)
    let split = try fragments(clip.path, boundaries: Self.boundaries, sizes: FragmentSizes(usual: 2_000, largest: 1 << 20))
    #expect(whole.tracks[0]?.times.map(\.segment) == [0, 1, 2])
    for (stream, track) in split.tracks {
      let before = try #require(whole.tracks[stream])
      #expect(track.times.count > before.times.count)
      // What continues a segment is no segment of its own.
      let starts = track.times.indices.filter { $0 == 0 || track.times[$0].segment > track.times[$0 - 1].segment }
      #expect(starts.map { track.times[$0].segment } == before.times.map(\.segment))
      #expect(starts.map { track.times[$0].decodeTime } == before.times.map(\.decodeTime))
      #expect(starts.map { track.times[$0].earliestPresentation } == before.times.map(\.earliestPresentation))
      #expect(starts.allSatisfy { track.times[$0].startsWithKeyFrame })
      let durations = [track, before].map { $0.times.map(\.duration).reduce(.zero, +) }
      #expect(durations[0] == durations[1])
      for (fragment, next) in zip(track.times, track.times.dropFirst()) {
        #expect(fragment.earliestPresentation + fragment.duration == next.earliestPresentation)
        #expect(fragment.decodeTime < next.decodeTime)
      }
      // The file itself says so, too.
      let path = try Workshop.write(track.bytes, to: "\(clip)-split-\(stream).mp4")
      let packets = try packetTimes(path)[0].compactMap(\.presentation?.ticks)
      let frames = presentations(try packetTimes(Workshop.write(before.bytes, to: "\(clip)-whole-\(stream).mp4"))[0])
      #expect(packets.sorted() == frames)
      let counted = track.times.map { times in
        let end = times.earliestPresentation + times.duration
        return frames.filter { $0 >= times.earliestPresentation.ticks - 1 && $0 < end.ticks - 1 }.count
      }
      #expect(counted == track.fragments.compactMap(sampleCount))
    }
    let path = try Workshop.write(try #require(split.tracks[0]).bytes, to: "\(clip)-split.mp4")
    #expect(try Workshop.frameHashes(path, of: "v") == Workshop.frameHashes(clip.path, of: "v"))
  }

  @Test("Where there is no such place, a fragment ends all the same", arguments: [Clip.groups, .openGroups])
  func inAnyCase(clip: Clip) throws {
    let whole = try #require(try fragments(clip.path, boundaries: .at([])).tracks[0])
    let split = try #require(try fragments(clip.path, boundaries: .at([]), sizes: FragmentSizes(usual: 1, largest: 1)).tracks[0])
    #expect(whole.times.count == 1)
    #expect(split.fragments.compactMap(sampleCount) == [Int](repeating: 1, count: 50))
    #expect(split.times.allSatisfy { $0.segment == 0 && $0.duration >= .zero })
    let path = try Workshop.write(split.bytes, to: "\(clip)-every-packet.mp4")
    #expect(try Workshop.frameHashes(path, of: "v") == Workshop.frameHashes(clip.path, of: "v"))
  }

  @Test("A fragment ends when it is large and nothing that follows is presented before its end, or when it is too large")
  func ends() {
    let sizes = FragmentSizes(usual: 100, largest: 400)
    let time = MediaTime(ticks: 10)
    func ends(_ byteCount: Int, leading: Int64?) -> Bool {
      let next = PlacedPacket(
        stream: 0, presentation: MediaTime(ticks: 20), decoding: .zero, duration: .zero, isKey: false,
        leading: leading.map { MediaTime(ticks: $0) })
      return sizes.ends(byteCount, presentedUntil: time, before: next)
    }
    #expect([99, 100, 399, 400].map { ends($0, leading: nil) } == [false, true, true, true])
    #expect([99, 100, 399, 400].map { ends($0, leading: 11) } == [false, true, true, true])
    #expect([99, 100, 399, 400].map { ends($0, leading: 10) } == [false, false, false, true])
    #expect(FragmentSizes() == FragmentSizes(usual: 1_048_576, largest: 16_777_216))
  }
}

/// How many samples a fragment has, which is what its `trun` starts with (ISO/IEC 14496-12, 8.8.8.2).
private func sampleCount(_ fragment: [UInt8]) -> Int? {
  guard let type = fragment.firstRange(of: Array("trun".utf8)), fragment.count >= type.upperBound + 8 else { return nil }
  return fragment[type.upperBound + 4..<type.upperBound + 8].reduce(0) { $0 << 8 | Int($1) }
}
