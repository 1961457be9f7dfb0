import Basics
import EventReading
import EventSchedule
import GameEvents
import ID3
import TestSupport
import Testing

/// Tags between the frames of packed audio.
@Suite struct PackedAudioTests {
  /// A kind of frame, the bytes of one of them, and how long it lasts in ticks times 48.
  struct Sound: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var frame: [UInt8]
    /// Samples of a frame, and samples a second.
    var samples: Int64
    var rate: Int64

    /// The time of a number of frames from the first on, to the tick below.
    func time(_ frames: Int64) -> Int64 { frames * samples * 90_000 / rate }
  }

  static func frame(_ header: [UInt8], size: Int) -> [UInt8] {
    header + (header.count..<size).map { UInt8(truncatingIfNeeded: $0) & 0x7F }
  }

  static let sounds: [Sound] = [
    // 100 bytes at 48 kHz, and two blocks of 44.1 kHz in a frame of 1,000 bytes.
    Sound(testDescription: "AAC", frame: frame([0xFF, 0xF1, 0x4C, 0x80, 0x0C, 0x9F, 0xFC], size: 100), samples: 1_024, rate: 48_000),
    Sound(
      testDescription: "AAC, two blocks", frame: frame([0xFF, 0xF1, 0x50, 0x80, 0x7D, 0x1F, 0xFD], size: 1_000), samples: 2_048,
      rate: 44_100),
    // 128 kbit/s at 44.1 kHz, without and with padding; MPEG-2 with 64 kbit/s at 24 kHz.
    Sound(testDescription: "MP3", frame: frame([0xFF, 0xFB, 0x90, 0x00], size: 417), samples: 1_152, rate: 44_100),
    Sound(testDescription: "MP3 with padding", frame: frame([0xFF, 0xFB, 0x92, 0x00], size: 418), samples: 1_152, rate: 44_100),
    // 192 kbit/s at 48 kHz, 44.1 kHz (a word more in every other frame) and 32 kHz; E-AC-3 with six blocks, and one block at 24 kHz.
    Sound(testDescription: "AC-3", frame: frame([0x0B, 0x77, 0x12, 0x34, 0x14, 0x40], size: 768), samples: 1_536, rate: 48_000),
    Sound(
      testDescription: "AC-3 at 44.1 kHz", frame: frame([0x0B, 0x77, 0x12, 0x34, 0x54, 0x40], size: 834), samples: 1_536, rate: 44_100),
    Sound(testDescription: "AC-3, odd", frame: frame([0x0B, 0x77, 0x12, 0x34, 0x55, 0x40], size: 836), samples: 1_536, rate: 44_100),
    Sound(
      testDescription: "AC-3 at 32 kHz", frame: frame([0x0B, 0x77, 0x12, 0x34, 0x94, 0x40], size: 1_152), samples: 1_536, rate: 32_000),
    Sound(testDescription: "AC-3 at 24 kHz", frame: frame([0x0B, 0x77, 0x12, 0x34, 0x14, 0x48], size: 768), samples: 1_536, rate: 24_000),
    Sound(testDescription: "E-AC-3", frame: frame([0x0B, 0x77, 0x01, 0x7F, 0x30, 0x80], size: 768), samples: 1_536, rate: 48_000),
    Sound(testDescription: "E-AC-3, one block", frame: frame([0x0B, 0x77, 0x00, 0x3F, 0x40, 0x80], size: 128), samples: 256, rate: 44_100),
    Sound(
      testDescription: "E-AC-3 at 24 kHz", frame: frame([0x0B, 0x77, 0x00, 0xFF, 0xC0, 0x80], size: 512), samples: 1_536, rate: 24_000),
    Sound(testDescription: "MP3 of MPEG-2", frame: frame([0xFF, 0xF3, 0x84, 0x00], size: 192), samples: 576, rate: 24_000),
  ]

  static func timestamp(_ ticks: UInt64, _ more: [ID3Frame] = []) -> ID3Tag {
    let data = (0..<8).map { UInt8(truncatingIfNeeded: ticks >> UInt64(56 - 8 * $0)) }
    return ID3Tag(frames: [.privateData(owner: "com.apple.streaming.transportStreamTimestamp", data: data)] + more)
  }

  static func tag(_ text: String) -> ID3Tag { ID3Tag(frames: [.text(id: "TIT2", values: [text])]) }

  static func place(_ time: Int64, from start: Int64, offset: Int, _ tag: ID3Tag) throws -> Place {
    Place(
      time: MediaTime(ticks: time), presentationTime: MediaTime(ticks: start + time), videoTime: MediaTime(ticks: time),
      carriage: .packedAudio, offset: offset,
      byteCount: try tag.encode().count)
  }

  @Test(arguments: sounds, [nil, 1, 7, 188] as [Int?]) func tagsBetweenFrames(sound: Sound, chunk: Int?) throws {
    let event = SampleGame.short(at: sound.time(40)).event
    // The clock wraps between the two segments.
    let start = (Int64(1) << 33) - sound.time(30)
    var bytes = try Self.timestamp(UInt64(start)).encode()
    for _ in 0..<10 { bytes += sound.frame }
    let first = bytes.count
    bytes += try Self.tag("one").encode()
    for _ in 0..<20 { bytes += sound.frame }
    bytes += try Self.timestamp(0).encode()
    for _ in 0..<10 { bytes += sound.frame }
    let second = bytes.count
    bytes += try EventCopy(of: event).tag.encode() + sound.frame
    var reader = EventReader()
    var items: [StreamItem] = []
    for position in stride(from: 0, to: bytes.count, by: chunk ?? bytes.count) {
      items += try reader.push(bytes.span.extracting(position..<min(position + (chunk ?? bytes.count), bytes.count)))
    }
    items += try reader.finish()
    // The first segment's times count from its start, the second one's from the wrap.
    let zero = (Int64(1) << 33) + sound.time(10) - sound.time(40)
    let places = [
      Place(
        time: MediaTime(ticks: start + sound.time(10) - start), presentationTime: MediaTime(ticks: start + sound.time(10)),
        videoTime: MediaTime(ticks: sound.time(10)),
        carriage: .packedAudio, offset: first, byteCount: try Self.tag("one").encode().count),
      Place(
        time: MediaTime(ticks: sound.time(40)), presentationTime: MediaTime(ticks: zero + sound.time(40)),
        videoTime: MediaTime(ticks: zero + sound.time(40) - start), carriage: .packedAudio,
        offset: second, byteCount: try EventCopy(of: event).tag.encode().count),
    ]
    #expect(items == [.tag(Self.tag("one"), places[0]), .copy(EventCopy(of: event), places[1])])
    #expect(reader.container == .packedAudio && reader.byteCount == bytes.count)
    #expect(reader.videoOrigin == MediaTime(ticks: start))
    #expect(reader.timelineOrigin == MediaTime(ticks: zero))
    #expect(reader.end == MediaTime(ticks: (Int64(1) << 33) + sound.time(11) - zero))
  }

  @Test func theFirstTagMayHoldAnEvent() throws {
    let copy = EventCopy(of: SampleGame.short(at: 0).event)
    let tag = Self.timestamp(900_000, copy.tag.frames)
    let bytes = try tag.encode() + Self.sounds[0].frame
    #expect(try read(bytes) == [.copy(copy, Self.place(0, from: 900_000, offset: 0, tag))])
  }

  /// A frame of E-AC-3 that only adds channels takes no time.
  @Test func furtherChannelsTakeNoTime() throws {
    let frame = Self.sounds.first { $0.testDescription == "E-AC-3" }?.frame ?? []
    var (further, second) = (frame, frame)
    further[2] |= 0x40
    second[2] |= 0x08
    let start = try Self.timestamp(0).encode() + frame + further + second + frame
    let tag = Self.tag("x")
    #expect(try read(start + tag.encode()) == [.tag(tag, Self.place(2 * 2_880, from: 0, offset: start.count, tag))])
  }

  @Test(
    arguments: [
      [0x0B, 0x77, 0, 0, 0xC0, 0x40], [0x0B, 0x77, 0, 0, 0x26, 0x40], [0x0B, 0x77, 0xC1, 0x7F, 0x30, 0x80], [0x0B, 0x77, 0, 1, 0x30, 0x80],
      [0x0B, 0x77, 0x01, 0x7F, 0xF0, 0x80], [0x0B, 0x77, 0x01, 0x7F, 0x30, 0x88],
    ] as [[UInt8]]) func reservedValuesAreNoFrame(header: [UInt8]) throws
  {
    let bytes = try Self.timestamp(0).encode() + header + [UInt8](repeating: 0, count: 10)
    #expect(try read(bytes).damages.count == 1)
  }

  /// Segments are missing: the tag behind them tells where the stream is.
  @Test func anEventBehindALongGap() throws {
    let copy = EventCopy(of: SampleGame.short(at: 1_800_000).event)
    let tag = Self.timestamp(1_800_000, copy.tag.frames)
    let before = try Self.timestamp(0).encode() + Self.sounds[0].frame
    let bytes = try before + tag.encode() + Self.sounds[0].frame
    #expect(try read(bytes) == [.copy(copy, Self.place(1_800_000, from: 0, offset: before.count, tag))])
  }

  @Test func foreignBytesAreReported() throws {
    let start = try Self.timestamp(900_000).encode()
    let frame = Self.sounds[0].frame
    let bytes = start + frame + [UInt8](repeating: 0, count: 30) + frame + (try Self.tag("next").encode()) + [1, 2, 3]
    let offset = start.count + 30 + 2 * frame.count
    #expect(
      try read(bytes) == [
        .damage(Damage(offset: start.count + frame.count, reason: "30 bytes that belong to no frame and no tag")),
        .tag(Self.tag("next"), Self.place(3_840, from: 900_000, offset: offset, Self.tag("next"))),
        .damage(Damage(offset: bytes.count - 3, reason: "3 bytes that belong to no frame and no tag")),
      ])
  }

  @Test func cutAtEveryLength() throws {
    let start = try Self.timestamp(900_000).encode()
    let tag = try Self.tag("one").encode()
    let bytes = start + Self.sounds[0].frame + tag + Self.sounds[0].frame
    for count in start.count..<bytes.count {
      let items = try read(Array(bytes[..<count]))
      #expect(items.tags.count == (count >= start.count + 100 + tag.count ? 1 : 0))
      #expect(items.damages.count == ([start.count, start.count + 100, start.count + 100 + tag.count].contains(count) ? 0 : 1))
    }
  }

  /// A tag of 2 MiB is skipped; what follows it is read.
  @Test func tagsAreBounded() throws {
    let large = try ID3Tag(frames: [.privateData(owner: "o", data: [UInt8](repeating: 0xFF, count: 2 << 20))]).encode()
    let start = try Self.timestamp(0).encode()
    let items = try read(start + large + Self.sounds[0].frame + (try Self.tag("next").encode()))
    #expect(items.damages == [Damage(offset: start.count, reason: "ID3 tag is larger than 1048576 bytes")])
    #expect(items.tags.map(\.tag) == [Self.tag("next")])
  }
}
