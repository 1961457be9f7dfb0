import Basics
@testable import CMAF
import TestSupport
import Testing

@Suite struct EventMessageTests {
  static let cases: [(bytes: [UInt8], box: EventMessageBox)] = [
    (
      box(
        "emsg", hex("01000000 00015F90 0000000000149970 FFFFFFFF 9A3F01BC"), Array("https://aomedia.org/emsg/ID3\0".utf8), [0],
        Array("ID3".utf8)),
      EventMessageBox(
        schemeID: "https://aomedia.org/emsg/ID3", time: .absolute(1_350_000), id: 0x9A3F_01BC, messageData: Array("ID3".utf8))
    ),
    (
      box(
        "emsg", hex("00000000"), Array("https://developer.apple.com/streaming/emsg-id3\0".utf8), Array("1\0".utf8),
        hex("000003E8 000009C4 000001F4 00000002 494433")),
      EventMessageBox(
        schemeID: EventMessageBox.appleID3Scheme, value: "1", timescale: timescale(1_000), time: .afterSegmentStart(2_500),
        eventDuration: 500,
        id: 2, messageData: Array("ID3".utf8))
    ),
    (
      box("emsg", hex("01000000 00000001 FFFFFFFFFFFFFFFF 00000000 00000000 FF00 00")),
      EventMessageBox(
        schemeID: BoxText(bytes: [0xFF]), timescale: timescale(1), time: .absolute(.max), eventDuration: 0, id: 0, messageData: [])
    ),
  ]

  @Test(arguments: cases) func isReadAndWritten(bytes: [UInt8], box: EventMessageBox) throws {
    #expect(try EventMessageBox(bytes) == box)
    #expect(try box.encoded() == bytes)
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      #expect(throws: ParseError.self) { try EventMessageBox(cut) }
      // The same with a size that fits: a message that is cut off is a shorter one, everything else is missed.
      guard count >= 8, count < bytes.count - box.messageData.count else { continue }
      let fitting = integer(UInt64(count)) + cut[4...]
      #expect(throws: ParseError.self) { try EventMessageBox(fitting) }
    }
    let longer = bytes + [0]
    #expect(throws: ParseError(.trailingBytes(1), at: bytes.count)) { try EventMessageBox(longer) }
  }

  @Test func schemesAreTold() {
    #expect(Self.cases.map(\.box.isID3) == [true, true, false])
    #expect(Self.cases.map(\.box.version) == [1, 0, 1])
  }

  @Test func badMessagesAreRefused() {
    let version = box("emsg", hex("02000000 00015F90"))
    #expect(throws: ParseError(.invalid("event message of version 2"), at: 8)) { try EventMessageBox(version) }
    let noTimescale = box("emsg", hex("01000000 00000000"), zeros(18))
    #expect(throws: ParseError(.invalid("timescale of 0"), at: 112)) { try EventMessageBox(noTimescale, baseOffset: 100) }
    let other = box("free", [])
    #expect(throws: ParseError(.invalid("box free instead of emsg"), at: 0)) { try EventMessageBox(other) }
    let unended = box("emsg", hex("00000000"), Array("urn:x".utf8))
    #expect(throws: ParseError(.invalid("text without its NUL"), at: 12)) { try EventMessageBox(unended) }
    var message = Self.cases[0].box
    message.value = BoxText(bytes: [1, 0])
    #expect(throws: ParseError.self) { try message.encoded() }
  }

  @Test(
    arguments: [
      (90_000, 1_350_000, 1_350_000), (1, 5, 450_000), (48_000, 1, 2), (48_000, 4, 8), (48_000, 7, 13), (12_800, 51_200, 360_000),
      (180_000, 1, 1), (180_000, 3, 2), (UInt32.max, UInt64(UInt32.max) * 2, 180_000), (1_000_000_000, UInt64.max, 1_660_206_966_633_860),
      (1, UInt64.max, Int64.max), (UInt32.max, UInt64.max, 386_547_056_730_000),
    ] as [(UInt32, UInt64, Int64)])
  func presentationTimeIsTheNearestTick(scale: UInt32, ticks: UInt64, expected: Int64) {
    let message = SampleMovie.message(.absolute(ticks), timescale: scale)
    #expect(message.presentationTime(segmentStart: MediaTime(ticks: 77)) == MediaTime(ticks: expected))
  }

  @Test func versionZeroCountsFromTheSegment() {
    let message = SampleMovie.message(.afterSegmentStart(1), timescale: 1)
    #expect(message.presentationTime(segmentStart: MediaTime(ticks: 360_000)) == MediaTime(ticks: 450_000))
    #expect(message.presentationTime(segmentStart: MediaTime(ticks: .max)) == MediaTime(ticks: .max))
  }

  @Test func timescalesConvertBothWays() {
    #expect(Timescale(0) == nil)
    for ticks in [Int64.min, -12_801, -1, 0, 1, 2, 3, 450_001, .max] {
      #expect(Timescale.mediaTime.mediaTime(ticks) == MediaTime(ticks: max(ticks, -.max)))
      #expect(Timescale.mediaTime.ticks(MediaTime(ticks: ticks)) == max(ticks, -.max))
    }
    #expect(timescale(48_000).ticks(MediaTime(ticks: 450_000)) == 240_000)
    #expect(timescale(48_000).ticks(MediaTime(ticks: -1)) == -1)
    #expect(timescale(180_000).mediaTime(Int64(-3)) == MediaTime(ticks: -2))
    #expect(timescale(UInt32.max).ticks(MediaTime(ticks: .min)) == -.max)
    #expect(timescale(48_000).rescale(Int64(1_000), from: timescale(1_000)) == 48_000)
  }
}
