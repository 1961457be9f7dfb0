import Basics
@testable import CMAF
import TestSupport
import Testing

/// Boxes that state where others are say so rightly after bytes were inserted between them.
@Suite struct InsertedBytesTests {
  /// Ten bytes at 1,000, and five at 2,000.
  private static let inserted = InsertedBytes([2_000: 5, 1_000: 10])

  private static func corrected(_ box: [UInt8], at offset: Int = 0) throws -> [UInt8] {
    try inserted.corrected(box.span, baseOffset: offset)
  }

  @Test func baseOffsetsOfFragments() throws {
    func moof(_ base: UInt64) -> [UInt8] {
      let header = fullBox("tfhd", flags: 0x01, integer(1), integer(base, 8))
      return box("moof", fullBox("mfhd", integer(1)), box("traf", header, fullBox("trun", integer(0))))
    }
    for (base, moved) in [(0, 0), (999, 999), (1_000, 1_010), (1_999, 2_009), (2_000, 2_015), (UInt64.max, .max)] as [(UInt64, UInt64)] {
      #expect(try Self.corrected(moof(base), at: 1_000) == moof(moved))
    }
    // A fragment whose offsets count from itself stays.
    let relative = box("moof", box("traf", fullBox("tfhd", flags: 0x2_0000, integer(1))))
    #expect(try Self.corrected(relative, at: 2_000) == relative)
  }

  @Test func chunksOfTheMovie() throws {
    func moov(_ type: String, _ offsets: [UInt64], width: Int) -> [UInt8] {
      let table = fullBox(type, integer(UInt64(offsets.count)), offsets.flatMap { integer($0, width) })
      return box("moov", box("trak", box("mdia", box("minf", box("stbl", table)))), box("mvex", []))
    }
    #expect(try Self.corrected(moov("stco", [500, 1_500], width: 4)) == moov("stco", [500, 1_510], width: 4))
    #expect(try Self.corrected(moov("co64", [5_000_000_000], width: 8)) == moov("co64", [5_000_000_015], width: 8))
    #expect(throws: ParseError.self) { try Self.corrected(moov("stco", [UInt64(UInt32.max) - 3], width: 4)) }
  }

  @Test func indexes() throws {
    /// An index at 900 that ends at 960, whose segments have these sizes.
    func sidx(_ first: UInt64, _ sizes: [UInt64]) -> [UInt8] {
      fullBox(
        "sidx", integer(1), integer(90_000), integer(0), integer(first), integer(0, 2), integer(UInt64(sizes.count), 2),
        sizes.flatMap { integer($0) + integer(90_000) + integer(0x9000_0000) })
    }
    let end = 900 + sidx(0, [0, 0, 0]).count
    let sizes = [UInt64(1_500 - end), 500, 500]
    #expect(try Self.corrected(sidx(0, sizes), at: 900) == sidx(0, [sizes[0] + 10, 500, 505]))
    // A reference to another index keeps its mark.
    #expect(try Self.corrected(sidx(0, [sizes[0] | 0x8000_0000]), at: 924) == sidx(0, [(sizes[0] + 10) | 0x8000_0000]))
    // What precedes the first segment is not part of it.
    #expect(try Self.corrected(sidx(UInt64(1_400 - end), [100, 500, 10]), at: 900) == sidx(UInt64(1_410 - end), [100, 500, 15]))
    #expect(throws: ParseError.self) { try Self.corrected(sidx(0, [0x7FFF_FFFF]), at: 900) }
    #expect(throws: ParseError.self) { try Self.corrected(Array(sidx(0, sizes).dropLast(4)), at: 900) }
  }

  @Test func randomAccess() throws {
    func mfra(_ version: UInt8, _ offsets: [UInt64]) -> [UInt8] {
      let width = version == 0 ? 4 : 8
      let entries = offsets.flatMap { integer(7, width) + integer($0, width) + [1] + integer(1, 2) + [1] }
      let table = fullBox("tfra", version: version, integer(1), integer(0b00_01_00), integer(UInt64(offsets.count)), entries)
      return box("mfra", table, fullBox("mfro", integer(64)))
    }
    for version in [0, 1] as [UInt8] {
      #expect(try Self.corrected(mfra(version, [900, 1_000, 3_000]), at: 9_000) == mfra(version, [900, 1_010, 3_015]))
    }
  }

  /// An index of parts of segments is not corrected, and not left wrong either.
  @Test func whatCannotBeCorrected() {
    #expect(throws: ParseError.self) { try Self.corrected(fullBox("ssix", integer(0)), at: 900) }
  }
}
