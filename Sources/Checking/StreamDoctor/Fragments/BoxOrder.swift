import Basics
import CMAF

/// Follows the top-level boxes of a file, and reads the brands in `ftyp`.
struct BoxOrder: Sendable {
  /// A top-level box.
  struct Entry: Equatable, Sendable {
    var type: BoxType
    var offset: Int
    /// The content of a small `ftyp`.
    var brands: FileTypeBox?
  }

  private var boxes = BoxAssembler { $0 == .ftyp ? Self.largestBrands : 0 }

  /// A larger `ftyp` is skipped.
  private static let largestBrands = 4_096

  /// Reads the next bytes, and returns the boxes whose headers end in them. An `ftyp` is returned at its end.
  mutating func push(_ chunk: Span<UInt8>) -> [Entry] {
    var entries: [Entry] = []
    var position = 0
    while let step = boxes.next(chunk, &position) {
      switch step {
      case .header(let header, let start) where header.type != .ftyp: entries.append(Entry(type: header.type, offset: start))
      case .box(let header, let start, let bytes):
        entries.append(Entry(type: header.type, offset: start, brands: try? FileTypeBox(bytes.span)))
      case .oversized(let header, let start): entries.append(Entry(type: header.type, offset: start))
      case .header, .damaged, .held, .passed: break
      }
    }
    return entries
  }
}
