/// The Media Initialization Section of segments, for example the `moov` of fragmented MP4 (RFC 8216bis, 4.4.4.5).
package struct InitializationSegment: Equatable, Sendable {
  /// Where it is.
  package var uri: String
  /// The byte range of the resource; `nil` for all of it.
  package var byteRange: ByteRange?
  /// The keys that it is encrypted with: those that apply at the tag, which can differ from those of its segments.
  package var keys: [EncryptionKey]
  /// Other attributes, in their order.
  package var attributes: AttributeList

  /// An initialization segment.
  package init(uri: String, byteRange: ByteRange? = nil, keys: [EncryptionKey] = [], attributes: AttributeList = AttributeList()) {
    (self.uri, self.byteRange, self.keys, self.attributes) = (uri, byteRange, keys, attributes)
  }
}

extension InitializationSegment {
  /// Reads the tag's attributes.
  init(_ line: PlaylistLine, keys: [EncryptionKey], variables: inout VariableScope) throws(PlaylistError) {
    var reader = try AttributeReader(line, isNeeded: true, variables: &variables)
    uri = try reader.require("URI", try reader.string("URI"))
    byteRange = try reader.byteRange("BYTERANGE")
    self.keys = keys
    attributes = reader.finish(&variables)
  }

  /// The attributes of the tag.
  var attributeList: AttributeList {
    var list = AttributeList([Attribute("URI", .quoted(uri))])
    list.add("BYTERANGE", quoted: byteRange?.text)
    list.attributes += attributes.attributes
    return list
  }
}
