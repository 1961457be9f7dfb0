import Basics
@testable import CMAF
import NALUnits
import TestSupport

func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

/// A box with version and flags.
func fullBox(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ parts: [UInt8]...) -> [UInt8] {
  box(type, integer(UInt64(version) << 24 | UInt64(flags)), parts.flatMap { $0 })
}

/// A timescale that is not 0.
func timescale(_ ticksPerSecond: UInt32) -> Timescale { Timescale(ticksPerSecond) ?? .mediaTime }

/// The items in chunks of one size, with what can be skipped skipped or pushed.
func readFragments(
  _ bytes: [UInt8], chunk: Int? = nil, skips: Bool = false, movie: MovieHeader? = nil, samples: FragmentReader.SampleSearch = .never
) -> [FragmentItem] {
  var reader = FragmentReader(movie: movie, samples: samples)
  var items: [FragmentItem] = []
  var position = 0
  while position < bytes.count {
    if skips, reader.skippable > 0 {
      let count = min(reader.skippable, bytes.count - position)
      reader.skip(count)
      position += count
      continue
    }
    let end = min(position + (chunk ?? bytes.count), bytes.count)
    items += reader.push(Array(bytes[position..<end]))
    position = end
  }
  return items + reader.finish()
}

/// A movie with a video track (timescale 12,800) and an audio track (timescale 48,000), and the fragments that belong to it.
enum SampleMovie {
  static let avcC = box("avcC", hex("01 64 00 1F FF E1 00 00"))

  static func videoEntry(_ type: String, _ configuration: [UInt8]) -> [UInt8] {
    box(type, zeros(24), integer(1280, 2), integer(720, 2), zeros(50), configuration)
  }

  static func audioEntry(_ type: String, version: UInt64 = 0, more: [UInt8] = [], channels: UInt64 = 2, _ configuration: [UInt8] = [])
    -> [UInt8]
  {
    let start = zeros(8) + integer(version, 2) + zeros(6) + integer(channels, 2) + integer(16, 2) + zeros(4)
    return box(type, start, integer(48_000, 2), zeros(2), more, configuration)
  }

  /// `esds` with the descriptors' sizes in `width` bytes.
  static func esds(objectType: UInt8, _ info: [UInt8], width: Int = 1) -> [UInt8] {
    func descriptor(_ tag: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [tag] + [UInt8](repeating: 0x80, count: width - 1) + [UInt8(payload.count)] + payload
    }
    let specific = info.isEmpty ? [] : descriptor(5, info)
    return fullBox("esds", descriptor(3, [0, 1, 0] + descriptor(4, [objectType, 0x15] + zeros(11) + specific) + descriptor(6, [2])))
  }

  static func track(_ id: UInt64, _ handler: String, timescale: UInt64, entry: [UInt8], edits: [UInt8] = [], version: UInt8 = 0) -> [UInt8]
  {
    let times = zeros(version == 0 ? 8 : 16)
    return box(
      "trak", fullBox("tkhd", version: version, times, integer(id), zeros(60)), edits,
      box(
        "mdia", fullBox("mdhd", version: version, times, integer(timescale), zeros(version == 0 ? 8 : 12)),
        fullBox("hdlr", zeros(4), Array(handler.utf8), zeros(13)),
        box("minf", box("stbl", fullBox("stsd", integer(1), entry), fullBox("stts", integer(0))))))
  }

  static func trex(_ id: UInt64, duration: UInt64, size: UInt64 = 0, flags: UInt64 = 0) -> [UInt8] {
    fullBox("trex", integer(id), integer(1), integer(duration), integer(size), integer(flags))
  }

  static func moov(_ tracks: [UInt8]..., defaults: [UInt8]) -> [UInt8] {
    box("moov", fullBox("mvhd", zeros(8), integer(1_000), zeros(84)), tracks.flatMap { $0 }, box("mvex", defaults))
  }

  static let brands = FileTypeBox(majorBrand: BoxType("iso6"), minorVersion: 512, compatibleBrands: [BoxType("cmfc"), .aid3])
  static let ftyp = box("ftyp", Array("iso6".utf8), integer(512), Array("cmfcaid3".utf8))
  static let styp = box("styp", Array("msdh".utf8), integer(0), Array("msdhmsix".utf8))
  static let moov = moov(
    track(1, "vide", timescale: 12_800, entry: videoEntry("avc1", avcC)),
    track(2, "soun", timescale: 48_000, entry: audioEntry("mp4a", esds(objectType: 0x40, hex("1190")))),
    defaults: trex(1, duration: 512) + trex(2, duration: 1_024, flags: 0x0200_0000))

  static let header = MovieHeader(tracks: [
    Track(
      id: 1, handler: .vide, timescale: timescale(12_800),
      sampleEntries: [
        SampleEntry(
          type: .avc1, codec: "avc1.64001F", nalUnits: NALUnitLayout(.h264, lengthSize: 4),
          pictureSize: PictureSize(width: 1280, height: 720))
      ],
      defaults: SampleDefaults(duration: 512, size: 0, flags: 0)),
    Track(
      id: 2, handler: .soun, timescale: timescale(48_000),
      sampleEntries: [SampleEntry(type: .mp4a, codec: "mp4a.40.2", sampleRate: 48_000, channelCount: 2)],
      defaults: SampleDefaults(duration: 1_024, size: 0, flags: 0x0200_0000)),
  ])

  /// A fragment of three video frames, decoded from `decodeTicks` on and presented two frames later in the order 1, 3, 2.
  static func moof(_ number: UInt64, decodeTicks: UInt64) -> [UInt8] {
    box(
      "moof", fullBox("mfhd", integer(number)),
      box(
        "traf", fullBox("tfhd", flags: 0x2_0000, integer(1)), fullBox("tfdt", version: 1, integer(decodeTicks, 8)),
        fullBox(
          "trun", flags: 0xA05, integer(3), integer(0), integer(0x0200_0000),
          [(100, 1_024), (200, 1_536), (300, 512)].flatMap { integer($0.0) + integer($0.1) })))
  }

  static func fragment(_ number: UInt32, decodeTicks: Int64) -> Fragment {
    Fragment(
      sequenceNumber: number,
      tracks: [
        TrackFragment(
          trackID: 1, timescale: timescale(12_800), decodeTicks: decodeTicks, earliestPresentationTicks: decodeTicks + 1_024,
          durationTicks: 1_536, sampleCount: 3, byteCount: 600, startsWithSyncSample: true)
      ])
  }

  static let mdat = box("mdat", zeros(600))

  static func sidx(_ earliest: UInt64, version: UInt8 = 0) -> [UInt8] {
    let width = version == 0 ? 4 : 8
    return fullBox(
      "sidx", version: version, integer(1), integer(12_800), integer(earliest, width), integer(0, width), integer(2),
      integer(700) + integer(1_536) + integer(0x9000_0000), integer(700) + integer(1_536) + integer(0x9000_0000))
  }

  static func message(_ time: EventMessageBox.Time, timescale scale: UInt32 = 90_000, id: UInt32 = 7) -> EventMessageBox {
    EventMessageBox(schemeID: EventMessageBox.id3Scheme, timescale: timescale(scale), time: time, id: id, messageData: Array("ID3".utf8))
  }
}
