import Basics
import NALUnits
import TestSupport
import Testing

@testable import CMAF

/// Initialization segments and fragments, read again.
@Suite struct MovieWriterTests {
  private static let pictureSet = hex("68ce3c80")

  private func header(_ writer: MovieWriter, brands: [BoxType] = []) throws -> MovieHeader {
    let bytes = try writer.encoded(brands: brands)
    var reader = FragmentReader()
    _ = reader.push(bytes)
    return try #require(reader.movie)
  }

  @Test(arguments: VideoParametersTests.setsOfH264) func h264(bytes: String, codec: String, size: PictureSize) throws {
    let set = hex(bytes)
    // Parameter sets may come again, and other NAL units are none.
    let coding = try #require(VideoCoding(.h264, [[9, 0xF0], set, Self.pictureSet, set, [6, 5]]))
    #expect(
      VideoCoding(.h264, [set]) == nil && VideoCoding(.h264, [Self.pictureSet]) == nil && VideoCoding(.h264, [[0x67], [0x68]]) == nil)
    let movie = try header(MovieWriter(timescale: 90_000, .video(coding)), brands: [.aid3])
    var entry = SampleEntry(type: .avc1, codec: codec, nalUnits: NALUnitLayout(.h264, lengthSize: 4), pictureSize: size)
    entry.transfer = try VideoParameters(.h264, sequenceParameterSet: set.span).colour?.transfer
    let defaults = SampleDefaults(duration: 0, size: 0, flags: 0)
    #expect(movie.tracks == [Track(id: 1, handler: .vide, timescale: timescale(90_000), sampleEntries: [entry], defaults: defaults)])
  }

  @Test(arguments: VideoParametersTests.setsOfHEVC) func hevc(bytes: String, codec: String, size: PictureSize) throws {
    let sets = [hex("40010c01ffff0160"), hex(bytes), hex("4401c172b02240")]
    let coding = try #require(VideoCoding(.hevc, sets))
    let movie = try header(MovieWriter(timescale: 90_000, .video(coding)))
    var entry = SampleEntry(type: .hvc1, codec: codec, nalUnits: NALUnitLayout(.hevc, lengthSize: 4), pictureSize: size)
    let set = hex(bytes)
    entry.transfer = try VideoParameters(.hevc, sequenceParameterSet: set.span).colour?.transfer
    #expect(movie.tracks.map(\.sampleEntries) == [[entry]])
  }

  @Test(arguments: AudioFramesTests.samples) func audio(_ sample: AudioFramesTests.Sample) throws {
    let format = AudioFormat(
      coding: sample.coding, sampleRate: sample.sampleRate, channelCount: sample.channels, configuration: hex(sample.configuration))
    let movie = try header(MovieWriter(timescale: UInt32(sample.sampleRate), .audio(format), language: "DEU"))
    let entry = try #require(movie.tracks.first?.sampleEntries.first)
    #expect(movie.tracks.map(\.handler) == [.soun] && movie.tracks[0].timescale == timescale(UInt32(sample.sampleRate)))
    #expect(entry.codec == (sample.coding == .mp3 ? "mp4a.6B" : sample.codec))
    #expect(entry.sampleRate == sample.sampleRate && entry.channelCount == sample.channels)
  }

  /// The brands, and the language in five bits a letter.
  @Test func brandsAndLanguage() throws {
    let format = AudioFormat(coding: .mp3, sampleRate: 48_000, channelCount: 2)
    let bytes = try MovieWriter(timescale: 48_000, .audio(format), language: "eng").encoded(brands: [.aid3])
    let type = try FileTypeBox(Array(bytes[..<28]).span)
    #expect(type == FileTypeBox(majorBrand: BoxType("cmfc"), compatibleBrands: [BoxType("cmfc"), BoxType("iso6"), .aid3]))
    let place = try #require((0..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == Array("mdhd".utf8) })
    #expect(Array(bytes[place + 24..<place + 26]) == [0x15, 0xC7])
  }

  struct Run: Sendable {
    var samples: [FragmentWriter.Sample]
    var presentation: Int64
  }

  /// Equal and different durations, offsets and flags: each run is read as it was written.
  @Test(
    arguments: [
      Run(samples: [.init(size: 3, duration: 1_024), .init(size: 4, duration: 1_024)], presentation: 5_000),
      Run(samples: [.init(size: 3, duration: 1_024), .init(size: 4, duration: 1_000)], presentation: 5_000),
      Run(
        samples: [
          .init(size: 9, duration: 3_600, compositionOffset: 3_600),
          .init(size: 1, duration: 3_600, compositionOffset: 10_800, isSync: false),
          .init(size: 2, duration: 3_600, compositionOffset: 0, isSync: false),
        ], presentation: 8_600),
      Run(
        samples: [
          .init(size: 9, duration: 1, isSync: false), .init(size: 1, duration: 2), .init(size: 2, duration: 3, isSync: false),
        ], presentation: 5_000),
      Run(samples: [.init(size: 1, duration: 7, isSync: false)], presentation: 5_000),
    ]) func fragments(_ run: Run) throws
  {
    var writer = FragmentWriter()
    let media = (0..<run.samples.reduce(0) { $0 + $1.size }).map { UInt8($0) }
    _ = try writer.start(decodeTicks: 5_000, [.init(size: 0, duration: 1)], byteCount: 0)
    let bytes = try writer.start(decodeTicks: 5_000, run.samples, byteCount: media.count) + media
    let movie = MovieHeader(tracks: [Track(id: 1, handler: .vide, timescale: timescale(90_000))])
    let size = Int(try #require(try BoxHeader(bytes.span).size))
    let fragment = try Fragment(Array(bytes[..<size]).span, movie: movie)
    let track = TrackFragment(
      trackID: 1, timescale: timescale(90_000), decodeTicks: 5_000, earliestPresentationTicks: run.presentation,
      durationTicks: Int64(run.samples.reduce(0) { $0 + $1.duration }), sampleCount: Int64(run.samples.count),
      byteCount: Int64(media.count), startsWithSyncSample: run.samples[0].isSync)
    #expect(fragment == Fragment(sequenceNumber: 2, tracks: [track]))
    // The samples lie where the run says: behind the header of the box that follows.
    #expect(Array(bytes[size...]) == integer(UInt64(8 + media.count)) + Array("mdat".utf8) + media)
    let run = try #require((0..<size - 4).first { Array(bytes[$0..<$0 + 4]) == Array("trun".utf8) })
    #expect(Array(bytes[run + 12..<run + 16]) == integer(UInt64(size + 8)))
  }
}
