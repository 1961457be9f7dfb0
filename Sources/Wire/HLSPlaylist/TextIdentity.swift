// Equality of what is told apart by its text: two resources whose URIs differ in their bytes are two.

extension String {
  /// Whether both have the same UTF-8 bytes. `==` compares by canonical equivalence, which would take two URIs for one.
  func hasSameBytes(as other: String) -> Bool {
    let (utf8, otherUTF8) = (self.utf8, other.utf8)
    guard utf8.count == otherUTF8.count else { return false }
    let (bytes, otherBytes) = (utf8.span, otherUTF8.span)
    guard bytes.count == otherBytes.count else { return false }
    // Without a way out of the loop it takes many bytes at once.
    var difference: UInt8 = 0
    for index in 0..<bytes.count { difference |= bytes[index] ^ otherBytes[index] }
    return difference == 0
  }
}

extension String? {
  /// Whether both are texts with the same UTF-8 bytes, or neither is there.
  func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (let text?, let other?): text.hasSameBytes(as: other)
    case (nil, nil): true
    case (_?, nil), (nil, _?): false
    }
  }
}

extension AttributeValue {
  /// Whether both are of one kind and have the same bytes.
  package static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.quoted(let text), .quoted(let other)), (.unquoted(let text), .unquoted(let other)): text.hasSameBytes(as: other)
    case (.quoted, .unquoted), (.unquoted, .quoted): false
    }
  }
}

extension Attribute {
  /// Whether names and values have the same bytes.
  package static func == (left: Self, right: Self) -> Bool { left.name.hasSameBytes(as: right.name) && left.value == right.value }
}

extension EncryptionKey {
  /// Whether everything is the same, texts by their bytes.
  package static func == (left: Self, right: Self) -> Bool {
    left.method.rawValue.hasSameBytes(as: right.method.rawValue) && left.uri.hasSameBytes(as: right.uri)
      && left.initializationVector == right.initializationVector && left.keyFormat.hasSameBytes(as: right.keyFormat)
      && left.keyFormatVersions.hasSameBytes(as: right.keyFormatVersions) && left.attributes == right.attributes
  }
}

extension InitializationSegment {
  /// Whether everything is the same, texts by their bytes.
  package static func == (left: Self, right: Self) -> Bool {
    left.uri.hasSameBytes(as: right.uri) && left.byteRange == right.byteRange && left.keys == right.keys
      && left.attributes == right.attributes
  }
}

extension MediaSegment {
  /// Whether everything is the same, texts by their bytes.
  package static func == (left: Self, right: Self) -> Bool {
    left.uri.hasSameBytes(as: right.uri) && left.duration == right.duration && left.title.hasSameBytes(as: right.title)
      && left.byteRange == right.byteRange && left.isDiscontinuous == right.isDiscontinuous && left.isGap == right.isGap
      && left.keys == right.keys && left.initializationSegment == right.initializationSegment
      && left.programDateTime == right.programDateTime
      && left.dateRanges == right.dateRanges && left.bitrate == right.bitrate
      && left.unknownTags.elementsEqual(right.unknownTags) { $0.hasSameBytes(as: $1) }
  }
}
