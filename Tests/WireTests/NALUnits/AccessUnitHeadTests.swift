import NALUnits
import Testing

@Suite struct AccessUnitHeadTests {
  static let tags = [TagMessage(delay: 0, tag: [0x49, 0, 0, 0, 1]), TagMessage(delay: 9, tag: [7])]
  static let message = TagMessage.unit(tags, .h264)
  static let hevcMessage = TagMessage.unit(tags, .hevc)

  /// The NAL units in front of a slice, behind start codes.
  static let stream: [UInt8] =
    [0, 0, 0, 1, 9, 0xF0, 0, 0, 0, 1, 0x67, 0x42, 0x10, 0, 0, 1, 0x68, 0xCE] + [0, 0, 1] + message + [0, 0, 0, 1]
  static let hevcStream: [UInt8] = [0, 0, 0, 1, 0x46, 1, 0x50, 0, 0, 1] + hevcMessage + [0, 0, 1, 0x40, 1, 0x0C] + [0, 0, 1]
  /// The same behind lengths of two bytes.
  static let sample: [UInt8] = [0, 2, 9, 0xF0, 0, 0, 0, 2, 0x68, 0xCE, 0, UInt8(message.count)] + message

  static func read(_ bytes: [UInt8], _ codec: NALUnitCodec, _ framing: AccessUnitHead.Framing, pieces size: Int) -> (
    AccessUnitHead.Progress, [TagMessage]
  ) {
    var head = AccessUnitHead(codec, framing)
    var progress = AccessUnitHead.Progress.incomplete
    for start in stride(from: 0, to: bytes.count, by: size) where progress == .incomplete {
      progress = head.push(bytes.span.extracting(start..<min(start + size, bytes.count)))
    }
    return (progress, head.tags)
  }

  @Test(arguments: [1, 2, 3, 5, 7, 184, 10_000]) func anyPieces(size: Int) {
    // The start code of a slice is the last three bytes in front of its header.
    let slice = Self.stream + [0x65, 0x88, 0x84, 0, 0, 1, 0x65, 0x88]
    #expect(Self.read(slice, .h264, .startCodes, pieces: size) == (.found(slice: Self.stream.count - 3, startsPicture: true), Self.tags))
    let hevc = Self.hevcStream + [0x26, 1, 0xAF, 1, 2]
    #expect(Self.read(hevc, .hevc, .startCodes, pieces: size) == (.found(slice: Self.hevcStream.count - 3, startsPicture: true), Self.tags))
    let sample = Self.sample + [0, 3, 0x65, 0x88, 0x84]
    #expect(Self.read(sample, .h264, .lengths(2), pieces: size) == (.found(slice: Self.sample.count, startsPicture: true), Self.tags))
  }

  @Test func whereMessagesHaveNoPlace() {
    // Another slice of a picture, a stream that begins within a NAL unit, and a length without a slice behind it.
    #expect(
      Self.read(Self.stream + [0x65, 0x08], .h264, .startCodes, pieces: 99).0 == .found(slice: Self.stream.count - 3, startsPicture: false))
    #expect(
      Self.read([0x55] + Self.stream + [0x65, 0x88], .h264, .startCodes, pieces: 99).0
        == .found(slice: Self.stream.count - 2, startsPicture: false))
    #expect(
      Self.read(Self.hevcStream + [2, 1, 0x2F], .hevc, .startCodes, pieces: 99).0
        == .found(slice: Self.hevcStream.count - 3, startsPicture: false))
    #expect(Self.read(Self.sample, .h264, .lengths(2), pieces: 99).0 == .incomplete)
    #expect(Self.read([0xFF, 0xFF, 0xFF, 0xFF] + Self.sample, .h264, .lengths(4), pieces: 99).0 == .none)
    // A prefix of a scalable stream belongs to the slice behind it (ISO/IEC 14496-10, Annex F).
    #expect(Self.read([0, 0, 1, 9, 0xF0, 0, 0, 1, 0x6E, 0, 0], .h264, .startCodes, pieces: 99).0 == .found(slice: 5, startsPicture: true))
  }

  @Test func cutAtEveryLength() {
    let whole = Self.stream + [0x65, 0x88]
    for count in 0..<whole.count { #expect(Self.read(Array(whole[..<count]), .h264, .startCodes, pieces: 50).0 == .incomplete) }
    let sample = Self.sample + [0, 3, 0x65, 0x88]
    for count in 0..<sample.count { #expect(Self.read(Array(sample[..<count]), .h264, .lengths(2), pieces: 50).0 == .incomplete) }
  }

  @Test func keepsNoMoreThanItMay() {
    var head = AccessUnitHead(.h264, .startCodes)
    let filler = [UInt8](repeating: 0xFF, count: 10_000)
    var steps: [AccessUnitHead.Progress] = []
    for _ in 0..<7 { steps.append(head.push(filler.span)) }
    #expect(steps == [.incomplete, .incomplete, .incomplete, .incomplete, .incomplete, .incomplete, .none])
    #expect(head.bytes.count == AccessUnitHead.largest)
    // A NAL unit that would be larger than that is not waited for.
    var sample = AccessUnitHead(.h264, .lengths(4))
    #expect(sample.push([0, 1, 0, 0, 6, 5, 0] as [UInt8]) == .none)
  }
}

extension AccessUnitHead {
  fileprivate mutating func push(_ bytes: [UInt8]) -> Progress { push(bytes.span) }
}
