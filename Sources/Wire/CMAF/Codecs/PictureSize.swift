import Basics

/// The size of a picture in pixels, after cropping.
package struct PictureSize: Hashable, Sendable {
  /// Pixels in a row.
  package var width: Int
  /// Rows.
  package var height: Int

  /// A picture of this size.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// The cropping of a coded picture in H.264 and HEVC, in units that depend on the chroma sampling.
struct Cropping {
  var left: UInt64 = 0
  var right: UInt64 = 0
  var top: UInt64 = 0
  var bottom: UInt64 = 0

  init() {}

  init(reading bits: inout BitReader) throws(ParseError) {
    left = try bits.readUnsigned()
    right = try bits.readUnsigned()
    top = try bits.readUnsigned()
    bottom = try bits.readUnsigned()
  }

  /// The size of a coded picture after cropping.
  ///
  /// - Throws: `ParseError` where nothing is left, or the picture is larger than any that can be coded.
  func applied(width: UInt64, height: UInt64, unitX: UInt64, unitY: UInt64, at bits: BitReader) throws(ParseError) -> PictureSize {
    // All are Exp-Golomb codes below 2^32, so that neither sum nor product overflows.
    let (cutX, cutY) = ((left + right) * unitX, (top + bottom) * unitY)
    guard width <= 65_535, height <= 65_535, cutX < width, cutY < height else { throw bits.error("picture size of no picture") }
    return PictureSize(width: Int(width - cutX), height: Int(height - cutY))
  }
}

/// The samples of luma for one of chroma, across and down, by chroma_format_idc (ISO/IEC 14496-10, table 6-1); 1 where there is no chroma.
func chromaSubsampling(_ format: UInt64) -> (x: UInt64, y: UInt64) {
  switch format {
  case 1: (2, 2)
  case 2: (2, 1)
  default: (1, 1)
  }
}
