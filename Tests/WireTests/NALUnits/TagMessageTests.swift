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
  // MARK: Editing

  /// Emulation prevention, as in ISO/IEC 14496-10, 7.4.1.
  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.reduce(into: []) { escaped, byte in
      if byte <= 3, escaped.count > 1, escaped.suffix(2).allSatisfy({ $0 == 0 }) { escaped.append(3) }
      escaped.append(byte)
    }
  }

  /// A NAL unit of these messages, each without emulation prevention.
  private static func unit(_ messages: [[UInt8]], _ codec: NALUnitCodec, end: [UInt8] = [0x80]) -> [UInt8] {
    TagMessage.unit([], codec).dropLast() + escaped(messages.flatMap { $0 } + end)
  }

  private static func plain(_ message: TagMessage) -> [UInt8] {
    EmulationPrevention.removed(from: TagMessage.unit([message], .h264).span.extracting(droppingFirst: 1)).dropLast()
  }

  /// Messages of others stay byte for byte, whatever lies in front of them now.
  @Test(arguments: codecs) func editing(codec: NALUnitCodec) {
    let foreign: [[UInt8]] = [[5, 19] + [UInt8](repeating: 0, count: 19), [1, 3, 1, 2, 3]]
    let (first, second) = (TagMessage(delay: 0, tag: Self.tag(20)), TagMessage(delay: -1, tag: Self.tag(300)))
    #expect(Self.unit([Self.plain(first), Self.plain(second)], codec) == TagMessage.unit([first, second], codec))
    let unit = Self.unit([foreign[0], Self.plain(first), foreign[1], Self.plain(second)], codec)
    func edited(_ unit: [UInt8], _ edit: ([UInt8]) -> [UInt8]?) -> [UInt8]? { TagMessage.editing(unit.span, codec, edit) }
    #expect(edited(unit) { _ in nil } == nil)
    #expect(edited(unit) { _ in [] } == Self.unit(foreign, codec))
    #expect(edited(unit + [0, 0]) { _ in [] } == Self.unit(foreign, codec))
    #expect(edited(unit) { $0 == first.tag ? [] : nil } == Self.unit([foreign[0], foreign[1], Self.plain(second)], codec))
    let other = TagMessage(delay: 0, tag: [0, 0, 9])
    #expect(edited(unit) { $0 == first.tag ? other.tag : [] } == Self.unit([foreign[0], Self.plain(other), foreign[1]], codec))
    #expect(edited(TagMessage.unit([first, second], codec)) { _ in [] } == [])
    #expect(edited(TagMessage.unit([first, second], codec)) { $0 == second.tag ? [] : nil } == TagMessage.unit([first], codec))
    #expect(edited(Self.unit(foreign, codec)) { _ in [] } == nil)
    // A message of 200 bytes of which two are there.
    let cut: [UInt8] = [5, 200, 1, 2]
    #expect(edited(Self.unit([Self.plain(first), cut], codec)) { _ in [] } == Self.unit([cut], codec))
    #expect(edited(Self.unit([cut, Self.plain(first)], codec)) { _ in [] } == nil)
  }

  @Test(arguments: codecs) func editingWhatIsCutOff(codec: NALUnitCodec) {
    let unit = TagMessage.unit((1...3).map { TagMessage(delay: Int32($0), tag: Self.tag(40 * $0)) }, codec)
    for count in 0..<unit.count {
      let span = unit.span.extracting(..<count)
      let found = TagMessage.messages(in: span, codec)
      let edited = TagMessage.editing(span, codec) { _ in [] }
      #expect((edited == nil) == found.isEmpty)
      if let edited { #expect(TagMessage.messages(in: edited.span, codec) == []) }
    }
  }
}
