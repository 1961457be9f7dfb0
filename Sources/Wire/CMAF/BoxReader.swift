package import Basics

/// Reads successive boxes from borrowed bytes.
package struct BoxReader: ~Escapable, ~Copyable {
  private var reader: ByteReader
  /// The nesting depth: how many boxes contain these.
  package let depth: Int

  /// The maximum nesting of boxes.
  package static let deepest = 16

  /// Starts at the first of `bytes`, which are at `baseOffset` in the whole input.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) {
    reader = ByteReader(bytes, baseOffset: baseOffset)
    depth = 0
  }

  @_lifetime(copy bytes)
  fileprivate init(_ bytes: Span<UInt8>, baseOffset: Int, depth: Int) {
    reader = ByteReader(bytes, baseOffset: baseOffset)
    self.depth = depth
  }

  /// Reads the next whole box; `nil` at the end.
  ///
  /// Fewer than eight zero bytes at the end are accepted as QuickTime's terminator.
  ///
  /// - Throws: `ParseError` if a header is wrong, or a box is larger than its container.
  @_lifetime(copy self)
  package mutating func next() throws(ParseError) -> Box? {
    guard reader.remaining > 0, !isAtTerminator else { return nil }
    let start = reader.offset
    let header = try BoxHeader(reading: &reader)
    let size = header.payloadSize ?? UInt64(reader.remaining)
    guard size <= UInt64(reader.remaining) else {
      throw ParseError(.invalid("box \(header.type) is larger than its container"), at: start)
    }
    let payloadStart = reader.offset
    let payload = try reader.readSpan(Int(truncatingIfNeeded: size))
    return Box(header: header, offset: start, payload: payload, payloadOffset: payloadStart, depth: depth)
  }

  /// Reads the next box of a type, past others; `nil` at the end.
  ///
  /// - Throws: As `next()` does.
  @_lifetime(copy self)
  mutating func next(_ type: BoxType) throws(ParseError) -> Box? {
    while let box = try next() { if box.type == type { return box } }
    return nil
  }

  private var isAtTerminator: Bool {
    guard reader.remaining < BoxHeader.smallestLength else { return false }
    return (reader.position..<reader.bytes.count).allSatisfy { reader.bytes[$0] == 0 }
  }
}

/// A complete box.
package struct Box: ~Escapable {
  /// Its size and type.
  package let header: BoxHeader
  /// Where it starts in the whole input, in bytes.
  package let offset: Int
  /// The payload, which follows the header.
  package let payload: Span<UInt8>
  /// Where the payload starts in the whole input.
  package let payloadOffset: Int
  private let depth: Int

  @_lifetime(copy payload)
  fileprivate init(header: BoxHeader, offset: Int, payload: Span<UInt8>, payloadOffset: Int, depth: Int) {
    self.header = header
    self.offset = offset
    self.payload = payload
    self.payloadOffset = payloadOffset
    self.depth = depth
  }

  /// The type of the box.
  package var type: BoxType { header.type }

  /// A reader over the payload.
  package var fields: ByteReader {
    @_lifetime(copy self)
    get { ByteReader(payload, baseOffset: payloadOffset) }
  }

  /// The boxes in this one, which start after `skipped` bytes of fields.
  ///
  /// - Throws: `ParseError` if the fields are cut off, or the boxes are nested too deeply.
  @_lifetime(copy self)
  package func children(after skipped: Int = 0) throws(ParseError) -> BoxReader {
    guard depth < BoxReader.deepest else { throw ParseError(.aboveLimit(what: "depth of boxes", limit: BoxReader.deepest), at: offset) }
    guard skipped >= 0, skipped <= payload.count else {
      throw ParseError(.truncated(needed: skipped, available: payload.count), at: payloadOffset)
    }
    return BoxReader(payload.extracting(droppingFirst: skipped), baseOffset: payloadOffset + skipped, depth: depth + 1)
  }
}

/// The fields that a full box starts with (ISO/IEC 14496-12, 4.2.2).
struct FullBoxFields {
  var version: UInt8
  var flags: UInt32

  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader) throws(ParseError) {
    let word = try reader.readUInt32()
    version = UInt8(truncatingIfNeeded: word >> 24)
    flags = word & 0xFF_FFFF
  }

  /// The size of times and durations, which version 1 widens to 64 bits.
  var timeByteCount: Int { version == 0 ? 4 : 8 }
}

extension ByteWriter {
  /// Writes a box whose payload `body` writes.
  ///
  /// - Throws: What `body` throws, and `ParseError` from a size of 1 GiB on.
  mutating func writeBox(_ type: BoxType, _ body: (inout ByteWriter) throws(ParseError) -> Void) throws(ParseError) {
    // The size field has 32 bits. Only 30 of them are used, so that every size fits an Int of 32 bits.
    try writeLengthPrefixed(bits: 30, extra: 4) { box throws(ParseError) in
      box.writeUInt32(type.rawValue)
      try body(&box)
    }
  }
}

extension Box {
  /// Reads the only box in `bytes`.
  ///
  /// - Parameter type: The type that it must have; `nil` for any.
  /// - Throws: `ParseError` if there is none, it has another type, or something follows it.
  @_lifetime(copy bytes)
  static func single(_ bytes: Span<UInt8>, baseOffset: Int, _ type: BoxType? = nil) throws(ParseError) -> Box {
    var boxes = BoxReader(bytes, baseOffset: baseOffset)
    guard let box = try boxes.next() else {
      throw ParseError(.truncated(needed: BoxHeader.smallestLength, available: bytes.count), at: baseOffset)
    }
    let end = box.payloadOffset + box.payload.count - baseOffset
    guard end == bytes.count else { throw ParseError(.trailingBytes(bytes.count - end), at: baseOffset + end) }
    if let type, box.type != type { throw ParseError(.invalid("box \(box.type) instead of \(type)"), at: baseOffset) }
    return box
  }
}
