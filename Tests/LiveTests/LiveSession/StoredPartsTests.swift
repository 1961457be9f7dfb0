import LiveHLS
import Testing

@testable import LiveSession

/// The parts of segments in memory.
@Suite struct StoredPartsTests {
  private static let bytes: [UInt8] = Array(0..<60)

  private static func part(_ segment: Int, _ number: Int, _ bytes: some Sequence<UInt8>) -> SegmentFile {
    SegmentFile(name: "show-\(segment)-v1.\(number).m4s", bytes: Array(bytes))
  }

  /// A segment whose parts are there, and a part of the next one.
  private static var parts: StoredParts {
    var parts = StoredParts()
    parts.add([part(7, 0, bytes[..<20]), part(7, 1, bytes[20..<50]), part(7, 2, bytes[50...]), part(8, 0, [1, 2, 3])])
    return parts
  }

  /// The parts of a complete segment are the same bytes, and take no memory of their own.
  @Test func sharing() {
    var parts = Self.parts
    #expect(parts.byteCount == 63)
    parts.join(SegmentFile(name: "show-7-v1.m4s", bytes: Self.bytes))
    #expect(parts.byteCount == 3)
    #expect(parts["show-7-v1.0.m4s"].map(Array.init) == Array(Self.bytes[..<20]))
    #expect(parts["show-7-v1.1.m4s"].map(Array.init) == Array(Self.bytes[20..<50]))
    #expect(parts["show-7-v1.2.m4s"].map(Array.init) == Array(Self.bytes[50...]))
    parts.remove(["show-7-v1.1.m4s", "show-8-v1.0.m4s"])
    #expect(parts["show-7-v1.1.m4s"] == nil && parts["show-8-v1.0.m4s"] == nil && parts["show-7-v1.2.m4s"]?.count == 10)
    #expect(parts.byteCount == 0)
  }

  /// Parts that a segment does not consist of stay what clients were told.
  @Test func otherBytes() {
    var parts = Self.parts
    var other = Self.bytes
    other[30] = 0
    parts.join(SegmentFile(name: "show-7-v1.m4s", bytes: other))
    #expect(parts.byteCount == 43)
    #expect(parts["show-7-v1.1.m4s"].map(Array.init) == Array(Self.bytes[20..<50]))
    parts.join(SegmentFile(name: "show-7-v1.m4s", bytes: Array(Self.bytes[..<30])))
    #expect(parts["show-7-v1.1.m4s"].map(Array.init) == Array(Self.bytes[20..<50]))
    #expect(parts["show-7-v1.2.m4s"].map(Array.init) == Array(Self.bytes[50...]))
  }
}
