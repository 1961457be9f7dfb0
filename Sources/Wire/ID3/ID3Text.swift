import Basics

/// How the strings of a frame are encoded (ID3v2.4 structure, section 4). Only UTF-8 is written.
enum ID3TextEncoding: Equatable {
  /// ISO-8859-1.
  case latin1
  /// UTF-16 with a byte order mark; once one was read, its order holds for the strings of the frame that have none.
  case utf16(isBigEndian: Bool?)
  /// UTF-16BE without a byte order mark.
  case utf16BigEndian
  /// UTF-8.
  case utf8

  /// The byte by which a frame says that its text is UTF-8.
  static let utf8Byte: UInt8 = 3

  /// Reads the byte that names a frame's encoding. UTF-8 and UTF-16BE are accepted before 2.4 too: the byte is unambiguous.
  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader) throws(ParseError) {
    let unknown = reader.error(.invalid("a text encoding other than 0 to 3"))
    switch try reader.readUInt8() {
    case 0: self = .latin1
    case 1: self = .utf16(isBigEndian: nil)
    case 2: self = .utf16BigEndian
    case ID3TextEncoding.utf8Byte: self = .utf8
    default: throw unknown
    }
  }

  /// Reads a string and the NUL that ends it.
  ///
  /// - Throws: `truncated` at the end of the bytes if there is no NUL; `invalid` at a byte that is not in this encoding.
  @_lifetime(reader: copy reader)
  mutating func readTerminated(_ reader: inout ByteReader) throws(ParseError) -> String {
    guard let length = lengthToNUL(reader) else {
      throw ParseError(.truncated(needed: width, available: 0), at: reader.offset + reader.remaining)
    }
    let string = try read(length, &reader)
    try reader.skip(width)
    return string
  }

  /// Reads the strings up to the end, which are separated by NULs. A NUL at the very end ends the last string.
  ///
  /// Before 2.4 there is one string, and anything after its NUL is to be ignored (ID3v2.3.0, section 4.2).
  @_lifetime(reader: copy reader)
  mutating func readAll(_ reader: inout ByteReader, version: UInt8) throws(ParseError) -> [String] {
    var strings: [String] = []
    while lengthToNUL(reader) != nil {
      // Another string may follow the last NUL.
      guard strings.count < ID3Tag.mostFrames - 1 else {
        throw reader.error(.aboveLimit(what: "number of strings in a frame", limit: ID3Tag.mostFrames))
      }
      strings.append(try readTerminated(&reader))
      if version < 4 || reader.remaining == 0 { return strings }
    }
    strings.append(try read(reader.remaining, &reader))
    return strings
  }

  /// How many bytes a code unit takes.
  private var width: Int {
    switch self {
    case .latin1, .utf8: 1
    case .utf16, .utf16BigEndian: 2
    }
  }

  /// The number of bytes before the next NUL.
  private func lengthToNUL(_ reader: borrowing ByteReader) -> Int? {
    var length = 0
    while length + width <= reader.remaining {
      let index = reader.position + length
      if reader.bytes[index] == 0, reader.bytes[index + width - 1] == 0 { return length }
      length += width
    }
    return nil
  }

  /// Reads a string of `length` bytes.
  @_lifetime(reader: copy reader)
  private mutating func read(_ length: Int, _ reader: inout ByteReader) throws(ParseError) -> String {
    var part = try reader.readPart(length)
    switch self {
    case .latin1: return ID3TextEncoding.readLatin1(part.bytes)
    case .utf8: return try ID3TextEncoding.readUTF8(part)
    case .utf16BigEndian: return try ID3TextEncoding.readUTF16(&part, isBigEndian: true)
    case .utf16(let known):
      let order = try ID3TextEncoding.readByteOrder(&part) ?? known
      guard let order else {
        guard length > 0 else { return "" }
        throw part.error(.invalid("UTF-16 without a byte order mark"))
      }
      self = .utf16(isBigEndian: order)
      return try ID3TextEncoding.readUTF16(&part, isBigEndian: order)
    }
  }

  private static func readLatin1(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for index in bytes.indices { text.append(contentsOf: UTF8.encode(Unicode.Scalar(bytes[index])) ?? UTF8.encodedReplacementCharacter) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func readUTF8(_ reader: borrowing ByteReader) throws(ParseError) -> String {
    if let offset = reader.bytes.firstIllFormedOffset { throw ParseError(.invalid("no UTF-8"), at: reader.baseOffset + offset) }
    return String(bytes: reader.bytes)
  }

  /// Reads a byte order mark if there is one.
  @_lifetime(reader: copy reader)
  private static func readByteOrder(_ reader: inout ByteReader) throws(ParseError) -> Bool? {
    guard reader.remaining >= 2 else { return nil }
    switch (reader.bytes[0], reader.bytes[1]) {
    case (0xFE, 0xFF):
      try reader.skip(2)
      return true
    case (0xFF, 0xFE):
      try reader.skip(2)
      return false
    default: return nil
    }
  }

  @_lifetime(reader: copy reader)
  private static func readUTF16(_ reader: inout ByteReader, isBigEndian: Bool) throws(ParseError) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(reader.remaining)
    while reader.remaining > 0 {
      let unpaired = reader.error(.invalid("a surrogate without its partner"))
      let first = try readCodeUnit(&reader, isBigEndian: isBigEndian)
      var scalar = Unicode.Scalar(first)
      if first & 0xFC00 == 0xD800, reader.remaining > 0 {
        let second = try readCodeUnit(&reader, isBigEndian: isBigEndian)
        guard second & 0xFC00 == 0xDC00 else { throw unpaired }
        scalar = Unicode.Scalar(0x1_0000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
      }
      guard let encoded = scalar.flatMap(UTF8.encode) else { throw unpaired }
      text.append(contentsOf: encoded)
    }
    return String(decoding: text, as: UTF8.self)
  }

  @_lifetime(reader: copy reader)
  private static func readCodeUnit(_ reader: inout ByteReader, isBigEndian: Bool) throws(ParseError) -> UInt16 {
    let unit = try reader.readUInt16()
    return isBigEndian ? unit : unit.byteSwapped
  }
}

extension ByteWriter {
  /// Writes strings separated by NULs, up to the end of a frame. Readers drop one NUL at the end, so one is added if the last string ends in
  /// a NUL, or is empty and not the only one.
  mutating func writeToEnd(_ strings: [String]) {
    for (index, string) in strings.enumerated() {
      if index > 0 { writeUInt8(0) }
      write(string)
    }
    if let last = strings.last, last.utf8.last.map({ $0 == 0 }) ?? (strings.count > 1) { writeUInt8(0) }
  }
}
