import Basics

/// A field of a frame that is kept as bytes.
enum ID3FrameField: Equatable {
  /// The byte that names the encoding of the texts after it.
  case encoding
  /// A number of bytes.
  case bytes(Int)
  /// ISO-8859-1 that ends with a NUL.
  case terminatedLatin1
  /// Text that ends with a NUL.
  case terminatedText
  /// Text up to the end.
  case text
}

/// The fields with which frames start that are kept as bytes (ID3v2.4 frames, sections 4.1, 4.3.2, 4.8, 4.10, 4.14, 4.15 and 4.17; ID3v2.2, section 4).
/// A frame that ends within them is cut.
enum ID3FrameFields {
  /// The fields of a frame; none if the frame is not known here.
  static func of(_ id: String) -> [ID3FrameField] {
    if isOne(id, of: "APIC") { return [.encoding, .terminatedLatin1, .bytes(1), .terminatedText] }
    if isOne(id, of: "PIC") { return [.encoding, .bytes(3), .bytes(1), .terminatedText] }
    if isOne(id, of: "COMM", "COM", "USLT", "ULT") { return [.encoding, .bytes(3), .terminatedText, .text] }
    if isOne(id, of: "GEOB", "GEO") { return [.encoding, .terminatedLatin1, .terminatedText, .terminatedText] }
    if isOne(id, of: "WXXX", "WXX") { return [.encoding, .terminatedText] }
    if isOne(id, of: "UFID", "UFI") { return [.terminatedLatin1] }
    if isOne(id, of: "POPM", "POP") { return [.terminatedLatin1, .bytes(1)] }
    return []
  }

  /// Reads the fields.
  ///
  /// - Throws: `ParseError` at the field that is cut or malformed.
  @_lifetime(reader: copy reader)
  static func check(_ fields: [ID3FrameField], _ reader: inout ByteReader, version: UInt8) throws(ParseError) {
    var encoding = ID3TextEncoding.latin1
    for field in fields {
      switch field {
      case .encoding: encoding = try ID3TextEncoding(reading: &reader)
      case .bytes(let count): try reader.skip(count)
      case .terminatedLatin1:
        var latin1 = ID3TextEncoding.latin1
        _ = try latin1.readTerminated(&reader)
      case .terminatedText: _ = try encoding.readTerminated(&reader)
      case .text: _ = try encoding.readAll(&reader, version: version)
      }
    }
  }

  private static func isOne(_ id: String, of names: String...) -> Bool { names.contains { $0.hasSameBytes(as: id) } }
}
