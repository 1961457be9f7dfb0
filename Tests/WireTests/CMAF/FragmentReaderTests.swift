import Basics
import CMAF
import TestSupport
import Testing

@Suite struct FragmentReaderTests {
  static let first = SampleMovie.message(.absolute(100_000), id: 1)
  static let early = SampleMovie.message(.afterSegmentStart(9_000), id: 2)
  static let second = SampleMovie.message(.absolute(200_000), id: 3)

  /// Initialisation and two segments; in the second one a message of version 0 lies between two of version 1.
  static let file: [UInt8] = {
    let messages = [first, early, second].compactMap { try? $0.encoded() }
    return SampleMovie.ftyp + SampleMovie.moov + SampleMovie.styp + messages[0] + SampleMovie.moof(1, decodeTicks: 0) + SampleMovie.mdat
      + box("free", zeros(5)) + SampleMovie.styp + messages[0] + messages[1] + messages[2] + SampleMovie.moof(2, decodeTicks: 12_800)
      + messages[1] + SampleMovie.moof(3, decodeTicks: 14_336) + SampleMovie.mdat
  }()

  static let items: [FragmentItem] = {
    var offset = SampleMovie.ftyp.count + SampleMovie.moov.count + SampleMovie.styp.count
    let sizes = [first, early, second].map { ((try? $0.encoded()) ?? []).count }
    let moof = SampleMovie.moof(1, decodeTicks: 0).count
    var items: [FragmentItem] = [.initialisation(SampleMovie.header)]
    func add(_ item: FragmentItem, size: Int) {
      items.append(item)
      offset += size
    }
    add(.eventMessage(first, time: MediaTime(ticks: 100_000), offset: offset), size: sizes[0])
    add(.fragment(SampleMovie.fragment(1, decodeTicks: 0), offset: offset), size: moof)
    offset += SampleMovie.mdat.count + 13 + SampleMovie.styp.count
    add(.eventMessage(first, time: MediaTime(ticks: 100_000), offset: offset), size: sizes[0])
    // The segment's first video frame is presented at 13,824 ticks of 12,800.
    add(.eventMessage(early, time: MediaTime(ticks: 97_200 + 9_000), offset: offset), size: sizes[1])
    add(.eventMessage(second, time: MediaTime(ticks: 200_000), offset: offset), size: sizes[2])
    add(.fragment(SampleMovie.fragment(2, decodeTicks: 12_800), offset: offset), size: moof)
    add(.eventMessage(early, time: MediaTime(ticks: 97_200 + 9_000), offset: offset), size: sizes[1])
    add(.fragment(SampleMovie.fragment(3, decodeTicks: 14_336), offset: offset), size: moof)
    return items
  }()

  @Test(arguments: [nil, 1, 2, 3, 7, 64, 188] as [Int?], [false, true]) func chunksMayHaveAnySize(chunk: Int?, skips: Bool) {
    #expect(readFragments(Self.file, chunk: chunk, skips: skips) == Self.items)
  }

  @Test func cutFilesGiveWhatIsWhole() {
    for count in 0..<Self.file.count {
      let items = readFragments(Array(Self.file[..<count]))
      let whole = items.filter { item in
        if case .damage = item { false } else { true }
      }
      // All in their order; only a message of version 0 can be missing before others, as the fragment that tells its time is cut off.
      var rest = Self.items[...]
      for item in whole {
        let next = rest.firstIndex(of: item) ?? rest.endIndex
        #expect(next < rest.endIndex)
        #expect(rest[..<next].allSatisfy { $0 == Self.items[4] })
        rest = rest[next...].dropFirst()
      }
      #expect(items.count - whole.count <= 2)
    }
  }

  @Test func skippableIsWhatIsLeftOfABox() {
    var reader = FragmentReader(movie: SampleMovie.header)
    #expect(reader.skippable == 0)
    #expect(reader.push(Array(SampleMovie.mdat[..<10])) == [])
    #expect(reader.skippable == 598)
    reader.skip(1_000_000)
    #expect(reader.offset == 608)
    #expect(reader.skippable == 0)
    let large = hex("00000001 6D646174 FFFFFFFFFFFFFFFF")
    #expect(reader.push(large) == [])
    #expect(reader.skippable == Int.max)
    reader.skip(.max)
    #expect(reader.offset == Int.max)
    #expect(reader.finish() == [.damage(offset: 608, reason: "box mdat is cut off: 9223372036854775792 bytes are missing")])
  }

  @Test func mediaDataMayGoOnToTheEnd() {
    let bytes = SampleMovie.moof(1, decodeTicks: 0) + hex("00000000 6D646174") + zeros(50)
    #expect(readFragments(bytes, movie: SampleMovie.header) == [.fragment(SampleMovie.fragment(1, decodeTicks: 0), offset: 0)])
    var reader = FragmentReader()
    _ = reader.push(hex("00000000 6D646174"))
    #expect(reader.skippable == Int.max)
  }

  @Test func keptBoxMayGoOnToTheEnd() throws {
    let message = try Self.first.encoded()
    let expected = FragmentItem.eventMessage(Self.first, time: MediaTime(ticks: 100_000), offset: 0)
    #expect(readFragments(zeros(4) + message[4...], chunk: 3) == [expected])
    let endless = hex("00000000 656D7367") + zeros(FragmentReader.largestEventMessage)
    #expect(readFragments(endless) == [.damage(offset: 0, reason: "box emsg is larger than 1048576 bytes")])
  }

  @Test func segmentsMayComeOneByOne() throws {
    var reader = FragmentReader(movie: SampleMovie.header)
    let message = try Self.early.encoded()
    let segment = message + SampleMovie.moof(1, decodeTicks: 12_800) + SampleMovie.mdat
    let next = message + SampleMovie.moof(2, decodeTicks: 25_600) + SampleMovie.mdat
    #expect(reader.startSegment() == [])
    let items = reader.push(segment)
    #expect(
      items == [
        .eventMessage(Self.early, time: MediaTime(ticks: 106_200), offset: 0),
        .fragment(SampleMovie.fragment(1, decodeTicks: 12_800), offset: message.count),
      ])
    // A segment that breaks off does not touch the next one.
    #expect(
      reader.push(Array(next[..<(message.count + 20)])) == [
        .eventMessage(Self.early, time: MediaTime(ticks: 106_200), offset: segment.count)
      ])
    let rest = reader.startSegment(at: 5_000)
    #expect(
      rest == [
        .damage(
          offset: segment.count + message.count,
          reason: "box moof is cut off: \(SampleMovie.moof(2, decodeTicks: 0).count) bytes needed, 20 there")
      ])
    #expect(
      reader.push(next) == [
        .eventMessage(Self.early, time: MediaTime(ticks: 196_200), offset: 5_000),
        .fragment(SampleMovie.fragment(2, decodeTicks: 25_600), offset: 5_000 + message.count),
      ])
    #expect(reader.finish() == [])
  }

  @Test func withoutSegmentsAMessageCountsFromTheNextFragment() throws {
    let message = try Self.early.encoded()
    let bytes = message + SampleMovie.moof(1, decodeTicks: 0) + message + SampleMovie.moof(2, decodeTicks: 12_800)
    let times = readFragments(bytes, movie: SampleMovie.header).compactMap { item in
      if case .eventMessage(_, let time, _) = item { time.ticks } else { nil }
    }
    #expect(times == [16_200, 106_200])
  }

  @Test func indexTellsTheStartOfTheSegment() throws {
    let message = try Self.early.encoded()
    let bytes = SampleMovie.styp + message + SampleMovie.sidx(51_200) + message
    #expect(
      readFragments(bytes) == [
        .eventMessage(Self.early, time: MediaTime(ticks: 369_000), offset: SampleMovie.styp.count),
        .eventMessage(Self.early, time: MediaTime(ticks: 369_000), offset: bytes.count - message.count),
      ])
  }

  static let unknownStart = "event message of version 0 in a segment whose earliest presentation time is not known"

  @Test func messageWithoutATimeIsDamage() throws {
    let message = try Self.early.encoded()
    let moof = SampleMovie.moof(1, decodeTicks: 0)
    let damage = FragmentItem.damage(offset: 0, reason: Self.unknownStart)
    // No fragment; a fragment without initialisation; a broken fragment, whose place the next one must not take.
    #expect(readFragments(message) == [damage])
    #expect(readFragments(message + moof).first == damage)
    let broken = message + box("moof", []) + moof
    #expect(
      readFragments(broken, movie: SampleMovie.header) == [
        damage, .damage(offset: message.count, reason: "moof without mfhd"),
        .fragment(SampleMovie.fragment(1, decodeTicks: 0), offset: message.count + 8),
      ])
    let inSegment = SampleMovie.styp + box("moof", []) + message + moof
    #expect(
      readFragments(inSegment, movie: SampleMovie.header).dropFirst().first
        == .damage(offset: SampleMovie.styp.count + 8, reason: Self.unknownStart))
  }

  @Test func heldMessagesAreLimited() throws {
    let message = try Self.early.encoded()
    var reader = FragmentReader(movie: SampleMovie.header)
    var damages = 0
    for _ in 0..<3_000 { damages += reader.push(message).count }
    #expect(damages == 2_050)
    #expect(reader.finish().count == 3_000 - 2_050)
  }

  @Test func largeAndBrokenBoxesArePassedOver() throws {
    let message = try Self.first.encoded()
    let found = FragmentItem.eventMessage(Self.first, time: MediaTime(ticks: 100_000), offset: 8 + 4_194_297)
    let large = integer(4_194_305) + Array("moof".utf8) + zeros(4_194_297)
    #expect(readFragments(large + message) == [.damage(offset: 0, reason: "box moof is larger than 4194304 bytes"), found])
    let lost = message + hex("00000003 6D6F6F66") + message
    let items = readFragments(lost)
    #expect(items.count == 2)
    #expect(items.last == .damage(offset: message.count, reason: "box moof is smaller than its own header; the rest is not read"))
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func noiseIsReadWithoutHarm(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    for _ in 0..<150 {
      var bytes = Self.file
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch UInt8.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        }
      }
      let whole = readFragments(bytes)
      #expect(whole.count < 100)
      #expect(readFragments(bytes, chunk: Int.random(in: 1...100, using: &generator), skips: true) == whole)
    }
    for _ in 0..<50 {
      let noise = (0..<Int.random(in: 0...500, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(readFragments(noise).count < 100)
      _ = try? MovieHeader((integer(UInt64(noise.count + 8)) + Array("moov".utf8) + noise))
    }
  }
}
