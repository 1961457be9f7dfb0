import Basics

/// The configuration of VP9 in `vpcC` (WebM project, "VP Codec ISO Media File Format Binding", 2.2).
struct VP9Configuration: Equatable {
  var profile: UInt8
  var level: UInt8
  var bitDepth: UInt8

  /// Reads the payload of the box.
  init(_ fields: consuming ByteReader) throws(ParseError) {
    var reader = fields
    try reader.skip(4)  // version and flags
    profile = try reader.readUInt8()
    level = try reader.readUInt8()
    bitDepth = try reader.readUInt8() >> 4
  }

  /// The codec as RFC 6381 writes it, for example `vp09.00.31.08`.
  var codec: String { "vp09.\(profile.digits(2)).\(level.digits(2)).\(bitDepth.digits(2))" }
}

/// The configuration of AV1 in `av1C` (AOMedia, "AV1 Codec ISO Media File Format Binding", 2.3).
struct AV1Configuration: Equatable {
  var profile: UInt8
  var level: UInt8
  var isHighTier: Bool
  var bitDepth: UInt8

  /// Reads the payload of the box.
  init(_ fields: consuming ByteReader) throws(ParseError) {
    var reader = fields
    try reader.skip(1)  // marker and version
    let first = try reader.readUInt8()
    profile = first >> 5
    level = first & 0x1F
    let second = try reader.readUInt8()
    isHighTier = second & 0x80 != 0
    bitDepth = second & 0x40 == 0 ? 8 : second & 0x20 == 0 ? 10 : 12
  }

  /// The codec as RFC 6381 writes it, for example `av01.0.04M.08`.
  var codec: String { "av01.\(profile).\(level.digits(2))\(isHighTier ? "H" : "M").\(bitDepth.digits(2))" }
}
