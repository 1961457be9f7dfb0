import CMAF
import GameEvents
import ID3

/// Segments of fragmented MP4 with one video track, put together box by box; a video frame lasts 0.04 s.
enum BoxSample {
  static func integer(_ value: UInt64, _ byteCount: Int = 4) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (byteCount - 1 - $0))) }
  }

  static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let payload = parts.flatMap { $0 }
    return integer(UInt64(payload.count + 8)) + Array(type.utf8) + payload
  }

  /// The initialization segment. With another timescale than 12,800 the same fragments last longer or shorter.
  static func map(timescale: UInt64 = 12_800) -> [UInt8] {
    let media = box(
      "mdia", box("mdhd", integer(0, 12), integer(timescale), integer(0, 8)),
      box("hdlr", integer(0, 8), Array("vide".utf8), integer(0, 13)))
    let track = box("trak", box("tkhd", integer(0, 12), integer(1), integer(0, 60)), media)
    let defaults = box("mvex", box("trex", integer(0), integer(1), integer(1), integer(512), integer(10), integer(0)))
    return box("ftyp", Array("iso6".utf8), integer(512), Array("cmfc".utf8))
      + box("moov", box("mvhd", integer(0, 12), integer(1_000), integer(0, 84)), track, defaults)
  }

  /// A segment of 25 video frames from a second on, with messages in front.
  static func segment(_ second: UInt64, _ tags: [(tag: ID3Tag, time: EventMessageBox.Time)] = []) throws -> [UInt8] {
    let messages = try tags.map { tag, time in
      try EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: time, id: 7, messageData: try tag.encode()).encoded()
    }
    let fragment = box(
      "traf", box("tfhd", integer(0x2_0000), integer(1)), box("tfdt", integer(0x100_0000), integer(second * 12_800, 8)),
      box("trun", integer(0x5), integer(25), integer(0), integer(0x200_0000)))
    return box("styp", Array("msdh".utf8), integer(0)) + messages.joined() + box("moof", box("mfhd", integer(0), integer(1)), fragment)
      + box("mdat", [UInt8](repeating: 0x47, count: 40))
  }
}
