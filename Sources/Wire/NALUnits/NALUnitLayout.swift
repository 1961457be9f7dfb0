import Basics

/// How a sample contains the NAL units of an access unit: each follows its length (ISO/IEC 14496-15, 4.3.3).
package struct NALUnitLayout: Equatable, Sendable {
  package var codec: NALUnitCodec
  /// The number of bytes of a length: 1, 2 or 4.
  package var lengthSize: Int

  /// Lengths of this number of bytes.
  package init(_ codec: NALUnitCodec, lengthSize: Int) { (self.codec, self.lengthSize) = (codec, lengthSize) }

  /// Reads a decoder configuration record (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1); `nil` if it is too short.
  package init?(_ codec: NALUnitCodec, configuration: Span<UInt8>) {
    let place = codec == .h264 ? 4 : 21
    guard configuration.count > place else { return nil }
    self.init(codec, lengthSize: Int(configuration[place] & 3) + 1)
  }

  /// A NAL unit after its length; `nil` if the field is too small for that.
  package func prefixed(_ unit: [UInt8]) -> [UInt8]? {
    guard lengthSize >= 4 || unit.count < 1 << (8 * lengthSize) else { return nil }
    var writer = ByteWriter(capacity: lengthSize + unit.count)
    writer.writeInteger(UInt64(unit.count), byteCount: lengthSize)
    writer.write(unit)
    return writer.bytes
  }
}
