import Basics
import ID3

extension FuzzTarget {
  /// ID3 tags: what is read is written back equal; unknown frames of older versions may have no form in 2.4.
  static let id3 = FuzzTarget("id3") { bytes in
    let tag: ID3Tag
    do throws(ParseError) {
      tag = try ID3Tag.decode(bytes.span)
    } catch {
      try require(error, liesIn: bytes)
      return
    }
    try require(ID3Tag.encodedLength(bytes.span), equals: bytes.count, "length of a tag")
    guard let encoded = try? tag.encode() else { return try require(tag.version < 4, "a tag of 2.4 that cannot be written: \(tag)") }
    let again = try ID3Tag.decode(encoded.span)
    if tag.version == 4 {
      try require(again, equals: tag, "written and read again")
    } else {
      try require(again.frames.map { $0.id }, equals: tag.frames.map { $0.id }, "written as 2.4 and read again")
    }
  }
}
