import Basics

/// Bytes of an input, and the bytes to write instead.
package struct ByteChange: Equatable, Sendable {
  /// The range in the whole input.
  package var range: Range<Int>
  /// The new bytes.
  package var replacement: [UInt8]

  /// A change of a range.
  package init(_ range: Range<Int>, to replacement: [UInt8]) { (self.range, self.replacement) = (range, replacement) }

  /// A new value of a big-endian field.
  init(_ range: Range<Int>, to value: some FixedWidthInteger & UnsignedInteger) {
    var writer = ByteWriter(capacity: range.count)
    writer.writeInteger(UInt64(value), byteCount: range.count)
    self.init(range, to: writer.bytes)
  }

  /// The number of bytes added; negative if the input becomes shorter.
  var growth: Int { replacement.count - range.count }
}

/// Changes, in the order of their ranges, none of which is empty.
struct ByteChanges {
  let changes: [ByteChange]
  /// The growth of all changes before the one of the same index, and of all.
  private let growths: [Int]

  /// - Throws: `ParseError` if a range is empty, or two of them overlap.
  init(_ changes: [ByteChange]) throws(ParseError) {
    self.changes = changes.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var growths = [0]
    var end = Int.min
    for change in self.changes {
      guard !change.range.isEmpty, change.range.lowerBound >= end else {
        throw ParseError(.invalid("changes of the same bytes"), at: change.range.lowerBound)
      }
      growths.append((growths.last ?? 0) + change.growth)
      end = change.range.upperBound
    }
    self.growths = growths
  }

  /// The growth of all changes.
  var growth: Int { growths.last ?? 0 }

  /// The number of changes that end at an offset or before it.
  ///
  /// - Throws: `ParseError` if the offset is within a changed range.
  func count(upTo offset: Int) throws(ParseError) -> Int {
    let count = changes.partitionIndex { $0.range.upperBound > offset }
    guard count == changes.count || changes[count].range.lowerBound >= offset else {
      throw ParseError(.invalid("a sample that starts or ends within changed bytes"), at: offset)
    }
    return count
  }

  /// The growth of the bytes up to an offset.
  ///
  /// - Throws: `ParseError` if the offset is within a changed range.
  func growth(upTo offset: Int) throws(ParseError) -> Int { growths[try count(upTo: offset)] }
}

extension ByteWriter {
  /// Writes bytes with changes, which are in the order of their ranges and are within the bytes.
  ///
  /// - Parameter baseOffset: Where the bytes start in the whole input.
  mutating func write(_ bytes: Span<UInt8>, baseOffset: Int, changes: [ByteChange]) {
    var position = 0
    for change in changes {
      self.bytes.append(copying: bytes.extracting(position..<change.range.lowerBound - baseOffset))
      write(change.replacement)
      position = change.range.upperBound - baseOffset
    }
    self.bytes.append(copying: bytes.extracting(droppingFirst: position))
  }
}
