import LiveHLS

/// The parts of segments that clients of low-latency HLS may load. Once their segment is complete, they share its memory.
struct StoredParts: Sendable {
  private var contents: [String: ArraySlice<UInt8>] = [:]
  /// The names of those whose segment is not complete.
  private var alone: Set<String> = []

  /// The bytes of a part; `nil` if there is none of this name.
  subscript(name: String) -> ArraySlice<UInt8>? { contents[name] }

  /// The number of bytes that are in no complete segment.
  var byteCount: Int { alone.reduce(0) { $0 + (contents[$1]?.count ?? 0) } }

  /// Adds parts of a segment that is not complete.
  mutating func add(_ parts: [SegmentFile]) {
    for part in parts {
      contents[part.name] = part.bytes[...]
      alone.insert(part.name)
    }
  }

  /// Lets the parts of a segment share its memory, if the segment consists of them.
  mutating func join(_ segment: SegmentFile) {
    var (number, offset) = (0, 0)
    while true {
      let name = segment.name(ofPart: number)
      guard let part = contents[name] else { return }
      // A segment that another node has written may have other bytes.
      let shared = segment.bytes[offset...].prefix(part.count)
      guard shared == part else { return }
      contents[name] = shared
      alone.remove(name)
      (number, offset) = (number + 1, offset + part.count)
    }
  }

  /// Removes parts that clients may no longer load.
  mutating func remove(_ names: [String]) {
    for name in names {
      contents[name] = nil
      alone.remove(name)
    }
  }
}
