package import Basics

/// Writes the initialization segment of one track: `ftyp` and `moov` (ISO/IEC 14496-12, 8.2; ISO/IEC 23000-19, 7.3.1).
package struct MovieWriter: Equatable, Sendable {
  /// Ticks per second of the track's times.
  package var timescale: UInt32
  /// The coding of the track.
  package var coding: TrackCoding
  /// The language as three letters (ISO 639-2); `nil` if it is not known.
  package var language: String?

  /// A track.
  package init(timescale: UInt32, _ coding: TrackCoding, language: String? = nil) {
    (self.timescale, self.coding, self.language) = (timescale, coding, language)
  }

  /// The unity matrix: pictures are shown as they are.
  private static let matrix: [UInt32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
  private static let (enabledInMovie, selfContained): (UInt32, UInt32) = (3, 1)

  /// The initialization segment.
  ///
  /// - Parameter brands: Brands besides those of CMAF.
  /// - Throws: `ParseError` if a parameter set is too large for its box.
  package func encoded(brands: [BoxType] = []) throws(ParseError) -> [UInt8] {
    let brand = BoxType("cmfc")
    let type = FileTypeBox(majorBrand: brand, compatibleBrands: [brand, BoxType("iso6")] + brands)
    var writer = ByteWriter(capacity: 1_024)
    writer.write(try type.encoded())
    try writer.writeBox(.moov) { moov throws(ParseError) in
      try moov.writeFullBox(BoxType("mvhd")) { box throws(ParseError) in
        // Creation and modification times are unknown, the timescale is 1,000, and there is no duration, since there are only fragments.
        for field: UInt32 in [0, 0, 1_000, 0, 0x10000] { box.writeUInt32(field) }
        box.writeUInt16(0x0100)  // volume
        box.fill(0, count: 10)
        for field in Self.matrix { box.writeUInt32(field) }
        box.fill(0, count: 24)
        box.writeUInt32(FragmentWriter.trackID + 1)
      }
      try writeTrack(&moov)
      try moov.writeBox(BoxType("mvex")) { box throws(ParseError) in
        try box.writeFullBox(BoxType("trex")) { box throws(ParseError) in
          for field: UInt32 in [FragmentWriter.trackID, 1, 0, 0, 0] { box.writeUInt32(field) }
        }
      }
    }
    return writer.bytes
  }

  private func writeTrack(_ moov: inout ByteWriter) throws(ParseError) {
    let shown = coding.shownSize
    try moov.writeBox(BoxType("trak")) { track throws(ParseError) in
      try track.writeFullBox(BoxType("tkhd"), flags: Self.enabledInMovie) { box throws(ParseError) in
        for field: UInt32 in [0, 0, FragmentWriter.trackID, 0, 0] { box.writeUInt32(field) }
        box.fill(0, count: 12)
        box.writeUInt16(coding.isAudio ? 0x0100 : 0)  // volume
        box.writeUInt16(0)
        for field in Self.matrix { box.writeUInt32(field) }
        for side in [shown?.width ?? 0, shown?.height ?? 0] { box.writeUInt32(UInt32(UInt16(clamping: side)) << 16) }
      }
      try track.writeBox(BoxType("mdia")) { media throws(ParseError) in
        try media.writeFullBox(BoxType("mdhd")) { box throws(ParseError) in
          for field: UInt32 in [0, 0, timescale, 0] { box.writeUInt32(field) }
          box.writeUInt16(languageCode)
          box.writeUInt16(0)
        }
        try media.writeFullBox(BoxType("hdlr")) { box throws(ParseError) in
          box.writeUInt32(0)
          let (handler, name) = coding.handler
          box.writeUInt32(handler.rawValue)
          box.fill(0, count: 12)
          box.write(name)
          box.writeUInt8(0)
        }
        try writeInformation(&media)
      }
    }
  }

  private func writeInformation(_ media: inout ByteWriter) throws(ParseError) {
    try media.writeBox(BoxType("minf")) { information throws(ParseError) in
      if coding == .events {
        try information.writeFullBox(BoxType("nmhd")) { _ throws(ParseError) in }
      } else if coding.isAudio {
        try information.writeFullBox(BoxType("smhd")) { box throws(ParseError) in box.writeUInt32(0) }
      } else {
        try information.writeFullBox(BoxType("vmhd"), flags: 1) { box throws(ParseError) in box.fill(0, count: 8) }
      }
      try information.writeBox(BoxType("dinf")) { box throws(ParseError) in
        try box.writeFullBox(BoxType("dref")) { box throws(ParseError) in
          box.writeUInt32(1)
          try box.writeFullBox(BoxType("url "), flags: Self.selfContained) { _ throws(ParseError) in }
        }
      }
      try information.writeBox(BoxType("stbl")) { table throws(ParseError) in
        try table.writeFullBox(BoxType("stsd")) { box throws(ParseError) in
          box.writeUInt32(1)
          try coding.write(to: &box)
        }
        // All samples are in fragments.
        for (type, count) in [("stts", 1), ("stsc", 1), ("stsz", 2), ("stco", 1)] {
          try table.writeFullBox(BoxType(type)) { box throws(ParseError) in box.fill(0, count: 4 * count) }
        }
      }
    }
  }

  /// Three letters of five bits each (8.4.2.3).
  private var languageCode: UInt16 {
    let letters = (language ?? "und").utf8.map { $0 | 0x20 }
    let known = letters.count == 3 && letters.allSatisfy { (0x61...0x7A).contains($0) } ? letters : Array("und".utf8)
    return known.reduce(UInt16(0)) { $0 << 5 | UInt16($1 - 0x60) }
  }
}

extension TrackCoding {
  fileprivate var isAudio: Bool { if case .audio = self { true } else { false } }

  /// The handler of the track, and its name.
  fileprivate var handler: (type: BoxType, name: String) {
    switch self {
    case .video: (.vide, "VideoHandler")
    case .audio: (.soun, "SoundHandler")
    case .events: (BoxType("meta"), "EventHandler")
    }
  }
}
