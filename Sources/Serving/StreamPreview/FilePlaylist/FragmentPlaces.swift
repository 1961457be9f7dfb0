import Basics
import CMAF
import HLSPlaylist

/// Finds where the parts of a fragmented MP4 file start, each of which is one fragment with the boxes in front of its `moof`.
///
/// It reads only the headers of the outermost boxes.
struct FragmentPlaces: Sendable {
  /// Where a fragment is.
  struct Place: Equatable, Sendable {
    /// Where its `moof` starts, in bytes.
    var offset: Int
    /// Where the boxes that belong to it start, such as `styp` and `emsg`.
    var start: Int
    /// Where the media data before it ends; `nil` if it is the first one.
    var previousEnd: Int?
    /// The initialization segment: `ftyp` and `moov`.
    var map: ByteRange?
  }

  /// The fragments that have begun since the last call of ``forget()``.
  private(set) var places: [Place] = []
  /// Where the latest media data ends.
  private(set) var dataEnd: Int?
  private var partStart: Int?
  private var fileType: Int?
  private var map: ByteRange?
  private var boxes = BoxAssembler()

  /// The place of the fragment whose `moof` starts at an offset.
  func place(ofFragmentAt offset: Int) -> Place? { places.last { $0.offset == offset } }

  /// Forgets the fragments that were read: all except the last one, which may be incomplete.
  mutating func forget() { places = places.suffix(1) }

  mutating func push(_ chunk: Span<UInt8>) {
    var position = 0
    while let step = boxes.next(chunk, &position) {
      // No box can follow a box without a size.
      if case .header(let box, let start) = step, let size = box.size { receive(box, start: start, size: size) }
    }
  }

  private mutating func receive(_ box: BoxHeader, start: Int, size: UInt64) {
    let (sum, overflows) = start.addingReportingOverflow(Int(clamping: size))
    let end = overflows ? .max : sum
    switch box.type {
    case .ftyp:
      fileType = start
      partStart = nil
    case .moov:
      let first = fileType ?? start
      map = ByteRange(length: UInt64(end - first), offset: UInt64(first))
      fileType = nil
      partStart = nil
    case .mdat:
      dataEnd = end
      partStart = nil
    case .moof:
      places.append(Place(offset: start, start: partStart ?? start, previousEnd: dataEnd, map: map))
      partStart = partStart ?? start
    default: partStart = partStart ?? start
    }
  }

  /// Where the file's segments end: at the end of its last media data, or where the file is cut off.
  var end: Int { min(dataEnd ?? boxes.offset, boxes.offset) }
}
