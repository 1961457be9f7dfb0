package import Basics

/// The brands of a file (`ftyp`) or a segment (`styp`): the specifications to which it conforms (ISO/IEC 14496-12, 4.3 and 8.16.2).
package struct FileTypeBox: Equatable, Sendable {
  /// `ftyp` or `styp`.
  package var type: BoxType
  /// The specification that describes the file best.
  package var majorBrand: BoxType
  /// The version of the major brand, for information only.
  package var minorVersion: UInt32
  /// All specifications to which the file conforms.
  package var compatibleBrands: [BoxType]

  /// The brands of a file or a segment.
  package init(type: BoxType = .ftyp, majorBrand: BoxType, minorVersion: UInt32 = 0, compatibleBrands: [BoxType]) {
    self.type = type
    self.majorBrand = majorBrand
    self.minorVersion = minorVersion
    self.compatibleBrands = compatibleBrands
  }

  /// Reads a whole box.
  ///
  /// - Throws: `ParseError` if it is neither `ftyp` nor `styp`, is cut off, or something follows it.
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    let box = try Box.single(bytes, baseOffset: baseOffset)
    guard box.type == .ftyp || box.type == .styp else {
      throw ParseError(.invalid("box \(box.type) instead of ftyp or styp"), at: baseOffset)
    }
    type = box.type
    var reader = box.fields
    majorBrand = BoxType(rawValue: try reader.readUInt32())
    minorVersion = try reader.readUInt32()
    compatibleBrands = []
    while reader.remaining > 0 { compatibleBrands.append(BoxType(rawValue: try reader.readUInt32())) }
  }

  /// The whole box.
  ///
  /// - Throws: `ParseError` if the type is neither `ftyp` nor `styp`.
  package func encoded() throws(ParseError) -> [UInt8] {
    guard type == .ftyp || type == .styp else { throw ParseError(.invalid("box \(type) instead of ftyp or styp"), at: 0) }
    var writer = ByteWriter(capacity: 16 + 4 * compatibleBrands.count)
    try writer.writeBox(type) { box throws(ParseError) in
      box.writeUInt32(majorBrand.rawValue)
      box.writeUInt32(minorVersion)
      for brand in compatibleBrands { box.writeUInt32(brand.rawValue) }
    }
    return writer.bytes
  }

  /// An initialization section with one more compatible brand in its `ftyp`, which must come first.
  ///
  /// - Throws: `ParseError` if no whole `ftyp` comes first.
  package static func adding(_ brand: BoxType, to initialisation: Span<UInt8>) throws(ParseError) -> [UInt8] {
    let header = try BoxHeader(initialisation)
    guard header.type == .ftyp, let size = header.size, size <= UInt64(initialisation.count) else {
      throw ParseError(.invalid("no ftyp at the start"), at: 0)
    }
    var type = try FileTypeBox(initialisation.extracting(..<Int(size)))
    type.compatibleBrands.append(brand)
    return try type.encoded() + [UInt8](copying: initialisation.extracting(Int(size)...))
  }
}
