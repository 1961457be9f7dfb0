import Basics

/// Configurations that are read only for the codec in the form of RFC 6381.
enum VideoConfigurations {
  /// The codec of VP9 by the payload of `vpcC` (WebM project, "VP Codec ISO Media File Format Binding", 2.2), for example `vp09.00.31.08`.
  static func vp9(_ fields: consuming ByteReader) throws(ParseError) -> String {
    var reader = fields
    try reader.skip(4)  // version and flags
    let (profile, level, bitDepth) = (try reader.readUInt8(), try reader.readUInt8(), try reader.readUInt8() >> 4)
    return "vp09.\(profile.digits(2)).\(level.digits(2)).\(bitDepth.digits(2))"
  }

  /// The codec of AV1 by the payload of `av1C` (AOMedia, "AV1 Codec ISO Media File Format Binding", 2.3), for example `av01.0.04M.08`.
  static func av1(_ fields: consuming ByteReader) throws(ParseError) -> String {
    var reader = fields
    try reader.skip(1)  // marker and version
    let (first, second) = (try reader.readUInt8(), try reader.readUInt8())
    let (profile, level, isHighTier) = (first >> 5, first & 0x1F, second & 0x80 != 0)
    let bitDepth = second & 0x40 == 0 ? 8 : second & 0x20 == 0 ? 10 : 12
    return "av01.\(profile).\(level.digits(2))\(isHighTier ? "H" : "M").\(bitDepth.digits(2))"
  }
}
