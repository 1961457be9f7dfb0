import Basics

/// The profile and level of H.264, as a sequence parameter set and `avcC` have them.
package struct H264Profile: Hashable, Sendable {
  /// profile_idc.
  package var profile: UInt8
  /// The byte of constraint flags.
  package var constraints: UInt8
  /// level_idc: ten times the level.
  package var level: UInt8

  /// The codec in the form of RFC 6381, 3.3, for example `avc1.64001F`.
  ///
  /// - Parameter entry: The type of the sample entry; `avc1` for MPEG-TS too.
  package func codec(_ entry: BoxType = .avc1) -> String {
    "\(entry).\(profile.digits(2, radix: 16))\(constraints.digits(2, radix: 16))\(level.digits(2, radix: 16))"
  }
}

extension H264Profile {
  /// Reads the start of an AVCDecoderConfigurationRecord, the payload of `avcC` (ISO/IEC 14496-15, 5.3.3.1).
  init(configuration reader: consuming ByteReader) throws(ParseError) {
    let start = reader.offset
    guard try reader.readUInt8() == 1 else { throw ParseError(.invalid("avcC of an unknown version"), at: start) }
    profile = try reader.readUInt8()
    constraints = try reader.readUInt8()
    level = try reader.readUInt8()
  }
}
