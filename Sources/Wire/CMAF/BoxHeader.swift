package import Basics

/// The size and type at the start of a box (ISO/IEC 14496-12, 4.2.2).
package struct BoxHeader: Equatable, Sendable {
  /// The type of the box.
  package var type: BoxType
  /// The size of the whole box in bytes, header included; `nil` if it extends to the end of its container.
  package var size: UInt64?
  /// Whether the size is written in 64 bits.
  package var hasLargeSize = false
  /// The 16 bytes of the type if `type` is `uuid`.
  package var extendedType: [UInt8]?

  /// The size of a header without a large size and a UUID.
  package static let smallestLength = 8

  /// The size of the header itself in bytes: 8, 16, 24 or 32.
  package var length: Int { Self.smallestLength + (hasLargeSize ? 8 : 0) + (type == .uuid ? 16 : 0) }

  /// The size of the payload, which follows the header; `nil` if it extends to the end.
  package var payloadSize: UInt64? { size.map { $0 - min(UInt64(length), $0) } }

  /// The size of the header that starts with `prefix`: 8 as long as there are fewer bytes.
  package static func length(startingWith prefix: Span<UInt8>) -> Int {
    var reader = ByteReader(prefix)
    guard let size = try? reader.readUInt32(), let type = try? reader.readUInt32() else { return smallestLength }
    return smallestLength + (size == 1 ? 8 : 0) + (type == BoxType.uuid.rawValue ? 16 : 0)
  }
}

extension BoxHeader {
  /// Reads a header, and advances the reader past it.
  ///
  /// - Throws: `ParseError` if the bytes end within the header, or the size is smaller than the header.
  @_lifetime(reader: copy reader)
  package init(reading reader: inout ByteReader) throws(ParseError) {
    let rest = reader.bytes.extracting(droppingFirst: reader.position)
    try self.init(rest, baseOffset: reader.offset)
    try reader.skip(length)
  }

  /// Reads the header at the start of `bytes`.
  ///
  /// - Throws: `ParseError` if the bytes end within the header, or the size is smaller than the header.
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var reader = ByteReader(bytes, baseOffset: baseOffset)
    let smallSize = try reader.readUInt32()
    type = BoxType(rawValue: try reader.readUInt32())
    hasLargeSize = smallSize == 1
    size = hasLargeSize ? try reader.readInteger(byteCount: 8) : smallSize == 0 ? nil : UInt64(smallSize)
    extendedType = type == .uuid ? try reader.readBytes(16) : nil
    guard size.map({ $0 >= UInt64(length) }) ?? true else {
      throw ParseError(.invalid("box \(type) is smaller than its own header"), at: baseOffset)
    }
  }

  /// Writes the header.
  ///
  /// - Throws: `ParseError` if the size does not fit its field or is smaller than the header, or the UUID is missing, not 16 bytes, or
  ///   not this type's.
  package func write(to writer: inout ByteWriter) throws(ParseError) {
    let start = writer.bytes.count
    guard extendedType?.count == (type == .uuid ? 16 : nil) else { throw ParseError(.invalid("UUID of box \(type)"), at: start) }
    guard let size else {
      guard !hasLargeSize else { throw ParseError(.invalid("box \(type) without a size has a large size"), at: start) }
      return writeFields(0, to: &writer)
    }
    guard size >= UInt64(length) else { throw ParseError(.invalid("box \(type) is smaller than its own header"), at: start) }
    guard hasLargeSize || size <= UInt64(UInt32.max) else { throw ParseError(.invalid("box \(type) needs a large size"), at: start) }
    writeFields(hasLargeSize ? 1 : UInt32(truncatingIfNeeded: size), to: &writer)
  }

  private func writeFields(_ smallSize: UInt32, to writer: inout ByteWriter) {
    writer.writeUInt32(smallSize)
    writer.writeUInt32(type.rawValue)
    if hasLargeSize, let size { writer.writeInteger(size, byteCount: 8) }
    if let extendedType { writer.write(extendedType) }
  }
}
