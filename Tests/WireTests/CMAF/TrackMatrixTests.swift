import Basics
import CMAF
import TestSupport
import Testing

/// A track's matrix is read and replaced in its place.
@Suite struct TrackMatrixTests {
  static let identity: [Int32] = [65_536, 0, 0, 0, 65_536, 0, 0, 0, 1 << 30]
  static let turned: [Int32] = [0, 65_536, 0, -65_536, 0, 0, 240 << 16, 0, 1 << 30]

  static func bytes(_ values: [Int32]) -> [UInt8] { values.flatMap { integer(UInt64(UInt32(bitPattern: $0))) } }

  /// An initialisation section with a track for each version of `tkhd`, each with this matrix.
  static func initialisation(_ matrix: [Int32]) -> [UInt8] {
    let tracks = [0, 1].map { version in
      box("trak", fullBox("tkhd", version: UInt8(version), zeros((version == 0 ? 20 : 32) + 16), bytes(matrix), zeros(8)))
    }
    return box("ftyp", zeros(8)) + box("moov", fullBox("mvhd", zeros(96)), tracks[0], tracks[1])
  }

  @Test func setsOnlyTheMatrices() throws {
    let matrix = try #require(TrackMatrix(Self.turned))
    let old = Self.initialisation(Self.identity)
    #expect(try matrix.setting(in: old.span) == Self.initialisation(Self.turned))
    #expect(try TrackMatrix.all(in: old.span) == [TrackMatrix(Self.identity), TrackMatrix(Self.identity)])
    #expect(try TrackMatrix.all(in: Self.initialisation(Self.turned).span) == [matrix, matrix])
  }

  @Test func otherBoxesStay() throws {
    let matrix = try #require(TrackMatrix(Self.turned))
    let bytes = box("ftyp", zeros(8)) + box("moof", zeros(4))
    #expect(try matrix.setting(in: bytes.span) == bytes)
  }

  @Test(arguments: [0, 8, 10]) func matricesHaveNineValues(count: Int) { #expect(TrackMatrix([Int32](repeating: 0, count: count)) == nil) }

  @Test func whatIsCutOffIsRefused() throws {
    let matrix = try #require(TrackMatrix(Self.turned))
    // Up to seven zeros at the end are a terminator.
    let whole = Self.initialisation(Self.identity)
    for count in 4..<whole.count where !(16...18).contains(count) {
      let cut = Array(whole.prefix(count))
      #expect(throws: ParseError.self) { try matrix.setting(in: cut.span) }
    }
  }
}
