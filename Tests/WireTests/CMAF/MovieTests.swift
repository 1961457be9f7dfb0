import Basics
@testable import CMAF
import NALUnits
import TestSupport
import Testing

@Suite struct MovieTests {
  @Test func movieIsRead() throws {
    #expect(try MovieHeader(SampleMovie.moov) == SampleMovie.header)
    #expect(SampleMovie.header.codecs == ["avc1.64001F", "mp4a.40.2"])
    #expect(SampleMovie.header.track(2)?.handler == .soun)
    #expect(SampleMovie.header.track(3) == nil)
  }

  @Test func cutMoviesAreRefused() {
    for count in 0..<SampleMovie.moov.count {
      let cut = Array(SampleMovie.moov[..<count])
      #expect(throws: ParseError.self) { try MovieHeader(cut) }
    }
  }

  static let entries: [(handler: String, entry: [UInt8], expected: SampleEntry)] = [
    ("vide", SampleMovie.videoEntry("avc3", SampleMovie.avcC), video(.avc3, "avc3.64001F")),
    (
      "vide", SampleMovie.videoEntry("hvc1", box("hvcC", hex("01 01 60000000 B00000000000 5D F000 FC FD F8 F8 0000 0F 00"))),
      video(.hvc1, "hvc1.1.6.L93.B0")
    ),
    ("vide", SampleMovie.videoEntry("av01", box("av1C", hex("81 04 0C 00"))), video(BoxType("av01"), "av01.0.04M.08")),
    ("vide", SampleMovie.videoEntry("av01", box("av1C", hex("81 2D E0 00"))), video(BoxType("av01"), "av01.1.13H.12")),
    ("vide", SampleMovie.videoEntry("vp09", box("vpcC", hex("01000000 00 1F 82 02 02 02 0000"))), video(BoxType("vp09"), "vp09.00.31.08")),
    ("soun", SampleMovie.audioEntry("mp4a", SampleMovie.esds(objectType: 0x40, hex("2B118800"), width: 4)), audio(.mp4a, "mp4a.40.5")),
    ("soun", SampleMovie.audioEntry("mp4a", SampleMovie.esds(objectType: 0x6B, [])), audio(.mp4a, "mp4a.6B")),
    // The movie was written before any audio had come.
    ("soun", SampleMovie.audioEntry("mp4a", SampleMovie.esds(objectType: 0x40, [])), audio(.mp4a, nil)),
    (
      "soun",
      SampleMovie.audioEntry("mp4a", version: 1, more: zeros(16), box("wave", SampleMovie.esds(objectType: 0x40, hex("1190")), zeros(4))),
      audio(.mp4a, "mp4a.40.2")
    ),
    ("soun", SampleMovie.audioEntry("ac-3", box("dac3", hex("10 3D E0"))), audio(.ac3, "ac-3", channels: 6)),
    ("soun", SampleMovie.audioEntry("ec-3", box("dec3", hex("0C00 20 0F 00"))), audio(.ec3, "ec-3", channels: 6)),
    ("soun", SampleMovie.audioEntry("Opus", box("dOps", zeros(11))), audio(.opus, "Opus")),
    ("meta", box("urim", zeros(8)), SampleEntry(type: BoxType("urim"), codec: nil)),
  ]

  static func video(_ type: BoxType, _ codec: String?) -> SampleEntry {
    let layout: NALUnitLayout? = type == .avc3 ? .init(.h264, lengthSize: 4) : type == .hvc1 ? .init(.hevc, lengthSize: 4) : nil
    return SampleEntry(type: type, codec: codec, nalUnits: layout, pictureSize: PictureSize(width: 1280, height: 720))
  }

  static func audio(_ type: BoxType, _ codec: String?, channels: Int = 2) -> SampleEntry {
    SampleEntry(type: type, codec: codec, sampleRate: 48_000, channelCount: channels)
  }

  @Test(arguments: entries) func sampleEntryIsRead(handler: String, entry: [UInt8], expected: SampleEntry) throws {
    let bytes = SampleMovie.moov(SampleMovie.track(9, handler, timescale: 90_000, entry: entry, version: 1), defaults: [])
    let movie = try MovieHeader(bytes)
    #expect(
      movie
        == MovieHeader(tracks: [Track(id: 9, handler: BoxType(handler), timescale: .mediaTime, sampleEntries: [expected])]))
  }

  @Test(
    arguments: [
      (fullBox("elst", integer(1), integer(0), integer(1_024), integer(0x1_0000)), -1_024),
      (
        fullBox("elst", integer(2), integer(500), integer(0xFFFF_FFFF), integer(0x1_0000), integer(0), integer(100), integer(0x1_0000)),
        44_900
      ),
      (fullBox("elst", version: 1, integer(1), integer(0, 8), integer(1 << 40, 8), integer(0x1_0000)), -(1 << 40)),
      (fullBox("elst", integer(0)), 0),
    ] as [([UInt8], Int64)])
  func editListShiftsTheTrack(list: [UInt8], shift: Int64) throws {
    let track = SampleMovie.track(1, "meta", timescale: 90_000, entry: box("urim", zeros(8)), edits: box("edts", list))
    let bytes = SampleMovie.moov(track, defaults: [])
    #expect(try MovieHeader(bytes).tracks[0].presentationShift == shift)
  }

  @Test func missingBoxesAreNamed() {
    let nothing = box("moov", [])
    #expect(throws: ParseError(.invalid("moov without mvhd"), at: 0)) { try MovieHeader(nothing) }
    let noMedia = box("moov", fullBox("mvhd", zeros(8), integer(1_000), zeros(84)), box("trak", []))
    #expect(throws: ParseError(.invalid("trak without tkhd or mdia"), at: 116)) { try MovieHeader(noMedia) }
    let many = box(
      "moov", fullBox("mvhd", zeros(8), integer(1_000), zeros(84)),
      box("mvex", (0..<300).flatMap { SampleMovie.trex(UInt64($0), duration: 1) }))
    #expect(throws: ParseError(.aboveLimit(what: "number of tracks", limit: 256), at: 124 + 256 * 32)) { try MovieHeader(many) }
  }
}
