import Basics
import CMAF
import HLSPlaylist
import HLSReading
import StreamPreview
import TestSupport
import Testing
import TransportStream

/// Playlists over files: where segments start, and that they are all of the file.
@Suite struct FilePlaylistTests {
  /// The playlist over a file that is pushed in chunks of a size (or as a whole).
  private static func playlist(_ bytes: [UInt8], chunk: Int? = nil) throws -> MediaPlaylist {
    var maker = FilePlaylistMaker(uri: "media")
    for start in stride(from: 0, to: bytes.count, by: chunk ?? max(bytes.count, 1)) {
      let end = min(start + (chunk ?? bytes.count), bytes.count)
      maker.push(bytes.span.extracting(start..<end))
    }
    return try maker.finish()
  }

  private static func ranges(_ playlist: MediaPlaylist) -> [Range<Int>] {
    playlist.segments.map { Int($0.byteRange?.offset ?? 0)..<Int($0.byteRange?.end ?? 0) }
  }

  private static func seconds(_ playlist: MediaPlaylist) -> [Double] { playlist.segments.map { MediaTime($0.duration).seconds } }

  /// What holds for every playlist: it can be written, and its segments lie one behind the other within the file.
  private static func check(_ playlist: MediaPlaylist, size: Int) throws {
    let text = try playlist.encode()
    let again = try MediaPlaylist(text.span)
    #expect(again == playlist.withVersion)
    #expect(playlist.isEnded && playlist.playlistType == .onDemand)
    #expect(playlist.segments.allSatisfy { $0.uri == "media" && $0.duration >= .zero })
    var position = 0
    for range in ranges(playlist) {
      #expect(range.lowerBound >= position && !range.isEmpty && range.upperBound <= size)
      position = range.upperBound
    }
  }

  // MARK: Transport streams

  private static func stream(_ change: (inout SampleStream) -> Void = { _ in }) -> [UInt8] {
    var stream = SampleStream()
    stream.pictureCount = 301
    change(&stream)
    return stream.bytes
  }

  /// Segments start at the tables in front of key frames, at least four seconds apart.
  @Test func tablesBeforeKeyFrames() throws {
    let bytes = Self.stream { $0.tablesEvery = 1 }
    let playlist = try Self.playlist(bytes)
    try Self.check(playlist, size: bytes.count)
    let ranges = Self.ranges(playlist)
    #expect(ranges.count == 3 && ranges[0].lowerBound == 0 && ranges[2].upperBound == bytes.count)
    for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.upperBound == next.lowerBound) }
    for range in ranges {
      let packets = SamplePacket.all(in: Array(bytes[range]))
      #expect(packets[0].pid == ProgramAssociationTable.pid)
      #expect(packets.first { $0.pid == 0x100 }?.header.adaptation?.isRandomAccess == true)
    }
    #expect(Self.seconds(playlist).dropLast().allSatisfy { $0 >= 4 && $0 < 4.5 })
    #expect(abs(Self.seconds(playlist).reduce(0, +) - 12.04) < 0.001)
  }

  /// Where tables lie in the middle of frames, segments start with the key frame itself; and where nothing marks key frames, they are recognised.
  @Test(arguments: [true, false]) func keyFramesAlone(areMarked: Bool) throws {
    let bytes = Self.stream { $0.marksRandomAccess = areMarked }
    let playlist = try Self.playlist(bytes)
    try Self.check(playlist, size: bytes.count)
    let ranges = Self.ranges(playlist)
    #expect(ranges.count == 3)
    for range in ranges.dropFirst() { #expect(SamplePacket.all(in: Array(bytes[range]))[0].pid == 0x100) }
  }

  @Test func sound() throws {
    let bytes = Self.stream { $0.map = SampleStream.soundAlone }
    let playlist = try Self.playlist(bytes)
    try Self.check(playlist, size: bytes.count)
    #expect(Self.ranges(playlist).count == 4 && abs(Self.seconds(playlist).reduce(0, +) - 12.05) < 0.02)
  }

  @Test(arguments: [1_000, 188, 97]) func chunks(size: Int) throws {
    let bytes = Self.stream()
    #expect(try Self.playlist(bytes, chunk: size) == Self.playlist(bytes))
  }

  /// Where the clock jumps, another stretch begins, and the time of both counts.
  @Test func jump() throws {
    let bytes = Self.stream() + Self.stream { $0.start = 90_000_000 }
    let playlist = try Self.playlist(bytes)
    try Self.check(playlist, size: bytes.count)
    #expect(playlist.segments.count { $0.isDiscontinuous } == 1)
    #expect(abs(Self.seconds(playlist).reduce(0, +) - 24.08) < 0.2)
  }

  @Test func whatCannotBePlayed() {
    let bytes = Self.stream()
    #expect(throws: FilePlaylistError.framing(packetSize: 192)) { try Self.playlist(SamplePacket.reframed(bytes, .timestamped)) }
    #expect(throws: FilePlaylistError.framing(packetSize: 204)) { try Self.playlist(SamplePacket.reframed(bytes, .withParity)) }
    for other in [[], Array("no stream".utf8), [UInt8](repeating: 7, count: 70_000)] {
      #expect(throws: FilePlaylistError.noPicture) { try Self.playlist(other) }
    }
    #expect(throws: FilePlaylistError.noInitialisation) { try Self.playlist(BoxSample.segment(0) + BoxSample.segment(1)) }
  }

  // MARK: Fragmented MP4

  /// Twelve seconds in parts of one.
  private static let fragments = BoxSample.map() + (0..<12).flatMap { BoxSample.segment($0) }

  @Test func fragmentedMP4() throws {
    let playlist = try Self.playlist(Self.fragments)
    try Self.check(playlist, size: Self.fragments.count)
    let map = ByteRange(length: UInt64(BoxSample.map().count), offset: 0)
    #expect(playlist.segments.allSatisfy { $0.initializationSegment == InitializationSegment(uri: "media", byteRange: map) })
    let size = BoxSample.segment(0).count
    #expect(Self.ranges(playlist) == (0..<3).map { BoxSample.map().count + $0 * 4 * size..<BoxSample.map().count + ($0 + 1) * 4 * size })
    #expect(Self.seconds(playlist) == [4, 4, 4])
    for chunk in [1, 7, 100] { #expect(try Self.playlist(Self.fragments, chunk: chunk) == playlist) }
  }

  /// A fragment that does not start with a key frame starts no segment, and neither does one of another track. What follows the last media data is left
  /// out.
  @Test func otherFragments() throws {
    let parts = (0..<12).map { (second: UInt64) -> [UInt8] in
      let video = BoxSample.moof(decodeTicks: second * 12_800, isSync: second % 6 == 0) + BoxSample.mdat
      return video + BoxSample.moof(track: 2, decodeTicks: second * 48_000, samples: 47) + BoxSample.mdat
    }
    let bytes = BoxSample.map(tracks: 2) + parts.joined() + box("mfra", [1, 2, 3])
    let playlist = try Self.playlist(bytes)
    try Self.check(playlist, size: bytes.count)
    let ranges = Self.ranges(playlist)
    #expect(ranges.count == 2 && ranges[0].count == ranges[1].count && ranges[1].upperBound == bytes.count - 11)
    #expect(Self.seconds(playlist) == [6, 6])
  }

  /// Another initialization segment in mid-file begins another stretch.
  @Test func anotherMovie() throws {
    let other = BoxSample.map(brands: ["cmfc"])
    let bytes = Self.fragments + other + (0..<4).flatMap { BoxSample.segment($0) }
    let playlist = try Self.playlist(bytes)
    try Self.check(playlist, size: bytes.count)
    let last = try #require(playlist.segments.last)
    #expect(playlist.segments.map { $0.isDiscontinuous } == [false, false, false, true])
    #expect(
      last.initializationSegment?.byteRange == ByteRange(length: UInt64(other.count), offset: UInt64(Self.fragments.count)))
    #expect(Self.ranges(playlist)[2].upperBound == Self.fragments.count)
  }

  // MARK: Damage

  /// Files that are cut off have the segments that are there.
  @Test func cut() throws {
    for bytes in [Self.fragments, Self.stream { $0.pictureCount = 121 }] {
      for end in stride(from: 0, to: bytes.count, by: max(bytes.count / 60, 1)) {
        let beginning = Array(bytes[..<end])
        guard let playlist = try? Self.playlist(beginning) else { continue }
        try Self.check(playlist, size: end)
      }
    }
  }

  /// Whatever a file holds, reading ends, and segments are parts of it.
  @Test(arguments: 0..<24) func damaged(seed: Int) throws {
    var numbers = SeededNumbers(seed: UInt64(seed))
    var bytes = seed.isMultiple(of: 2) ? Self.fragments : Self.stream { $0.pictureCount = 61 }
    for _ in 0..<(1 + numbers.below(200)) {
      let place = numbers.below(bytes.count)
      switch numbers.below(3) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: numbers.next())
      case 1: bytes.replaceSubrange(place..<min(place + 4, bytes.count), with: repeatElement(0xFF, count: min(4, bytes.count - place)))
      default: bytes.removeSubrange(place..<min(place + 1 + numbers.below(16), bytes.count))
      }
    }
    guard let playlist = try? Self.playlist(bytes) else { return }
    try Self.check(playlist, size: bytes.count)
    #expect(try Self.playlist(bytes, chunk: 1 + numbers.below(400)) == playlist)
  }
}

extension MediaPlaylist {
  /// The playlist with the version that its text states.
  fileprivate var withVersion: MediaPlaylist {
    var playlist = self
    playlist.version = requiredVersion == 1 ? nil : requiredVersion
    return playlist
  }
}
