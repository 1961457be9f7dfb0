import ID3

extension StreamItem {
  /// Whether the item is a tag without events that has the same frames as a tag of these bytes.
  package func isTag(_ bytes: [UInt8]) -> Bool {
    guard case .tag(let tag, _) = self, let other = try? ID3Tag.decode(bytes) else { return false }
    return tag.frames == other.frames
  }

  /// The bytes of a tag without events, as ID3v2.4; `nil` for anything else, and for a tag that ID3v2.4 cannot hold.
  package var tagBytes: [UInt8]? {
    guard case .tag(let tag, _) = self else { return nil }
    return try? tag.encode()
  }
}
