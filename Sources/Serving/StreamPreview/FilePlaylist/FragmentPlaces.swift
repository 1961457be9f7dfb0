import Basics
import CMAF
import HLSPlaylist

/// Finds where the parts of a fragmented MP4 file start, of which each has one fragment: with the boxes in front of its `moof`.
///
/// Everything but the headers of the outermost boxes is passed over.
struct FragmentPlaces: Sendable {
  /// Where a fragment is.
  struct Place: Equatable, Sendable {
    /// Where its `moof` starts, in bytes.
    var offset: Int
    /// Where the boxes start that come with it, such as `styp` and `emsg`.
    var start: Int
    /// Where the media data before it end; `nil` where it is the first one.
    var previousEnd: Int?
    /// The initialization segment: `ftyp` and `moov`.
    var map: ByteRange?
  }

  /// The fragments that have begun since the last call of ``forget()``.
  private(set) var places: [Place] = []
  /// Where the latest media data end.
  private(set) var dataEnd: Int?
  private var partStart: Int?
  private var fileType: Int?
  private var map: ByteRange?
  private var header: [UInt8] = []
  /// The number of bytes that are passed over; `Int.max` for all that follow.
  private var skipped = 0
  private var byteCount = 0

  /// The place of the fragment whose `moof` starts at an offset.
  func place(ofFragmentAt offset: Int) -> Place? { places.last { $0.offset == offset } }

  /// Forgets the fragments that were read: all but the last one, which may not be whole.
  mutating func forget() { places = places.suffix(1) }

  mutating func push(_ chunk: Span<UInt8>) {
    var position = 0
    while position < chunk.count {
      guard skipped == 0 else {
        let count = min(skipped, chunk.count - position)
        position += count
        if skipped != .max { skipped -= count }
        continue
      }
      let needed = BoxHeader.length(startingWith: header.view) - header.count
      let count = min(needed, chunk.count - position)
      header.append(copying: chunk.extracting(position..<position + count))
      position += count
      if header.count == BoxHeader.length(startingWith: header.view) { readHeader(endingAt: byteCount + position) }
    }
    byteCount += chunk.count
  }

  private mutating func readHeader(endingAt offset: Int) {
    let start = offset - header.count
    let bytes = header
    header = []
    guard let box = try? BoxHeader(bytes.view, baseOffset: start), let size = box.size else {
      // Nothing can follow a box without an end, or one whose header is damaged.
      skipped = .max
      return
    }
    let (sum, overflows) = start.addingReportingOverflow(Int(clamping: size))
    let end = overflows ? .max : sum
    skipped = end == .max ? .max : end - offset
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

  /// Where the file's segments end: with its last media data, or where the file is cut off.
  var end: Int { min(dataEnd ?? byteCount, byteCount) }
}
