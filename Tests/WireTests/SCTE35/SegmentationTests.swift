import Basics
import SCTE35
import Testing

@Suite struct SegmentationTests {
  @Test func typesHaveNames() {
    let names = [0x00, 0x13, 0x22, 0x23, 0x30, 0x37, 0x3B, 0x45, 0x51, 0x60, 0xFF].map { SegmentationType(rawValue: $0).name }
    #expect(
      names == [
        "not indicated", "program breakaway", "break start", "break end", "provider advertisement start",
        "distributor placement opportunity end", "distributor overlay placement opportunity end", "provider ad block end", "network end",
        nil, nil,
      ])
  }

  @Test func breaksStartAndEnd() {
    let breaks = (UInt8.min...UInt8.max).filter { SegmentationType(rawValue: $0).isBreak }
    #expect(breaks == [0x22, 0x23, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x44, 0x45, 0x46, 0x47])
    #expect(
      [0x10, 0x11, 0x12, 0x20, 0x21, 0x01, 0x60].map { SegmentationType(rawValue: $0).isStart } == [
        true, false, nil, true, false, nil, nil,
      ])
  }

  @Test func upidsAreText() {
    func text(_ type: UInt8, _ upid: [UInt8]) -> String {
      SegmentationDescriptor.Segment(SegmentationType(rawValue: 1), upidType: type, upid: upid).upidText
    }
    #expect(text(3, Array("ABCD0001000H".utf8)) == "ABCD0001000H")
    #expect(text(3, [0x41, 0]) == "0x4100")
    #expect(text(8, [0, 0, 0, 0, 0x2C, 0xA0, 0xA1, 0x8A]) == "0x000000002ca0a18a")
    #expect(text(0, []) == "")
  }

  /// Components are passed over, and so are the fields of sub-segments.
  @Test func readsComponentsAndSubSegments() throws {
    let data: [UInt8] = [0, 0, 0, 7, 0x7F, 0x3F, 1, 1, 0xFE, 0, 0, 0, 0, 0x00, 0x00, 0x30, 1, 4, 2, 3]
    let segment = SegmentationDescriptor.Segment(SegmentationType(rawValue: 0x30), number: 1, expected: 4)
    #expect(try SegmentationDescriptor(SpliceDescriptor(tag: 2, data: data)) == SegmentationDescriptor(eventID: 7, segment))
    for count in 0..<18 {
      #expect(throws: ParseError.self) { try SegmentationDescriptor(SpliceDescriptor(tag: 2, data: Array(data.prefix(count)))) }
    }
    #expect(throws: ParseError.self) { try SegmentationDescriptor(SpliceDescriptor(tag: 1, data: data)) }
  }
}
