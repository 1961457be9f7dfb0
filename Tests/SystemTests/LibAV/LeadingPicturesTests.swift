import Testing

@testable import LibAV

@Suite("Leading pictures of the first key frame")
struct LeadingPicturesTests {
  /// A start code and a NAL unit or a part of MPEG video that begins with these bytes.
  private static func coded(_ units: [UInt8]...) -> [UInt8] { units.flatMap { [0, 0, 1] + $0 + [0x80] } }

  /// NAL units with lengths of four bytes.
  private static func prefixed(_ units: [UInt8]...) -> [UInt8] { units.flatMap { [0, 0, 0, UInt8($0.count)] + $0 } }

  private static let avcC: [UInt8] = [1, 0x64, 0, 0x1F, 0xFF, 0xE1]
  private static let hvcC: [UInt8] = [1] + [UInt8](repeating: 0, count: 20) + [3, 0]

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var codec: String
    var extradata: [UInt8] = []
    var packet: [UInt8]
    var expected: Bool
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "H.264, IDR", codec: "h264", packet: coded([0x09, 0xF0], [0x67], [0x68], [0x65, 0x88]), expected: false),
    Case(name: "H.264, recovery point", codec: "h264", packet: coded([0x09, 0xF0], [0x06, 6], [0x41, 0x9A]), expected: true),
    Case(name: "H.264 of MP4, IDR", codec: "h264", extradata: avcC, packet: prefixed([0x06, 5], [0x65, 0x88]), expected: false),
    Case(name: "H.264 of MP4, recovery point", codec: "h264", extradata: avcC, packet: prefixed([0x06, 6], [0x41, 0x9A]), expected: true),
    Case(name: "HEVC, CRA", codec: "hevc", packet: coded([0x46, 1], [0x40, 1], [0x42, 1], [0x44, 1], [42, 1]), expected: true),
    Case(name: "HEVC, BLA with leading pictures", codec: "hevc", packet: coded([32, 1]), expected: true),
    Case(name: "HEVC, IDR with decodable ones", codec: "hevc", packet: coded([0x40, 1], [38, 1]), expected: false),
    Case(name: "HEVC, IDR without", codec: "hevc", packet: coded([40, 1]), expected: false),
    Case(name: "HEVC of MP4, CRA", codec: "hevc", extradata: hvcC, packet: prefixed([0x4E, 1], [42, 1]), expected: true),
    Case(name: "MPEG-2, open", codec: "mpeg2video", packet: coded([0xB3, 1], [0xB8, 0, 8, 0, 0x00], [0, 0]), expected: true),
    Case(name: "MPEG-2, closed", codec: "mpeg2video", packet: coded([0xB3, 1], [0xB8, 0, 8, 0, 0x40], [0, 0]), expected: false),
    Case(name: "MPEG-2 without a group's header", codec: "mpeg2video", packet: coded([0, 0, 8]), expected: true),
    Case(name: "VP9", codec: "vp9", packet: [0x82, 0x49], expected: false),
  ]

  @Test("Whether they need frames before it", arguments: cases)
  func needFramesBefore(given: Case) {
    #expect(LeadingPictures.needFramesBefore(given.packet.span, codec: given.codec, extradata: given.extradata) == given.expected)
  }

  @Test("Whatever is cut off is read up to its end", arguments: cases)
  func cutOff(given: Case) {
    for count in 0..<given.packet.count {
      let cut = Array(given.packet.prefix(count))
      let need = LeadingPictures.needFramesBefore(cut.span, codec: given.codec, extradata: given.extradata)
      // Without the header of its group, MPEG video counts as open.
      #expect(!need || given.expected || given.codec == "mpeg2video")
    }
  }
}
