package import Basics

extension ID3Tag {
  /// The tag that `bytes` consist of without some of its frames. All other bytes stay as they are, except for the size.
  ///
  /// - Parameter indices: Which frames are left out, in ascending order.
  /// - Returns: Nil for a tag whose frames do not lie side by side as written: one of ID3v2.2 or 2.3 with unsynchronisation, or with an extended
  ///   header, which may have a checksum of the frames.
  /// - Throws: As `decode(_:baseOffset:)`.
  package static func removing(_ indices: [Int], from bytes: Span<UInt8>) throws(ParseError) -> [UInt8]? {
    var reader = ByteReader(bytes)
    var header = try ID3Header(reading: &reader)
    guard header.version == 4 || !header.flags.contains(.unsynchronisation), !header.flags.contains(.extendedHeader) else { return nil }
    let end = ID3Header.length + header.size
    var body: [UInt8] = []
    var index = 0
    var removed = indices[...]
    while reader.position < end, bytes[reader.position] != 0 {
      let start = reader.position
      try reader.skip(try ID3FrameHeader(reading: &reader, version: header.version).size)
      if removed.first == index { removed = removed.dropFirst() } else { body.append(copying: bytes.extracting(start..<reader.position)) }
      index += 1
    }
    let padding = end - reader.position
    body.append(copying: try reader.readSpan(padding))
    header.size = body.count
    var writer = ByteWriter(capacity: header.tagLength)
    try header.write(to: &writer)
    writer.write(body)
    if header.flags.contains(.footer) { try header.write(to: &writer, identifier: "3DI") }
    return writer.bytes
  }
}
