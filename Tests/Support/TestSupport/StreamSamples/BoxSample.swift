import Basics
package import CMAF
package import ID3

/// A big-endian integer.
package func integer(_ value: UInt64, _ byteCount: Int = 4) -> [UInt8] {
  var writer = ByteWriter()
  writer.writeInteger(value, byteCount: byteCount)
  return writer.bytes
}

/// A box around its contents.
package func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
  let payload = parts.flatMap { $0 }
  return integer(UInt64(payload.count + 8)) + Array(type.utf8) + payload
}

/// Fragmented MP4, put together box by box: a video track (1, of 12,800 ticks a second, 512 a frame) and an audio track (2, of 48,000, 1,024 a
/// frame). It holds nothing that a decoder could show.
package enum BoxSample {
  /// `styp`.
  package static let styp = box("styp", Array("msdh".utf8), integer(0))
  /// `mdat` with bytes that could be taken for transport packets.
  package static let mdat = box("mdat", [UInt8](repeating: 0x47, count: 40))

  /// `ftyp` with these brands.
  package static func ftyp(brands: [String] = ["cmfc", "aid3"]) -> [UInt8] {
    box("ftyp", Array("iso6".utf8), integer(512), brands.flatMap { Array($0.utf8) })
  }

  /// `trak` of a track: `vide` or `soun`.
  package static func track(_ id: UInt64, _ handler: String, timescale: UInt64) -> [UInt8] {
    box(
      "trak", box("tkhd", integer(0, 12), integer(id), integer(0, 60)),
      box(
        "mdia", box("mdhd", integer(0, 12), integer(timescale), integer(0, 8)),
        box("hdlr", integer(0, 8), Array(handler.utf8), integer(0, 13))))
  }

  /// `trex` of a track.
  package static func defaults(_ id: UInt64, duration: UInt64 = 512, flags: UInt64 = 0) -> [UInt8] {
    box("trex", integer(0), integer(id), integer(1), integer(duration), integer(10), integer(flags))
  }

  /// `moov` of tracks and their defaults; without defaults, that of a file without fragments.
  package static func moov(tracks: [UInt8], defaults: [UInt8]) -> [UInt8] {
    box("moov", box("mvhd", integer(0, 12), integer(1_000), integer(0, 84)), tracks, defaults.isEmpty ? [] : box("mvex", defaults))
  }

  /// The initialization segment. With another timescale the same fragments last longer or shorter.
  package static func map(brands: [String] = ["cmfc", "aid3"], tracks: Int = 1, timescale: UInt64 = 12_800) -> [UInt8] {
    let all = (1...tracks).flatMap { track(UInt64($0), $0 == 1 ? "vide" : "soun", timescale: timescale) }
    return ftyp(brands: brands) + moov(tracks: all, defaults: (1...tracks).flatMap { defaults(UInt64($0)) })
  }

  /// `moof` of samples of a track.
  package static func moof(track: UInt64 = 1, decodeTicks: UInt64, samples: UInt64 = 25, isSync: Bool = true) -> [UInt8] {
    box(
      "moof", box("mfhd", integer(0), integer(1)),
      box(
        "traf", box("tfhd", integer(0x2_0000), integer(track)), box("tfdt", integer(0x100_0000), integer(decodeTicks, 8)),
        box("trun", integer(0x5), integer(samples), integer(0), integer(isSync ? 0x200_0000 : 0x101_0000))))
  }

  /// A segment of 25 video frames from a second on, with event messages before its fragment.
  package static func segment(_ second: UInt64, _ messages: [[UInt8]] = []) -> [UInt8] {
    styp + messages.joined() + moof(decodeTicks: second * 12_800) + mdat
  }

  /// A segment of 25 video frames from a second on, with an event message for each tag.
  package static func segment(_ second: UInt64, tags: [(tag: ID3Tag, time: EventMessageBox.Time)]) throws -> [UInt8] {
    segment(
      second,
      try tags.map { tag, time in
        try EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: time, id: 7, messageData: try tag.encode()).encoded()
      })
  }
}

/// Bytes written as hexadecimal digits.
package func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
