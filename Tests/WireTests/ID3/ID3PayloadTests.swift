import Testing

@testable import ID3

/// Tags that lie one behind the other, with what writers put between them.
@Suite struct ID3PayloadTests {
  static func tag(_ text: String) throws -> [UInt8] { try ID3Tag(frames: [.text(id: "TIT2", values: [text])]).encode() }

  @Test func paddingBetweenTags() throws {
    let (first, second) = (try Self.tag("first"), try Self.tag("second"))
    let bytes = first + [0, 0, 0xFF] + second + second + [0xFF, 0xFF]
    let payload = ID3Payload(bytes.span)
    #expect(payload.tags.map(\.bytes) == [first, second, second])
    #expect(payload.tags.map(\.isRepeat) == [false, false, true])
    #expect(payload.tags.map(\.range.lowerBound) == [0, first.count + 3, first.count + 3 + second.count])
    #expect(payload.rest == bytes.count - 2..<bytes.count && payload.isStuffed && payload.cutLength == nil)
    // Padding with something else behind it is the rest.
    let other = first + [0, 0, 1]
    #expect(ID3Payload(other.span).rest == first.count..<other.count && !ID3Payload(other.span).isStuffed)
    let cut = first + [0] + second.dropLast()
    #expect(ID3Payload(cut.span).rest == first.count + 1..<cut.count && ID3Payload(cut.span).cutLength == second.count)
  }

  /// The header of a metadata_AU_cell belongs to its tag.
  @Test func cells() throws {
    let tag = try Self.tag("in a cell")
    let cell: [UInt8] = [0, 0, 0xC0, 0, UInt8(tag.count)]
    let bytes = cell + tag + cell + tag
    let payload = ID3Payload(bytes.span)
    #expect(payload.tags.map(\.bytes) == [tag, tag] && payload.tags.map(\.cellHeaderCount) == [5, 5])
    #expect(payload.tags.map(\.range) == [0..<5 + tag.count, 5 + tag.count..<bytes.count] && payload.rest.isEmpty)
  }

  @Test(arguments: [5, 10]) func missingBytes(count: Int) throws {
    let tag = try Self.tag("cut")
    let payload = ID3Payload(Array(tag.dropFirst(count)).span)
    #expect(payload.tags.map(\.bytes) == [tag] && payload.tags.map(\.missingCount) == [count] && payload.rest.isEmpty)
  }
}
