import Basics

/// What frames say that are kept as bytes: pictures, comments, lyrics, objects, addresses and identifiers (ID3v2.4 frames, section 4).
package struct ID3FrameDetails: Equatable, Sendable {
  /// The language of a comment or of lyrics: three characters.
  package var language: String?
  /// The MIME type of a picture or an object, or the image format of ID3v2.2.
  package var mime: String?
  /// The kind of a picture: 3 is the front cover.
  package var pictureType: UInt8?
  /// The owner of an identifier, or the e-mail address of a rating.
  package var owner: String?
  /// The description.
  package var description: String?
  /// The text of a comment or of lyrics, or an address.
  package var text: String?
  /// The number of bytes of the picture, the object or the identifier.
  package var size: Int?
}

extension ID3FrameDetails {
  /// Reads a frame; `nil` if it is another one, or compressed, encrypted or unreadable.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - version: The version of its tag.
  package init?(_ frame: ID3Frame, version: UInt8) {
    self.init()
    guard case .unknown(let id, 0, let data) = frame else { return nil }
    let bytes = data.view
    var reader = ByteReader(bytes)
    do throws(ParseError) {
      guard try read(id, &reader, version) else { return nil }
    } catch {
      return nil
    }
  }

  /// Reads the fields; returns whether the frame is known.
  @_lifetime(reader: copy reader)
  private mutating func read(_ id: String, _ reader: inout ByteReader, _ version: UInt8) throws(ParseError) -> Bool {
    var latin1 = ID3TextEncoding.latin1
    func isOne(_ names: String...) -> Bool { names.contains { $0.hasSameBytes(as: id) } }
    if isOne("APIC", "PIC") {
      var encoding = try ID3TextEncoding(reading: &reader)
      mime = isOne("PIC") ? Self.text(try reader.readBytes(3)) : try latin1.readTerminated(&reader)
      pictureType = try reader.readUInt8()
      description = try encoding.readTerminated(&reader)
      size = reader.remaining
    } else if isOne("COMM", "COM", "USLT", "ULT") {
      var encoding = try ID3TextEncoding(reading: &reader)
      language = Self.text(try reader.readBytes(3))
      description = try encoding.readTerminated(&reader)
      text = try encoding.readAll(&reader, version: version).joined(separator: " / ")
    } else if isOne("GEOB", "GEO") {
      var encoding = try ID3TextEncoding(reading: &reader)
      mime = try latin1.readTerminated(&reader)
      let name = try encoding.readTerminated(&reader)
      description = try encoding.readTerminated(&reader)
      text = name
      size = reader.remaining
    } else if isOne("WXXX", "WXX") {
      var encoding = try ID3TextEncoding(reading: &reader)
      description = try encoding.readTerminated(&reader)
      text = try latin1.readAll(&reader, version: 3).first
    } else if isOne("UFID", "UFI", "POPM", "POP") {
      owner = try latin1.readTerminated(&reader)
      size = reader.remaining
    } else if id.utf8.first == UInt8(ascii: "W") {
      text = try latin1.readAll(&reader, version: 3).first
    } else {
      return false
    }
    return true
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
