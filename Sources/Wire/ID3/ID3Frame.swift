public import Basics

/// A frame of an ID3v2 tag (ID3v2.4 frames).
///
/// Frames are equal if they have the same bytes; strings are not compared by canonical equivalence.
public enum ID3Frame: Equatable, Sendable {
  /// `TXXX`: text that the user defines (section 4.2.6). Several strings in the value are separated by NULs.
  case userText(description: String, value: String)
  /// `T???`: any other text frame (section 4.2), with one or more strings.
  case text(id: String, values: [String])
  /// `PRIV`: private data of an owner (section 4.27), who is named by a URL or an e-mail address.
  case privateData(owner: String, data: [UInt8])
  /// Everything else, and frames that are empty, compressed or encrypted, with the flags and content of the tag.
  case unknown(id: String, flags: UInt16, data: [UInt8])
  /// A frame whose content or identifier cannot be read, with the flags and content of the tag. `error` says why; its offset counts from where the
  /// tag's input starts. The frame's size tells where the next frame starts, so the others are read.
  case unreadable(id: String, flags: UInt16, data: [UInt8], error: ParseError)

  /// The identifier, such as `TXXX`: four characters, or three for an unknown or unreadable frame of ID3v2.2.
  public var id: String {
    switch self {
    case .userText: "TXXX"
    case .text(let id, _): id
    case .privateData: "PRIV"
    case .unknown(let id, _, _), .unreadable(let id, _, _, _): id
    }
  }

  /// Whether the frame could not be read.
  public var isUnreadable: Bool { if case .unreadable = self { true } else { false } }

  /// Whether both have the same bytes. Errors of unreadable frames are not compared, because they depend on where a frame lies.
  public static func == (left: ID3Frame, right: ID3Frame) -> Bool {
    switch (left, right) {
    case (.userText(let leftDescription, let leftValue), .userText(let rightDescription, let rightValue)):
      leftDescription.hasSameBytes(as: rightDescription) && leftValue.hasSameBytes(as: rightValue)
    case (.text(let leftID, let leftValues), .text(let rightID, let rightValues)):
      leftID.hasSameBytes(as: rightID) && leftValues.elementsEqual(rightValues) { $0.hasSameBytes(as: $1) }
    case (.privateData(let leftOwner, let leftData), .privateData(let rightOwner, let rightData)):
      leftOwner.hasSameBytes(as: rightOwner) && leftData == rightData
    case (.unknown(let leftID, let leftFlags, let leftData), .unknown(let rightID, let rightFlags, let rightData)):
      leftID.hasSameBytes(as: rightID) && leftFlags == rightFlags && leftData == rightData
    case (.unreadable(let leftID, let leftFlags, let leftData, _), .unreadable(let rightID, let rightFlags, let rightData, _)):
      leftID.hasSameBytes(as: rightID) && leftFlags == rightFlags && leftData == rightData
    case (.userText, _), (.text, _), (.privateData, _), (.unknown, _), (.unreadable, _): false
    }
  }
}

extension ID3Frame {
  /// Reads one frame. `allUnsynchronised` is the unsynchronisation flag of a tag of 2.4, which applies to all its frames.
  ///
  /// - Throws: `truncated` if the frame ends beyond the tag. Any other fault leaves the frame unreadable.
  @_lifetime(reader: copy reader)
  static func read(_ reader: inout ByteReader, version: UInt8, allUnsynchronised: Bool) throws(ParseError) -> ID3Frame {
    let badIdentifier = reader.error(ID3FrameHeader.malformedIdentifier)
    let header = try ID3FrameHeader(reading: &reader, version: version)
    let offset = reader.offset
    let bytes = try reader.readSpan(header.size)
    // The bytes stay unsynchronised, so the frame itself has to state it if the tag does not.
    let flags = header.flags | (allUnsynchronised ? ID3FrameFormat.unsynchronisationFlag : 0)
    do throws(ParseError) {
      guard header.hasValidIdentifier else { throw badIdentifier }
      var content = ByteReader(bytes, baseOffset: offset)
      if let frame = try read(header, &content, version: version, allUnsynchronised: allUnsynchronised) { return frame }
      return .unknown(id: header.id, flags: flags, data: [UInt8](copying: bytes))
    } catch {
      return .unreadable(id: header.id, flags: flags, data: [UInt8](copying: bytes), error: error)
    }
  }

  /// Reads all of a frame's content. Returns nil for a frame that is kept as bytes.
  @_lifetime(content: copy content)
  private static func read(
    _ header: ID3FrameHeader, _ content: inout ByteReader, version: UInt8, allUnsynchronised: Bool
  ) throws(ParseError) -> ID3Frame? {
    let id = version == 2 ? ID3FrameNames.present(for: header.id) ?? header.id : header.id
    let fields = ID3FrameFields.of(id)
    let isKnown = id.utf8.count == 4 && (id.utf8.first == UInt8(ascii: "T") || id.hasSameBytes(as: "PRIV")) || !fields.isEmpty
    guard isKnown, header.size > 0, let format = ID3FrameFormat(header.flags, version: version) else { return nil }
    if format.hasGroup { try content.skip(1) }
    let dataLength = format.hasDataLength ? try content.readSynchsafe() : nil
    guard format.isUnsynchronised || allUnsynchronised else {
      return try read(id, content: &content, length: dataLength, fields, version: version)
    }
    let offset = content.offset
    return try Unsynchronisation.reading(try content.readSpan(content.remaining), baseOffset: offset) { content throws(ParseError) in
      try read(id, content: &content, length: dataLength, fields, version: version)
    }
  }

  /// Reads all of the content of a text frame or a `PRIV` frame, or checks that of a frame with `fields`, which is kept as bytes. `length` is its
  /// data length indicator, if it has one.
  @_lifetime(reader: copy reader)
  private static func read(
    _ id: String, content reader: inout ByteReader, length: Int?, _ fields: [ID3FrameField], version: UInt8
  ) throws(ParseError) -> ID3Frame? {
    if let length, length != reader.remaining {
      throw reader.error(.invalid("a frame of another length than its data length indicator says"))
    }
    guard fields.isEmpty else {
      try ID3FrameFields.check(fields, &reader, version: version)
      return nil
    }
    if id.hasSameBytes(as: "PRIV") {
      var encoding = ID3TextEncoding.latin1
      let owner = try encoding.readTerminated(&reader)
      return .privateData(owner: owner, data: try reader.readBytes(reader.remaining))
    }
    var encoding = try ID3TextEncoding(reading: &reader)
    guard id.hasSameBytes(as: "TXXX") else { return .text(id: id, values: try encoding.readAll(&reader, version: version)) }
    let description = try encoding.readTerminated(&reader)
    return .userText(description: description, value: try encoding.readAll(&reader, version: version).joined(separator: "\0"))
  }

  /// Writes the frame in the format of 2.4. `version` is the version of the tag that a frame of bytes was read from.
  ///
  /// - Throws: `invalid` at the frame's start if 2.4 cannot hold it, `aboveLimit` if it is too large.
  func write(to writer: inout ByteWriter, version: UInt8) throws(ParseError) {
    let start = writer.bytes.count
    func invalid(_ what: String) -> ParseError { ParseError(.invalid(what), at: start) }
    var content = ByteWriter()
    var flags: UInt16 = 0
    var mayHaveAnyIdentifier = false
    switch self {
    case .userText(let description, let value):
      guard !description.utf8.contains(0) else { throw invalid("a NUL in the description of a TXXX frame") }
      content.writeUInt8(ID3TextEncoding.utf8Byte)
      content.write(description)
      content.writeUInt8(0)
      content.writeToEnd([value])
    case .text(let id, let values):
      guard id.utf8.first == UInt8(ascii: "T"), !id.hasSameBytes(as: "TXXX") else { throw invalid("\(id) is no text frame") }
      guard !values.isEmpty, !values.contains(where: { $0.utf8.contains(0) }) else {
        throw invalid("a text frame without strings, or with a NUL in one")
      }
      content.writeUInt8(ID3TextEncoding.utf8Byte)
      content.writeToEnd(values)
    case .privateData(let owner, let data):
      for scalar in owner.unicodeScalars {
        guard 1...0xFF ~= scalar.value else { throw invalid("the owner of a PRIV frame is not ISO-8859-1, or has a NUL") }
        content.writeUInt8(UInt8(truncatingIfNeeded: scalar.value))
      }
      content.writeUInt8(0)
      content.write(data)
    case .unknown(_, let given, let data), .unreadable(_, let given, let data, _):
      if case .unreadable = self { mayHaveAnyIdentifier = true }
      guard let known = version == 3 ? ID3FrameFormat.flagsFor24(from23: given) : given else {
        throw invalid("a frame of ID3v2.3 whose content ID3v2.4 stores differently")
      }
      flags = known
      content.write(data)
    }
    try ID3FrameHeader(id: id, size: content.bytes.count, flags: flags).write(to: &writer, anyIdentifier: mayHaveAnyIdentifier)
    writer.write(content.bytes)
  }
}
