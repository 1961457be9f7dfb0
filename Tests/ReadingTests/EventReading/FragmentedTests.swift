import Basics
import CMAF
import EventReading
import EventSchedule
import GameEvents
import ID3
import TestSupport
import Testing
import TransportStream

/// Events in the event messages of fragmented MP4.
@Suite struct FragmentedTests {
  typealias Sample = FragmentedSample

  static let chunks: [Int?] = [nil, 1, 7, 188]

  static func tag(_ text: String) -> ID3Tag { ID3Tag(frames: [.text(id: "TIT2", values: [text])]) }

  /// A game in a file of three segments, whose video starts at 10 s.
  static func game() throws -> Sample {
    var sample = Sample(zero: 900_000)
    sample.add(Sample.ftyp + Sample.moov())
    for segment in 0..<UInt64(3) {
      sample.add(Sample.styp)
      let start = 900_000 + Int64(segment) * 90_000
      for (number, planned) in SampleGame.plan().enumerated() where (start..<start + 90_000).contains(900_000 + planned.time.ticks) {
        try sample.add(EventCopy(of: planned.event).tag, at: 900_000 + planned.time.ticks, id: UInt32(number))
      }
      sample.addFragment(track: 2, decodeTicks: 480_000 + segment * 48_000, samples: 47)
      sample.addFragment(track: 1, decodeTicks: 128_000 + segment * 12_800, samples: 25)
    }
    return sample
  }

  @Test(arguments: chunks) func everyEventAtItsTime(chunk: Int?) throws {
    let sample = try Self.game()
    #expect(sample.items.count == SampleGame.plan().count)
    #expect(try read(sample.bytes, chunk: chunk) == sample.items)
  }

  @Test func whatTheReaderTells() throws {
    let sample = try Self.game()
    var reader = EventReader()
    #expect(reader.container == nil)
    _ = try reader.push(sample.bytes.span) + reader.finish()
    #expect(reader.container == .fragmentedMP4)
    #expect(reader.byteCount == sample.bytes.count)
    #expect(reader.framing == nil && reader.tables.maps.isEmpty)
    #expect([reader.videoOrigin, reader.timelineOrigin] == [MediaTime(ticks: 900_000), MediaTime(ticks: 900_000)])
    #expect(reader.end == MediaTime(seconds: 3))
  }

  /// A stream that is joined within a group of pictures starts where the first sync sample is presented.
  @Test func theZeroIsAtASyncSample() throws {
    var sample = Sample(zero: 90_000)
    sample.add(Sample.moov())
    try sample.add(Self.tag("early"), at: 45_000)
    sample.addFragment(track: 2, decodeTicks: 0, samples: 47)
    sample.addFragment(track: 1, decodeTicks: 0, samples: 25, isSync: false)
    try sample.add(Self.tag("late"), at: 99_000)
    sample.addFragment(track: 1, decodeTicks: 12_800, samples: 25)
    #expect(try read(sample.bytes) == sample.items)
  }

  @Test func soundAloneTellsTheTime() throws {
    var sample = Sample(zero: 450_000)
    sample.add(Sample.moov(["soun"]) + Sample.styp)
    try sample.add(Self.tag("first"), at: 450_001)
    sample.addFragment(track: 2, decodeTicks: 240_000, samples: 375)
    var reader = EventReader()
    #expect(try reader.push(sample.bytes.span) + reader.finish() == sample.items)
    #expect(reader.end == MediaTime(seconds: 8))
  }

  /// A segment without its initialisation: copies tell the programme's time, and else it starts at the first tag.
  @Test func segmentsAlone() throws {
    var game = Sample(zero: 5_000_000, hasPictureTime: false)
    game.add(Sample.styp)
    let event = SampleGame.short(at: 36_000)
    try game.add(Self.tag("before"), at: 5_000_001)
    try game.add(EventCopy(of: event.event).tag, at: 5_036_000)
    game.addFragment(track: 1, decodeTicks: 700_000, samples: 25)
    #expect(try read(game.bytes) == game.items)
    var tags = Sample(zero: 5_000_000, hasPictureTime: false)
    try tags.add(Self.tag("one"), at: 5_000_000)
    try tags.add(Self.tag("two"), at: 5_000_900)
    tags.add(BoxSample.moof(track: 1, decodeTicks: 0, samples: 1))
    #expect(try read(tags.bytes) == tags.items)
  }

  @Test func schemesAndVersions() throws {
    var sample = Sample(zero: 90_000)
    sample.add(Sample.moov() + Sample.styp)
    try sample.add(Self.tag("Apple's"), at: 90_100, id: 1, scheme: EventMessageBox.appleID3Scheme)
    try sample.add(Self.tag("version 0"), at: 90_500, id: 0xFFFF_FFFF, time: .afterSegmentStart(500))
    try sample.add(Self.tag("of others"), at: 90_600, scheme: "urn:scte:scte35:2013:bin")
    sample.addFragment(track: 1, decodeTicks: 12_800, samples: 25)
    #expect(sample.items.count == 2)
    #expect(try read(sample.bytes) == sample.items)
  }

  @Test func whatIsNoTagIsSaid() throws {
    var sample = Sample()
    sample.add(Sample.moov())
    let offset = sample.bytes.count
    sample.add(
      try EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: .absolute(9), id: 1, messageData: Array("no tag".utf8)).encoded())
    sample.addFragment(track: 1, decodeTicks: 0, samples: 25)
    let items = try read(sample.bytes)
    #expect(items.count == 1 && items.damages.first?.offset == offset)
    #expect(items.damages.first?.reason.hasPrefix("broken ID3 tag: ") == true)
  }

  /// A message should be one tag. Writers put padding, the same tag or further tags behind it.
  @Test func whatFollowsATagInItsMessage() throws {
    let tag = try EventCopy(of: SampleGame.plan()[0].event).tag.encode()
    let other = try EventCopy(of: SampleGame.plan()[1].event).tag.encode()
    let title = try Self.tag("title").encode()
    let noTag = ["no ID3 tag where one should start"]
    let cases: [(rest: [UInt8], copies: Int, tags: Int, reasons: [String])] = [
      ([], 1, 0, []), ([UInt8](repeating: 0, count: 16), 1, 0, []), ([0xFF, 0xFF], 1, 0, []), (tag, 1, 0, []), (tag + tag, 1, 0, []),
      (other, 2, 0, []), (title + [0, 0], 1, 1, []), (title + other, 2, 1, []), ([1, 2, 3], 1, 0, noTag),
      (Array(other.dropLast()), 1, 0, ["ID3 tag is cut off: \(other.count) bytes needed, \(other.count - 1) there"]),
    ]
    for (rest, copies, tags, reasons) in cases {
      for first in [tag, Array(tag.dropFirst(5))] {
        var sample = Sample()
        sample.add(Sample.moov() + Sample.styp)
        let message = EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: .absolute(90), id: 7, messageData: first + rest)
        sample.add(try message.encoded())
        sample.addFragment(track: 1, decodeTicks: 0, samples: 25)
        let items = try read(sample.bytes)
        #expect(items.copies.count == copies)
        #expect(items.tags.count == tags)
        // The other event states another time than that of the message.
        let others = items.damages.map(\.reason).filter { !$0.hasSuffix("s off what the event says") }
        #expect(others == reasons)
      }
    }
  }

  /// A frame that cannot be read takes no event with it.
  @Test func anUnreadableFrameBesideAnEvent() throws {
    let event = EventCopy(of: SampleGame.plan()[0].event)
    let error = ParseError(.invalid("no UTF-8"), at: 21)
    for id in ["TPE1", "APIC", "Tit2"] {
      let bad = ID3Frame.unreadable(id: id, flags: 0, data: [3, 0xE9], error: error)
      for frames in [[bad] + event.tag.frames, event.tag.frames + [bad]] {
        var sample = Sample()
        sample.add(Sample.moov() + Sample.styp)
        try sample.add(ID3Tag(frames: frames), at: 90)
        sample.addFragment(track: 1, decodeTicks: 0, samples: 25)
        let items = try read(sample.bytes)
        #expect(items.copies.map(\.copy) == [event] && items.damages.isEmpty)
      }
    }
    // It may have been an event.
    var sample = Sample()
    sample.add(Sample.moov() + Sample.styp)
    try sample.add(ID3Tag(frames: [.unreadable(id: "TXXX", flags: 0, data: [3, 0xE9, 0], error: error)]), at: 90)
    sample.addFragment(track: 1, decodeTicks: 0, samples: 25)
    #expect(
      try read(sample.bytes).damages.map(\.reason) == [
        "unusable event: the ID3 tag cannot be written or read: no UTF-8 (at byte 21)"
      ])
  }

  /// Many messages before the first fragment: the first one's time is used for the timeline origin.
  @Test func heldMessagesAreBounded() throws {
    var sample = Sample(zero: 10, hasPictureTime: false)
    sample.add(Sample.ftyp)
    for number in 0..<Int64(300) { try sample.add(Self.tag("\(number)"), at: number + 10) }
    var reader = EventReader()
    let items = try reader.push(sample.bytes.span)
    #expect(items == sample.items)
  }

  /// Every bit of an event's message: the event as it was stamped, or none.
  @Test func everyBitOfAnEvent() throws {
    let event = SampleGame.short(at: 36_000).event
    var sample = Sample()
    sample.add(Sample.moov())
    let start = sample.bytes.count
    try sample.add(EventCopy(of: event).tag, at: 36_000)
    let end = sample.bytes.count
    sample.addFragment(track: 1, decodeTicks: 0, samples: 25)
    var right = 0
    for bit in start * 8..<end * 8 {
      var bytes = sample.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let copies = try read(bytes).copies
      #expect(copies.allSatisfy { $0.copy == EventCopy(of: event) } && copies.count <= 1, "bit \(bit)")
      right += copies.count
    }
    #expect(right > 0)
  }

  /// A packager may have got tags that FFmpeg before 6.1 has cut.
  @Test func cutTagsAreRead() throws {
    let tag = ID3Tag(frames: [.text(id: "TIT2", values: ["cut"])])
    let data = try Array(tag.encode().dropFirst(5))
    var sample = FragmentedSample(zero: 90_000)
    sample.add(FragmentedSample.ftyp + FragmentedSample.moov())
    sample.add(try EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: .absolute(99_000), id: 7, messageData: data).encoded())
    sample.addFragment(track: 1, decodeTicks: 12_800, samples: 25)
    let offset = FragmentedSample.ftyp.count + FragmentedSample.moov().count
    let place = Place(
      time: MediaTime(ticks: 9_000), presentationTime: MediaTime(ticks: 99_000), videoTime: MediaTime(ticks: 9_000),
      carriage: .eventMessage(id: 7), offset: offset, byteCount: data.count + 5, isRestored: true)
    #expect(try read(sample.bytes) == [.tag(tag, place)])
  }

  /// Padding between two tags of a message, as some packagers leave it.
  @Test(arguments: [0, 0xFF] as [UInt8]) func paddingBetweenTags(byte: UInt8) throws {
    let event = SampleGame.short(at: 9_000).event
    let other = ID3Tag(frames: [.text(id: "TIT2", values: ["other"])])
    let data = try other.encode() + [UInt8](repeating: byte, count: 11) + EventCopy(of: event).encodedTag() + [byte]
    var sample = FragmentedSample(zero: 90_000)
    sample.add(FragmentedSample.ftyp + FragmentedSample.moov())
    sample.add(try EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: .absolute(99_000), id: 7, messageData: data).encoded())
    sample.addFragment(track: 1, decodeTicks: 12_800, samples: 25)
    let items = try read(sample.bytes)
    #expect(items.copies.map(\.copy) == [EventCopy(of: event)] && items.tags.map(\.tag) == [other])
  }

  /// Cut anywhere: what is whole is found, and what is cut off is said.
  @Test func cutAtEveryLength() throws {
    let sample = try Self.game()
    let header = Sample.ftyp.count + Sample.moov().count
    for count in stride(from: header, to: sample.bytes.count, by: 3) {
      let items = try read(Array(sample.bytes[..<count]))
      #expect(items.copies.map(\.copy) == sample.items.copies.prefix(items.copies.count).map(\.copy))
      #expect(items.copies.map(\.place.time) == sample.items.copies.prefix(items.copies.count).map(\.place.time))
      #expect(items.damages.count <= 1)
    }
  }

  /// The tag of an event of another programme.
  private static var remnant: ID3Tag {
    EventCopy(of: SampleGame.event("other", "start", 1, at: 999_999_999 * 90_000, .endGame(EndGame(totalQuestions: 1))).event).tag
  }

  /// A copy of another programme moves neither the timeline nor the game: it is told and left out, in the middle and at the beginning.
  @Test(arguments: [0, 1, 2]) func aCopyOfAnotherProgrammeIsLeftOut(before: Int) throws {
    var sample = Sample()
    sample.add(Sample.moov())
    let events = SampleGame.plan().prefix(3)
    var offset = 0
    for (index, event) in events.enumerated() {
      if index == before {
        offset = sample.bytes.count
        try sample.add(Self.remnant, at: 90_000)
      }
      try sample.add(EventCopy(of: event.event).tag, at: event.time.ticks)
    }
    sample.addFragment(track: 1, decodeTicks: 0, samples: 50)
    let items = try read(sample.bytes)
    #expect(items.copies.map(\.copy.event) == events.map(\.event))
    #expect(items.copies.map(\.place.time) == events.map(\.time))
    #expect(items.damages == [Damage(offset: offset, reason: "event of another time, 999999997.000000 s off: left out")])
  }

  /// Whoever wants them gets events of other times where the stream presents them.
  @Test func eventsOfOtherTimesAreKept() throws {
    var sample = Sample()
    sample.add(Sample.moov())
    let early = SampleGame.short("early", at: 9_000).event
    // Two minutes were cut out in front of it.
    let late = SampleGame.short("late", at: 120 * 90_000 + 90_000).event
    try sample.add(EventCopy(of: early).tag, at: 9_000)
    try sample.add(EventCopy(of: late).tag, at: 90_000)
    sample.addFragment(track: 1, decodeTicks: 0, samples: 50)
    #expect(try read(sample.bytes).copies.map(\.copy.event) == [early])
    var reader = EventReader(keepingOtherTimes: true)
    let items = try reader.push(sample.bytes) + reader.finish()
    #expect(items.copies.map(\.copy.event) == [early, late])
    #expect(items.copies.map(\.place.videoTime) == [MediaTime(ticks: 9_000), MediaTime(ticks: 90_000)])
    #expect(items.damages.map(\.reason) == ["presentation time is 120.000000 s off what the event says"])
  }

  /// Far behind the last fragment, because segments are missing or the next one is long: the fragment behind an event tells that the stream is
  /// there. A copy of another programme is nowhere near.
  @Test(arguments: [(0, 20), (12, 6), (3_600, 6)]) func anEventFarFromTheFragmentBefore(missing: UInt64, seconds: UInt64) throws {
    var sample = Sample()
    sample.add(Sample.moov())
    sample.addFragment(track: 1, decodeTicks: 0, samples: 50)
    let (start, end) = (2 + missing, 2 + missing + seconds)
    for time in [start, end - 1] {
      try sample.add(EventCopy(of: SampleGame.short("\(time)", at: Int64(time) * 90_000).event).tag, at: Int64(time) * 90_000)
    }
    let offset = sample.bytes.count
    let wanted = sample.items
    try sample.add(Self.remnant, at: Int64(start) * 90_000)
    sample.addFragment(track: 1, decodeTicks: start * 12_800, samples: seconds * 25)
    let damage = Damage(offset: offset, reason: "event of another time, \(999_999_999 - end).000000 s off: left out")
    #expect(try read(sample.bytes) == wanted + [.damage(damage)])
  }

  /// A first copy that is far from the video waits for another one: here that one is where the video is.
  @Test func aFirstCopyOfAnotherProgrammeWaits() throws {
    var sample = Sample()
    sample.add(Sample.moov())
    sample.addFragment(track: 1, decodeTicks: 0, samples: 10)
    let offset = sample.bytes.count
    try sample.add(Self.remnant, at: 36_000)
    let event = SampleGame.plan()[1]
    try sample.add(EventCopy(of: event.event).tag, at: event.time.ticks)
    sample.addFragment(track: 1, decodeTicks: 36_000, samples: 40)
    let items = try read(sample.bytes)
    #expect(items.copies.map(\.place.time) == [event.time])
    #expect(items.copies.map(\.copy.event) == [event.event])
    #expect(items.damages.map(\.offset) == [offset])
  }

  /// A message whose time is damaged: the event's own time holds, and the damage is told.
  @Test func aWrongTimeMovesNothing() throws {
    var sample = Sample()
    sample.add(Sample.moov())
    let events = SampleGame.plan()
    try sample.add(EventCopy(of: events[0].event).tag, at: 0)
    try sample.add(EventCopy(of: events[1].event).tag, at: events[1].time.ticks)
    let offset = sample.bytes.count
    try sample.add(EventCopy(of: events[2].event).tag, at: events[2].time.ticks + 90_000)
    sample.addFragment(track: 1, decodeTicks: 0, samples: 50)
    let items = try read(sample.bytes)
    #expect(items.copies.map(\.place.time) == events.prefix(3).map(\.time))
    #expect(items.damages == [Damage(offset: offset, reason: "presentation time is 1.000000 s off what the event says")])
  }
}
