public import Basics

/// An ID3v2 tag, as timed metadata carries it: one tag in each sample.
public struct ID3Tag: Equatable, Sendable {
  /// The version the tag was read from: 2, 3 or 4 for ID3v2.2, 2.3 or 2.4. It determines the meaning of the flags of unknown frames.
  public var version: UInt8
  /// The frames, in order.
  public var frames: [ID3Frame]

  /// The maximum number of frames in a tag, and of strings in a frame. Each takes several times its bytes in memory, and a tag may have one in every
  /// byte.
  public static let mostFrames = 1_024

  /// A tag of version 2.4.
  public init(frames: [ID3Frame]) {
    version = 4
    self.frames = frames
  }

  /// Reads a tag of ID3v2.2, 2.3 or 2.4, which takes up all of `bytes`.
  ///
  /// - Throws: As `decode(_:baseOffset:)` for a span does.
  public static func decode(_ bytes: [UInt8]) throws(ParseError) -> ID3Tag { try decode(bytes.view) }

  /// Reads a tag of ID3v2.2, 2.3 or 2.4, which takes up all of `bytes`.
  ///
  /// The size of a frame decides where the next one starts. A frame that cannot be read is kept as bytes, and those around it are read. A tag whose
  /// sizes do not fit is refused as a whole, so that nobody acts upon a damaged tag.
  ///
  /// - Parameters:
  ///   - bytes: The tag from its header to the end of its padding or footer.
  ///   - baseOffset: Where `bytes` starts in the whole input, for the offsets of errors.
  /// - Throws: `truncated` if the tag is longer than the bytes are, or a frame than the tag, `trailingBytes` if bytes follow the tag,
  ///   `aboveLimit` for more than ``mostFrames`` frames, else `invalid` at the field that is malformed.
  public static func decode(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) -> ID3Tag {
    var reader = ByteReader(bytes, baseOffset: baseOffset)
    let header = try ID3Header(reading: &reader)
    var body = try reader.readPart(header.size)
    if header.flags.contains(.footer) {
      let different = reader.error(.invalid("an ID3 footer that differs from the header"))
      guard try ID3Header(reading: &reader, identifier: "3DI") == header else { throw different }
    }
    try reader.finish()
    var tag = ID3Tag(frames: [])
    tag.version = header.version
    // Before 2.4, unsynchronisation covers frames and their headers; since then it covers each frame.
    if header.version < 4, header.flags.contains(.unsynchronisation) {
      tag.frames = try Unsynchronisation.reading(body.bytes, baseOffset: body.offset) { body throws(ParseError) in
        try readBody(&body, header)
      }
      var place = Unsynchronisation.Place()
      for (index, frame) in tag.frames.enumerated() {
        guard case .unreadable(let id, let flags, let data, let error) = frame else { continue }
        let original = place.original(error, in: body.bytes, baseOffset: body.offset)
        tag.frames[index] = .unreadable(id: id, flags: flags, data: data, error: original)
      }
    } else {
      tag.frames = try readBody(&body, header)
    }
    return tag
  }

  /// Reads everything between header and footer: extended header, frames, padding.
  @_lifetime(reader: copy reader)
  private static func readBody(_ reader: inout ByteReader, _ header: ID3Header) throws(ParseError) -> [ID3Frame] {
    if header.flags.contains(.extendedHeader) { try ID3ExtendedHeader.skip(&reader, version: header.version) }
    let allUnsynchronised = header.version == 4 && header.flags.contains(.unsynchronisation)
    var frames: [ID3Frame] = []
    while reader.remaining > 0 {
      if reader.bytes[reader.position] == 0 {
        try skipPadding(&reader)
      } else {
        guard frames.count < mostFrames else { throw reader.error(.aboveLimit(what: "number of frames", limit: mostFrames)) }
        frames.append(try ID3Frame.read(&reader, version: header.version, allUnsynchronised: allUnsynchronised))
      }
    }
    return frames
  }

  /// Skips the zeros that may follow the frames, up to the end.
  @_lifetime(reader: copy reader)
  private static func skipPadding(_ reader: inout ByteReader) throws(ParseError) {
    while reader.remaining > 0 {
      let notZero = reader.error(.invalid("the padding after the frames is not zero"))
      guard try reader.readUInt8() == 0 else { throw notZero }
    }
  }

  /// The length in bytes of the tag that begins with `header`, with its header and footer.
  ///
  /// - Parameter header: The first 10 bytes of a tag, or more.
  /// - Returns: Nil if there are fewer bytes, or no header of a version that `decode` reads.
  public static func encodedLength(_ header: Span<UInt8>) -> Int? {
    var reader = ByteReader(header)
    return try? ID3Header(reading: &reader).tagLength
  }

  /// The length in bytes that the tag at the start of `bytes` states, with its header and footer, whatever its version is.
  ///
  /// - Returns: Nil if there are fewer than 10 bytes, no `ID3`, or the size is not synchsafe.
  public static func statedLength(_ bytes: Span<UInt8>) -> Int? {
    var reader = ByteReader(bytes)
    guard let identifier = try? reader.readInteger(byteCount: 3), identifier == 0x49_4433, (try? reader.skip(2)) != nil,
      let flags = try? reader.readUInt8(), let size = try? reader.readSynchsafe()
    else { return nil }
    return ID3Header(flags: ID3Header.Flags(rawValue: flags), size: size).tagLength
  }

  /// The tag as ID3v2.4, with text in UTF-8, no extended header, padding, footer or unsynchronisation.
  ///
  /// Unknown and unreadable frames are written byte for byte with their flags; those of ID3v2.3 get the flags of the same meaning.
  ///
  /// - Throws: `invalid` for what ID3v2.4 cannot hold: identifiers that are not four capitals and digits, text frames without strings
  ///   or with a NUL in a string or description, an owner that is not ISO-8859-1, unknown frames of ID3v2.2, and those of ID3v2.3 with flags
  ///   about the form of the content; `aboveLimit` for more than 268,435,455 bytes. Offsets count from the first frame.
  public func encode() throws(ParseError) -> [UInt8] {
    var body = ByteWriter()
    for frame in frames { try frame.write(to: &body, version: version) }
    var writer = ByteWriter(capacity: ID3Header.length + body.bytes.count)
    try ID3Header(size: body.bytes.count).write(to: &writer)
    writer.write(body.bytes)
    return writer.bytes
  }
}
