package import Basics

/// Rewrites a movie fragment after changes to bytes of its samples: the runs of all its tracks state the new sizes and offsets of samples.
///
/// All other bytes stay the same.
package struct FragmentRewriter {
  private let movie: MovieHeader?
  private let changes: ByteChanges
  /// The `moof` in the whole input.
  private let movieRange: Range<Int>
  /// Where the fragment ends in the whole input.
  private let end: Int
  private let keepsSize: Bool
  /// The growth of the `moof` in bytes.
  private var movieGrowth = 0

  /// A fragment with changes in its samples.
  ///
  /// - Parameters:
  ///   - fragment: A `moof` and the boxes up to the end of its last `mdat`.
  ///   - baseOffset: Where the fragment starts in the whole input, which base_data_offset counts from.
  ///   - movie: The movie that the fragment belongs to, for the default sizes of samples.
  ///   - changes: The changes, within `mdat` boxes. Each is within a sample.
  ///   - keepsSize: Whether an empty box replaces removed bytes. If there is no room for a box, zero bytes at the end of the `mdat` replace them.
  /// - Throws: `ParseError` if a box is invalid, describes the bytes of samples in another way, or cannot hold a new value, and if changes are
  ///   outside `mdat`, or the fragment grows although it must keep its size.
  package static func rewriting(
    _ fragment: Span<UInt8>, baseOffset: Int = 0, of movie: MovieHeader?, with changes: [ByteChange], keepsSize: Bool
  ) throws(ParseError) -> [UInt8] {
    var boxes = BoxReader(fragment, baseOffset: baseOffset)
    guard let moof = try boxes.next(), moof.type == .moof else { throw ParseError(.invalid("a fragment without moof"), at: baseOffset) }
    var rewriter = FragmentRewriter(
      movie: movie, changes: try ByteChanges(changes), movieRange: baseOffset..<moof.payloadOffset + moof.payload.count,
      end: baseOffset + fragment.count, keepsSize: keepsSize)
    // The growth of the moof does not depend on the position of its data.
    rewriter.movieGrowth = try rewriter.movieChanges(moof).reduce(0) { $0 + $1.growth }
    let movieChanges = try rewriter.movieChanges(moof)
    var data = try rewriter.dataBoxes(&boxes)
    guard let last = data.indices.last, data[last].end == rewriter.end else {
      throw ParseError(.invalid("a fragment that does not end with mdat"), at: baseOffset)
    }
    let room = keepsSize ? -(rewriter.movieGrowth + rewriter.changes.growth) : 0
    guard room >= 0 else { throw ParseError(.invalid("a fragment that grows and is to keep its size"), at: baseOffset) }
    let isFilledByBox = room >= BoxHeader.smallestLength && data[last].header.size != nil
    if !isFilledByBox { data[last].growth += room }
    var sizes: [ByteChange] = []
    for box in data { sizes += try resizing(box.header, at: box.offset, by: box.growth) }
    var writer = ByteWriter(capacity: fragment.count + max(rewriter.movieGrowth + rewriter.changes.growth, 0))
    let dataChanges = (sizes + rewriter.changes.changes).sorted { $0.range.lowerBound < $1.range.lowerBound }
    writer.write(fragment, baseOffset: baseOffset, changes: movieChanges + dataChanges)
    if isFilledByBox {
      try writer.writeBox(BoxType("free")) { box throws(ParseError) in box.fill(0, count: room - BoxHeader.smallestLength) }
    } else {
      writer.fill(0, count: room)
    }
    return writer.bytes
  }

  /// Whether the fragment of a `moof` states offsets in the whole file (base_data_offset).
  package static func statesPlaces(_ moof: Span<UInt8>) -> Bool {
    guard let box = try? Box.single(moof, baseOffset: 0), var boxes = try? box.children() else { return false }
    while let child = try? boxes.next(BoxType("traf")) {
      if let header = try? TrackFragmentHeader(in: child), header.base != nil { return true }
    }
    return false
  }

  // MARK: Sizes of boxes

  /// A box with media data, and its growth.
  private struct DataBox {
    var header: BoxHeader
    var offset: Int
    var end: Int
    var growth: Int
  }

  /// The `mdat` boxes, which contain all changes.
  private func dataBoxes(_ boxes: inout BoxReader) throws(ParseError) -> [DataBox] {
    var data: [DataBox] = []
    var count = 0
    while let box = try boxes.next() {
      guard box.type == .mdat else { continue }
      let end = box.payloadOffset + box.payload.count
      count += try changes.count(upTo: end) - changes.count(upTo: box.payloadOffset)
      let growth = try changes.growth(upTo: end) - changes.growth(upTo: box.payloadOffset)
      data.append(DataBox(header: box.header, offset: box.offset, end: end, growth: growth))
    }
    guard count == changes.changes.count else { throw ParseError(.invalid("samples outside of mdat"), at: movieRange.lowerBound) }
    return data
  }

  /// Returns the change of a box's size; none if the size stays, or the box extends to the end of its container.
  private static func resizing(_ header: BoxHeader, at offset: Int, by growth: Int) throws(ParseError) -> [ByteChange] {
    guard growth != 0, let size = header.size else { return [] }
    let largest = header.hasLargeSize ? UInt64(Int64.max) : UInt64(UInt32.max)
    guard let newSize = UInt64(exactly: Int64(clamping: size) + Int64(growth)), newSize <= largest else {
      throw ParseError(.aboveLimit(what: "the size of box \(header.type)", limit: Int(clamping: largest)), at: offset)
    }
    let field = header.hasLargeSize ? offset + BoxHeader.smallestLength..<offset + 16 : offset..<offset + 4
    return [ByteChange(field, to: newSize)]
  }

  /// Returns the changes of a box's contents, preceded by the change of its size.
  private static func resizing(_ box: borrowing Box, around inner: [ByteChange]) throws(ParseError) -> [ByteChange] {
    try resizing(box.header, at: box.offset, by: inner.reduce(0) { $0 + $1.growth }) + inner
  }

  // MARK: The movie fragment

  private func movieChanges(_ moof: borrowing Box) throws(ParseError) -> [ByteChange] {
    var found: [ByteChange] = []
    var dataEnd = movieRange.lowerBound
    var boxes = try moof.children()
    while let child = try boxes.next(BoxType("traf")) { found += try trackChanges(child, &dataEnd) }
    return try Self.resizing(moof, around: found)
  }

  /// - Parameter dataEnd: The end of the previous track's data, and on return the end of this track's: the base of a track that states none.
  private func trackChanges(_ traf: borrowing Box, _ dataEnd: inout Int) throws(ParseError) -> [ByteChange] {
    let header = try TrackFragmentHeader(in: traf)
    let defaultSize = header.defaults(of: movie?.track(header.trackID)).size
    let base = header.base ?? (header.startsAtFragment ? movieRange.lowerBound : dataEnd)
    let newBase = try newOffset(of: base, at: traf.offset)
    var position = base
    var found: [ByteChange] = []
    var addedBytes = 0
    var boxes = try traf.children()
    while let child = try boxes.next() {
      try Self.requireEditable(child)
      switch child.type {
      case BoxType("tfhd"):
        var fields = child.fields
        guard try FullBoxFields(reading: &fields).flags & 0x01 != 0, newBase != base else { continue }
        // base_data_offset is the field after track_ID.
        let place = fields.offset + 4
        found.append(ByteChange(place..<place + 8, to: UInt64(clamping: newBase)))
      case BoxType("trun"):
        let ofRun = try runChanges(child, base: base, newBase: newBase, defaultSize: defaultSize, &position)
        // Runs may overlap, so the bytes added to all of them are limited, as are those added to one.
        addedBytes += ofRun.reduce(0) { $0 + $1.growth }
        guard addedBytes <= 4 * FragmentSamples.mostSamples else {
          throw ParseError(.aboveLimit(what: "number of samples", limit: FragmentSamples.mostSamples), at: child.offset)
        }
        found += ofRun
      default: break
      }
    }
    dataEnd = position
    return try Self.resizing(traf, around: found)
  }

  /// The UUID of PIFF's sample encryption box, the predecessor of `senc`.
  private static let sampleEncryption: [UInt8] = [
    0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4,
  ]

  /// Refuses boxes that describe parts of samples by their bytes.
  private static func requireEditable(_ box: borrowing Box) throws(ParseError) {
    switch box.type {
    case BoxType("senc"), BoxType("saiz"), BoxType("saio"):
      throw ParseError(.invalid("encrypted samples (\(box.type)), in which nothing can be changed: edit before encrypting"), at: box.offset)
    case .uuid where box.header.extendedType == sampleEncryption:
      throw ParseError(.invalid("encrypted samples (PIFF), in which nothing can be changed: edit before encrypting"), at: box.offset)
    case BoxType("subs"): throw ParseError(.invalid("samples with sizes of their parts (subs), which would change"), at: box.offset)
    default: break
    }
  }

  /// The offset in the new input of the bytes at `offset` in the old one.
  private func newOffset(of offset: Int, at place: Int) throws(ParseError) -> Int {
    guard offset >= movieRange.upperBound else { return offset }
    if offset > end { return keepsSize ? offset : try FragmentSamples.sum(offset, movieGrowth + changes.growth, at: place) }
    return try FragmentSamples.sum(offset, movieGrowth + changes.growth(upTo: offset), at: place)
  }

  // MARK: Runs

  /// - Parameter position: The end of the previous run, and on return the end of this one.
  private func runChanges(
    _ trun: borrowing Box, base: Int, newBase: Int, defaultSize: UInt32?, _ position: inout Int
  ) throws(ParseError) -> [ByteChange] {
    var run = try RunReader(trun)
    if let offset = run.dataOffset { position = try FragmentSamples.sum(base, Int(offset), at: trun.offset) }
    let start = position
    var found: [ByteChange] = []
    if let offset = run.dataOffset {
      guard let newOffset = Int32(exactly: try FragmentSamples.sum(newOffset(of: start, at: trun.offset), -newBase, at: trun.offset)) else {
        throw ParseError(.aboveLimit(what: "data_offset", limit: Int(Int32.max)), at: trun.offset)
      }
      // data_offset is the field after sample_count.
      let place = trun.payloadOffset + 8
      if newOffset != offset { found.append(ByteChange(place..<place + 4, to: UInt32(bitPattern: newOffset))) }
    }
    if run.hasSizes {
      found += try statedSizes(&run, &position)
    } else if run.count > 0 {
      guard let defaultSize else { throw ParseError(.invalid("samples without a size"), at: trun.offset) }
      let size = Int(clamping: UInt64(defaultSize) * UInt64(run.count))
      let end = try FragmentSamples.sum(position, size, at: trun.offset)
      if try changes.count(upTo: end) != changes.count(upTo: start) {
        // The flags precede the data offset, and the fields of samples follow it.
        found.insert(ByteChange(trun.payloadOffset..<trun.payloadOffset + 4, to: run.flagsWithSizes), at: 0)
        found.append(try addedSizes(trun, &run, defaultSize, &position))
      }
      position = end
    }
    guard start == position || isWhole(start..<position) else {
      throw ParseError(.invalid("samples within and outside of a fragment"), at: trun.offset)
    }
    return try Self.resizing(trun, around: found)
  }

  /// Whether bytes are completely before the fragment, in its data, or after it.
  private func isWhole(_ range: Range<Int>) -> Bool {
    range.upperBound <= movieRange.lowerBound || range.lowerBound > end
      || (range.lowerBound >= movieRange.upperBound && range.upperBound <= end)
  }

  /// The new size of the sample from `start` to `end`.
  private func newSize(of size: UInt32, from start: Int, to end: Int, at offset: Int) throws(ParseError) -> UInt32 {
    let growth = try changes.growth(upTo: end) - changes.growth(upTo: start)
    guard let newSize = UInt32(exactly: Int64(size) + Int64(growth)) else {
      throw ParseError(.aboveLimit(what: "the size of a sample", limit: Int(clamping: UInt32.max)), at: offset)
    }
    return newSize
  }

  /// The changes of sizes that samples state themselves.
  private func statedSizes(_ run: inout RunReader, _ position: inout Int) throws(ParseError) -> [ByteChange] {
    var found: [ByteChange] = []
    while true {
      let place = run.sampleOffset + run.sizeOffset
      guard let size = try run.next()?.size else { return found }
      let end = try FragmentSamples.sum(position, Int(clamping: size), at: place)
      let newSize = try newSize(of: size, from: position, to: end, at: place)
      if newSize != size { found.append(ByteChange(place..<place + 4, to: newSize)) }
      position = end
    }
  }

  /// Returns the fields of samples that had the default size, each with its own size.
  private func addedSizes(
    _ trun: borrowing Box, _ run: inout RunReader, _ size: UInt32, _ position: inout Int
  ) throws(ParseError) -> ByteChange {
    guard run.count <= FragmentSamples.mostSamples else {
      throw ParseError(.aboveLimit(what: "number of samples", limit: FragmentSamples.mostSamples), at: trun.offset)
    }
    let start = run.sampleOffset
    var table = ByteWriter(capacity: Int(run.count) * 4 * (run.fieldCount + 1))
    for _ in 0..<run.count {
      let fields = run.sampleOffset - trun.payloadOffset
      _ = try run.next()
      let end = try FragmentSamples.sum(position, Int(clamping: size), at: trun.offset)
      table.bytes.append(copying: trun.payload.extracting(fields..<fields + run.sizeOffset))
      table.writeUInt32(try newSize(of: size, from: position, to: end, at: trun.offset))
      table.bytes.append(copying: trun.payload.extracting(fields + run.sizeOffset..<run.sampleOffset - trun.payloadOffset))
      position = end
    }
    return ByteChange(start..<run.sampleOffset, to: table.bytes)
  }
}
