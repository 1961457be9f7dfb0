import Basics

// Equality by the bytes of texts: resources whose URIs differ in their bytes are different ones, even if Unicode calls the URIs equivalent.

extension AttributeValue {
  /// Whether both have the same kind and the same bytes.
  package static func == (left: Self, right: Self) -> Bool {
    left.quotedText.hasSameBytes(as: right.quotedText) && left.unquotedText.hasSameBytes(as: right.unquotedText)
  }
}

extension Attribute {
  /// Whether names and values have the same bytes.
  package static func == (left: Self, right: Self) -> Bool { left.name.hasSameBytes(as: right.name) && left.value == right.value }
}

extension EncryptionKey {
  /// Whether both are equal; texts are compared by their bytes.
  package static func == (left: Self, right: Self) -> Bool {
    left.method.rawValue.hasSameBytes(as: right.method.rawValue) && left.uri.hasSameBytes(as: right.uri)
      && left.initializationVector == right.initializationVector && left.keyFormat.hasSameBytes(as: right.keyFormat)
      && left.keyFormatVersions.hasSameBytes(as: right.keyFormatVersions) && left.attributes == right.attributes
  }
}

extension InitializationSegment {
  /// Whether both are equal; texts are compared by their bytes.
  package static func == (left: Self, right: Self) -> Bool {
    left.uri.hasSameBytes(as: right.uri) && left.byteRange == right.byteRange && left.keys == right.keys
      && left.attributes == right.attributes
  }
}

extension MediaSegment {
  /// Whether both are equal; texts are compared by their bytes.
  package static func == (left: Self, right: Self) -> Bool {
    left.uri.hasSameBytes(as: right.uri) && left.duration == right.duration && left.title.hasSameBytes(as: right.title)
      && left.byteRange == right.byteRange && left.isDiscontinuous == right.isDiscontinuous && left.isGap == right.isGap
      && left.keys == right.keys && left.initializationSegment == right.initializationSegment
      && left.programDateTime == right.programDateTime
      && left.dateRanges == right.dateRanges && left.bitrate == right.bitrate
      && left.unknownTags.elementsEqual(right.unknownTags) { $0.hasSameBytes(as: $1) }
  }
}
