import NALUnits
import Testing

@Suite struct TagMessageTests {
  static let codecs: [NALUnitCodec] = [.h264, .hevc]

  /// A tag of a number of bytes, with runs of zeros that have to be escaped.
  static func tag(_ count: Int) -> [UInt8] { (0..<count).map { $0 % 7 < 5 ? 0 : UInt8(truncatingIfNeeded: $0 % 4) } }

  @Test func bytes() {
    let message = TagMessage(delay: -2, tag: [0x49, 0, 0, 1, 0, 0, 0, 0xFF])
    let payload: [UInt8] =
      [5, 28] + TagMessage.uuid + [0xFF, 0xFF, 0xFF, 0xFE, 0x49, 0, 0, 3, 1, 0, 0, 3, 0, 0xFF, 0x80]
    #expect(TagMessage.unit([message], .h264) == [6] + payload)
    #expect(TagMessage.unit([message], .hevc) == [0x4E, 1] + payload)
  }

  /// The size of a message has another byte from each multiple of 255 on.
  @Test(arguments: codecs, [1, 2, 3, 234, 235, 236, 489, 490, 1_024, 65_527]) func sizes(codec: NALUnitCodec, count: Int) {
    let messages = [TagMessage(delay: 0, tag: Self.tag(count)), TagMessage(delay: .min, tag: Self.tag(count + 1))]
    let unit = TagMessage.unit(messages, codec)
    #expect(TagMessage.messages(in: unit.span, codec) == messages)
    // Nothing in it can be taken for a start code, and zero bytes behind it belong to the next one.
    #expect(!unit.indices.dropLast(2).contains { unit[$0] == 0 && unit[$0 + 1] == 0 && unit[$0 + 2] < 3 })
    #expect(unit.last == 0x80)
    #expect(TagMessage.messages(in: (unit + [0, 0]).span, codec) == messages)
  }

  @Test func otherMessages() {
    let ours = TagMessage(delay: 7, tag: [1, 2, 3])
    let unit = TagMessage.unit([ours], .h264).dropFirst().dropLast()
    // A buffering period, user data of somebody else, ours, and a type and a size that take two bytes.
    let foreign: [UInt8] = [0, 2, 0xAA, 0xBB, 5, 17] + [UInt8](repeating: 9, count: 17)
    let large: [UInt8] = [0xFF, 4, 0xFF, 1] + [UInt8](repeating: 8, count: 256)
    let messages = TagMessage.messages(in: ([6] + foreign + unit + large + unit + [0x80]).span, .h264)
    #expect(messages == [ours, ours])
  }

  @Test(arguments: codecs) func cutAtEveryLength(codec: NALUnitCodec) {
    let messages = (1...3).map { TagMessage(delay: Int32($0), tag: Self.tag(40 * $0)) }
    let unit = TagMessage.unit(messages, codec)
    for count in 0..<unit.count {
      let found = TagMessage.messages(in: unit.span.extracting(..<count), codec)
      // What is left of one is none, but for its last byte: that could be the end of the unit.
      #expect(found.count < 3 || count >= unit.count - 1)
      #expect(Array(messages.prefix(found.count)) == found)
    }
  }
}
