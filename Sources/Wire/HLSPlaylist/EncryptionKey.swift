import Basics

/// How segments are encrypted; an open registry (RFC 8216bis, 4.4.4.4). `NONE` is no method: it is the absence of keys.
package struct EncryptionMethod: RawRepresentable, Hashable, Sendable {
  /// The name as written in the playlist.
  package var rawValue: String

  /// The method of this name.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// Whole segments, AES-128 in CBC mode with PKCS7 padding.
  package static let aes128 = EncryptionMethod(rawValue: "AES-128")

  static let none = "NONE"
}

/// A key of EXT-X-KEY or EXT-X-SESSION-KEY (RFC 8216bis, 4.4.4.4 and 4.4.6.5).
package struct EncryptionKey: Equatable, Sendable {
  /// How the key is used.
  package var method: EncryptionMethod
  /// Where the key is.
  package var uri: String
  /// The initialisation vector of 16 bytes; if it is `nil`, the media sequence number is used.
  package var initializationVector: [UInt8]?
  /// How the key is represented in its resource. `nil` means `identity`: the resource is the key's 16 bytes.
  package var keyFormat: String?
  /// The versions of the key's format, for example `1/2`.
  package var keyFormatVersions: String?
  /// Other attributes, in their order.
  package var attributes = AttributeList()

  /// The initialisation vector of a segment: the stated one, else the segment's media sequence number in 16 bytes (5.2).
  package func initializationVector(mediaSequence: UInt64) -> [UInt8] {
    if let initializationVector { return initializationVector }
    return [UInt8](repeating: 0, count: 8) + (0..<8).reversed().map { UInt8(truncatingIfNeeded: mediaSequence >> (8 * UInt64($0))) }
  }

  /// The key's format, with the default filled in. A key replaces the one before it of the same format.
  var effectiveFormat: String { keyFormat ?? "identity" }
}

extension EncryptionKey {
  /// A key of 16 bytes at a URI.
  package init(method: EncryptionMethod, uri: String) { self.init(method: method, uri: uri, initializationVector: nil) }

  /// Reads the tag's attributes; `nil` for METHOD=NONE.
  init?(_ line: PlaylistLine, variables: inout VariableScope) throws(PlaylistError) {
    var reader = try AttributeReader(line, isNeeded: true, variables: &variables)
    let method = try reader.require("METHOD", try reader.token("METHOD"))
    guard !method.hasSameBytes(as: EncryptionMethod.none) else {
      _ = reader.finish(&variables)
      return nil
    }
    self.method = EncryptionMethod(rawValue: method)
    uri = try reader.require("URI", try reader.string("URI"))
    if let vector = try reader.hexadecimal("IV") {
      guard vector.count <= 16 else { throw line.error(.invalid("an IV of more than 128 bits")) }
      initializationVector = [UInt8](repeating: 0, count: 16 - vector.count) + vector
    }
    keyFormat = try reader.string("KEYFORMAT")
    keyFormatVersions = try reader.string("KEYFORMATVERSIONS")
    attributes = reader.finish(&variables)
  }

  /// The attributes of the tag.
  var attributeList: AttributeList {
    var list = AttributeList([Attribute("METHOD", .unquoted(method.rawValue)), Attribute("URI", .quoted(uri))])
    list.add("IV", initializationVector.map { .hexadecimal($0) })
    list.add("KEYFORMAT", quoted: keyFormat)
    list.add("KEYFORMATVERSIONS", quoted: keyFormatVersions)
    list.attributes += attributes.attributes
    return list
  }
}

extension [EncryptionKey] {
  /// Applies a tag: a key replaces the one of its format, and METHOD=NONE, `nil`, removes all keys.
  mutating func apply(_ key: EncryptionKey?) {
    guard let key else { return removeAll() }
    if let index = firstIndex(where: { $0.effectiveFormat.hasSameBytes(as: key.effectiveFormat) }) {
      self[index] = key
    } else {
      append(key)
    }
  }

  /// The tags that change these keys into others; a `nil` among them is METHOD=NONE.
  func tags(leadingTo keys: [EncryptionKey]) -> [EncryptionKey?] {
    var (result, changed) = (self, [EncryptionKey?]())
    for key in keys where !contains(key) {
      result.apply(key)
      changed.append(key)
    }
    return result == keys ? changed : [nil] + keys.map { .some($0) }
  }
}
