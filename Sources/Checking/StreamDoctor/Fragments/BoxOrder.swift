import Basics
import CMAF

/// Follows the boxes at the top of a file, and reads the brands in `ftyp`.
struct BoxOrder: Sendable {
  /// A box at the top of a file.
  struct Entry: Equatable, Sendable {
    var type: BoxType
    var offset: Int
    /// The content of a small `ftyp`.
    var brands: FileTypeBox?
  }

  private var offset = 0
  private var kept: [UInt8] = []
  /// The size of an `ftyp` that is not whole yet.
  private var keptSize: Int?
  /// The number of bytes that are left of the current box; `nil` between boxes.
  private var remaining: UInt64?

  /// A larger `ftyp` is skipped.
  private static let largestBrands: UInt64 = 4_096

  /// Reads the next bytes, and returns the boxes whose headers end in them. An `ftyp` is returned at its end.
  mutating func push(_ chunk: Span<UInt8>) -> [Entry] {
    var entries: [Entry] = []
    var position = 0
    while position < chunk.count {
      if let rest = remaining {
        let count = min(Int(clamping: rest), chunk.count - position)
        position += count
        offset += count
        remaining = rest > UInt64(count) ? rest - UInt64(count) : nil
        continue
      }
      kept.append(chunk[position])
      position += 1
      offset += 1
      if let entry = readKept() { entries.append(entry) }
    }
    return entries
  }

  private mutating func readKept() -> Entry? {
    let start = offset - kept.count
    if let size = keptSize {
      guard kept.count == size else { return nil }
      let brands = try? FileTypeBox(kept.span)
      (kept, keptSize) = ([], nil)
      return Entry(type: .ftyp, offset: start, brands: brands)
    }
    guard kept.count >= BoxHeader.smallestLength, kept.count == BoxHeader.length(startingWith: kept.span) else { return nil }
    guard let header = try? BoxHeader(kept.span) else {
      // Without a size, the next box cannot be found.
      (kept, remaining) = ([], .max)
      return nil
    }
    if header.type == .ftyp, let size = header.size, size <= Self.largestBrands, size > UInt64(kept.count) {
      keptSize = Int(size)
      return nil
    }
    let rest = header.size.map { $0 - min($0, UInt64(kept.count)) } ?? .max
    remaining = rest > 0 ? rest : nil
    kept = []
    return Entry(type: header.type, offset: start)
  }
}
