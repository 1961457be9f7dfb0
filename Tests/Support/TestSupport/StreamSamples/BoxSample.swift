public import CMAF
public import ID3

/// Fragmented MP4 of one video track, put together box by box. A video frame lasts 0.04 s.
public enum BoxSample {
  public static func integer(_ value: UInt64, _ byteCount: Int = 4) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (byteCount - 1 - $0))) }
  }

  public static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let payload = parts.flatMap { $0 }
    return integer(UInt64(payload.count + 8)) + Array(type.utf8) + payload
  }

  /// The initialization segment. With another timescale than 12,800 the same fragments last longer or shorter.
  public static func map(brands: [String] = ["cmfc", "aid3"], tracks: Int = 1, timescale: UInt64 = 12_800) -> [UInt8] {
    let all = (1...tracks).flatMap { number in
      let media = box(
        "mdia", box("mdhd", integer(0, 12), integer(timescale), integer(0, 8)),
        box("hdlr", integer(0, 8), Array((number == 1 ? "vide" : "soun").utf8), integer(0, 13)))
      return box("trak", box("tkhd", integer(0, 12), integer(UInt64(number)), integer(0, 60)), media)
    }
    let defaults = (1...tracks).flatMap { number in
      box("trex", integer(0), integer(UInt64(number)), integer(1), integer(512), integer(10), integer(0))
    }
    return box("ftyp", Array("iso6".utf8), integer(512), brands.flatMap { Array($0.utf8) })
      + box("moov", box("mvhd", integer(0, 12), integer(1_000), integer(0, 84)), all, box("mvex", defaults))
  }

  /// `moof` and `mdat` of 25 video frames from a second on.
  public static func fragment(_ second: UInt64) -> (moof: [UInt8], mdat: [UInt8]) {
    let track = box(
      "traf", box("tfhd", integer(0x2_0000), integer(1)), box("tfdt", integer(0x100_0000), integer(second * 12_800, 8)),
      box("trun", integer(0x5), integer(25), integer(0), integer(0x200_0000)))
    return (box("moof", box("mfhd", integer(0), integer(1)), track), box("mdat", [UInt8](repeating: 0x47, count: 40)))
  }

  public static let segmentType = box("styp", Array("msdh".utf8), integer(0))

  /// A segment of a second, with messages in front of its fragment.
  public static func segment(_ second: UInt64, _ messages: [[UInt8]] = []) -> [UInt8] {
    let (moof, mdat) = fragment(second)
    return segmentType + messages.joined() + moof + mdat
  }

  /// A segment of a second, with a message for each tag.
  public static func segment(_ second: UInt64, tags: [(tag: ID3Tag, time: EventMessageBox.Time)]) throws -> [UInt8] {
    segment(
      second,
      try tags.map { tag, time in
        try EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: time, id: 7, messageData: try tag.encode()).encoded()
      })
  }
}
