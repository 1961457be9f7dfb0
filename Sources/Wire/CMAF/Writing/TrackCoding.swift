import Basics
package import NALUnits

/// How the samples of a track are coded, and its sample entry (ISO/IEC 14496-12, 8.5.2).
package enum TrackCoding: Equatable, Sendable {
  case video(VideoCoding)
  case audio(AudioFormat)
  /// Events as samples (ISO/IEC 23001-18).
  case events

  /// The size in which pictures are shown; `nil` for other tracks.
  var shownSize: PictureSize? { if case .video(let coding) = self { coding.shownSize } else { nil } }

  /// The coding as RFC 6381 writes it.
  package var codec: String {
    switch self {
    case .video(let coding): coding.parameters.codec
    case .audio(let format): format.codec
    case .events: "evte"
    }
  }

  /// Whether both need the same initialization segment.
  package func isSame(as other: TrackCoding) -> Bool {
    if case .audio(let format) = self, case .audio(let other) = other { format.isSame(as: other) } else { self == other }
  }

  /// Writes the sample entry.
  func write(to writer: inout ByteWriter) throws(ParseError) {
    switch self {
    case .video(let coding): try coding.write(to: &writer)
    case .audio(let format): try format.write(to: &writer)
    case .events: try EventTrackWriter.writeEntry(to: &writer)
    }
  }
}

/// The parameter sets of a stream of H.264 or HEVC, and its sample entry (ISO/IEC 14496-15, 5.4 and 8.4).
package struct VideoCoding: Equatable, Sendable {
  /// The content of the first sequence parameter set.
  package let parameters: VideoParameters
  private let codec: NALUnitCodec
  /// The parameter sets, each one once, by their types in the order in which the configuration lists them.
  private let sets: [(type: UInt8, units: [[UInt8]])]

  /// Reads the parameter sets among the NAL units of an access unit; `nil` if one is missing or cannot be read.
  ///
  /// - Parameter units: NAL units as they are in the stream, headers included.
  package init?(_ codec: NALUnitCodec, _ units: [[UInt8]]) {
    var sets = (codec == .h264 ? [7, 8] : [32, 33, 34]).map { (type: UInt8($0), units: [[UInt8]]()) }
    for unit in units where !unit.isEmpty {
      guard let index = sets.firstIndex(where: { $0.type == codec.type(unit[0]) }), !sets[index].units.contains(unit) else { continue }
      // Lengths have 16 bits, and the number of H.264 sequence parameter sets has five.
      guard unit.count <= Int(UInt16.max), sets[index].units.count < 31 else { return nil }
      sets[index].units.append(unit)
    }
    guard sets.allSatisfy({ !$0.units.isEmpty }), let parameters = Self.parameters(codec, sets[codec == .h264 ? 0 : 1].units[0])
    else { return nil }
    (self.codec, self.parameters, self.sets) = (codec, parameters, sets)
  }

  /// What a sequence parameter set says; `nil` if it cannot be read. The optimizer of Swift 6.3 crashes if this is inlined.
  @inline(never) private static func parameters(_ codec: NALUnitCodec, _ set: [UInt8]) -> VideoParameters? {
    try? VideoParameters(codec, sequenceParameterSet: set.view)
  }

  package static func == (left: VideoCoding, right: VideoCoding) -> Bool {
    left.codec == right.codec && left.sets.map { $0.units } == right.sets.map { $0.units }
  }

  /// Pixels need not be square.
  var shownSize: PictureSize {
    guard let ratio = parameters.pixelAspectRatio else { return parameters.size }
    let width = Int64(parameters.size.width) * Int64(ratio.width) / Int64(ratio.height)
    return PictureSize(width: Int(clamping: width), height: parameters.size.height)
  }

  func write(to writer: inout ByteWriter) throws(ParseError) {
    try writer.writeBox(codec == .h264 ? .avc1 : .hvc1) { entry throws(ParseError) in
      entry.writeSampleEntryStart()
      entry.fill(0, count: 16)
      entry.writeUInt16(UInt16(clamping: parameters.size.width))
      entry.writeUInt16(UInt16(clamping: parameters.size.height))
      // 72 dots per inch.
      for field: UInt32 in [0x0048_0000, 0x0048_0000, 0] { entry.writeUInt32(field) }
      entry.writeUInt16(1)
      entry.fill(0, count: 32)
      for field: UInt16 in [0x18, 0xFFFF] { entry.writeUInt16(field) }
      if codec == .h264 {
        try entry.writeBox(BoxType("avcC")) { box throws(ParseError) in try writeH264(&box) }
      } else {
        try entry.writeBox(BoxType("hvcC")) { box throws(ParseError) in try writeHEVC(&box) }
      }
      if let ratio = parameters.pixelAspectRatio {
        try entry.writeBox(BoxType("pasp")) { box throws(ParseError) in
          for field in [ratio.width, ratio.height] { box.writeUInt32(UInt32(clamping: field)) }
        }
      }
      if let colour = parameters.colour {
        try entry.writeBox(BoxType("colr")) { box throws(ParseError) in
          box.write("nclx")
          for field in [colour.primaries, colour.transfer, colour.matrix] { box.writeUInt16(UInt16(field)) }
          box.writeUInt8(colour.isFullRange ? 0x80 : 0)
        }
      }
    }
  }

  /// AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1), with lengths of four bytes.
  private func writeH264(_ box: inout ByteWriter) throws(ParseError) {
    let set = sets[0].units[0]
    guard set.count >= 4 else { throw ParseError(.truncated(needed: 4, available: set.count), at: 0) }
    box.writeUInt8(1)
    box.write(set[1...3])
    box.writeUInt8(0xFF)
    for (index, list) in sets.enumerated() {
      box.writeUInt8(UInt8(list.units.count) | (index == 0 ? 0xE0 : 0))
      box.writeUnits(list.units)
    }
    // Profiles before the High profile have no more fields.
    guard ![66, 77, 88].contains(set[1]) else { return }
    box.writeUInt8(0xFC | UInt8(parameters.chromaFormat))
    box.writeUInt8(0xF8 | UInt8(parameters.bitDepth.luma - 8))
    box.writeUInt8(0xF8 | UInt8(parameters.bitDepth.chroma - 8))
    box.writeUInt8(0)
  }

  /// HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1), with lengths of four bytes.
  private func writeHEVC(_ box: inout ByteWriter) throws(ParseError) {
    let unit = sets[1].units[0]
    let set = EmulationPrevention.removed(from: unit.view)
    guard set.count >= 15 else { throw ParseError(.truncated(needed: 15, available: set.count), at: 0) }
    box.writeUInt8(1)
    box.write(set[3..<15])
    box.writeUInt16(0xF000)
    box.writeUInt8(0xFC)
    box.writeUInt8(0xFC | UInt8(parameters.chromaFormat))
    box.writeUInt8(0xF8 | UInt8(parameters.bitDepth.luma - 8))
    box.writeUInt8(0xF8 | UInt8(parameters.bitDepth.chroma - 8))
    box.writeUInt16(0)
    // The number of temporal layers, and whether they are nested, are in the byte after the header.
    box.writeUInt8(((set[2] >> 1 & 7) + 1) << 3 | (set[2] & 1) << 2 | 3)
    box.writeUInt8(UInt8(sets.count))
    for list in sets {
      // With the name `hvc1` the arrays are complete (8.4.1).
      box.writeUInt8(0x80 | list.type)
      box.writeUInt16(UInt16(list.units.count))
      box.writeUnits(list.units)
    }
  }
}

extension ByteWriter {
  /// The fields that all sample entries begin with: reserved bytes, and the number of the data reference.
  mutating func writeSampleEntryStart() {
    fill(0, count: 6)
    writeUInt16(1)
  }

  fileprivate mutating func writeUnits(_ units: [[UInt8]]) {
    for unit in units {
      writeUInt16(UInt16(unit.count))
      write(unit)
    }
  }
}
