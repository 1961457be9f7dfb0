package import Basics
import NALUnits

/// Inserts tags as SEI messages into the samples of a fragment of H.264 or HEVC, without decoding anything.
///
/// The fragment is a `moof` with one track, whose samples fill the `mdat` that follows, as in our own fragments.
package struct FragmentTagWriter: Sendable {
  /// A tag, and when it is presented on the timeline of the track.
  package struct Tag: Sendable {
    package var time: MediaTime
    package var bytes: [UInt8]

    /// A tag with its time.
    package init(time: MediaTime, bytes: [UInt8]) { (self.time, self.bytes) = (time, bytes) }
  }

  private let track: Track
  private let layout: NALUnitLayout

  /// A writer for a track; `nil` if its samples do not consist of NAL units.
  package init?(_ movie: MovieHeader) {
    guard let track = movie.tracks.first, movie.tracks.count == 1, let layout = track.sampleEntries.first?.nalUnits else { return nil }
    (self.track, self.layout) = (track, layout)
  }

  /// Returns a fragment with tags: each precedes the first picture, in decoding order, that is presented at its time or later, or else the last
  /// picture.
  ///
  /// - Returns: The boxes, and how many tags are in them: if a picture cannot carry a tag, the next one does.
  /// - Throws: `ParseError` if the fragment is invalid, or becomes too large.
  package func inserting(_ tags: [Tag], into fragment: Span<UInt8>) throws(ParseError) -> (bytes: [UInt8], inserted: Int) {
    let movieSize = try Self.size(of: BoxHeader(fragment), in: fragment)
    let movie = fragment.extracting(..<movieSize)
    let dataHeader = try BoxHeader(fragment.extracting(droppingFirst: movieSize), baseOffset: movieSize)
    guard dataHeader.type == BoxType("mdat") else { throw ParseError(.invalid("box \(dataHeader.type) instead of mdat"), at: movieSize) }
    let dataEnd = movieSize + (try Self.size(of: dataHeader, in: fragment.extracting(droppingFirst: movieSize)))
    let data = movieSize + dataHeader.length..<dataEnd
    guard let samples = try FragmentSamples(movie, baseOffset: 0, of: track)?.samples, Self.fill(data, samples) else {
      throw ParseError(.invalid("samples that are not all of the fragment"), at: movieSize)
    }
    let (edited, sizes, inserted) = insert(tags, into: fragment, samples)
    var writer = ByteWriter(capacity: fragment.count + edited.count - data.count + 1_024)
    try write(movie, try Self.run(of: samples, sizes: sizes), to: &writer)
    try writer.writeBox(BoxType("mdat")) { box throws(ParseError) in box.write(edited) }
    writer.write([UInt8](copying: fragment.extracting(droppingFirst: dataEnd)))
    return (writer.bytes, inserted)
  }

  private static func size(of header: BoxHeader, in bytes: Span<UInt8>) throws(ParseError) -> Int {
    guard let size = header.size, size <= UInt64(bytes.count) else { throw ParseError(.invalid("box \(header.type) is cut off"), at: 0) }
    return Int(size)
  }

  // MARK: Samples

  /// Whether the samples are contiguous, from the first byte of the data to the last.
  private static func fill(_ data: Range<Int>, _ samples: [FragmentSamples.Sample]) -> Bool {
    var end = data.lowerBound
    for sample in samples {
      guard sample.place.lowerBound == end else { return false }
      end = sample.place.upperBound
    }
    return end == data.upperBound
  }

  /// The data of the samples with tags, and their new sizes.
  private func insert(
    _ tags: [Tag], into fragment: Span<UInt8>, _ samples: [FragmentSamples.Sample]
  ) -> (data: [UInt8], sizes: [Int], inserted: Int) {
    var data: [UInt8] = []
    var sizes = samples.map { $0.place.count }
    var inserted = 0
    var waiting: [Tag] = []
    var rest = tags[...]
    for (index, sample) in samples.enumerated() {
      let isLast = index == samples.count - 1
      while let tag = rest.first, isLast || tag.time <= sample.presentationTime { waiting += [tag]; rest.removeFirst() }
      let bytes = fragment.extracting(sample.place)
      guard !waiting.isEmpty, let place = Self.place(in: bytes, layout), let unit = unit(waiting, at: sample.presentationTime) else {
        data.append(copying: bytes)
        continue
      }
      data.append(copying: bytes.extracting(..<place))
      data += unit
      data.append(copying: bytes.extracting(place...))
      sizes[index] += unit.count
      inserted += waiting.count
      waiting = []
    }
    return (data, sizes, inserted)
  }

  /// Where the first slice of a sample starts; `nil` if it may not be preceded by messages.
  private static func place(in sample: Span<UInt8>, _ layout: NALUnitLayout) -> Int? {
    var head = AccessUnitHead(layout.codec, .lengths(layout.lengthSize))
    guard case .found(let slice, startsPicture: true) = head.push(sample) else { return nil }
    return slice
  }

  /// A NAL unit with its length; `nil` if the field is too small for that.
  private func unit(_ tags: [Tag], at time: MediaTime) -> [UInt8]? {
    let messages = tags.map { TagMessage(delay: Int32(clamping: ($0.time - time).ticks), tag: $0.bytes) }
    return layout.prefixed(TagMessage.unit(messages, layout.codec))
  }

  // MARK: The movie fragment

  /// The fields of a run that states everything about these samples: duration, size, flags and composition offset of each.
  private static func run(of samples: [FragmentSamples.Sample], sizes: [Int]) throws(ParseError) -> [UInt32] {
    var fields: [UInt32] = []
    for (sample, size) in zip(samples, sizes) {
      guard let flags = sample.flags, let size = UInt32(exactly: size), let shift = Int32(exactly: sample.compositionOffset) else {
        throw ParseError(.invalid("a sample that cannot be described"), at: sample.place.lowerBound)
      }
      fields += [sample.duration, size, flags, UInt32(bitPattern: shift)]
    }
    return fields
  }

  /// Writes the `moof` with one run, which states everything about its samples.
  private func write(_ movie: Span<UInt8>, _ run: [UInt32], to writer: inout ByteWriter) throws(ParseError) {
    // The size does not depend on the data offset.
    var measured = ByteWriter()
    try write(movie, run, dataOffset: 0, to: &measured)
    guard let dataOffset = UInt32(exactly: measured.bytes.count + BoxHeader.smallestLength) else {
      throw ParseError(.invalid("moof is too large"), at: 0)
    }
    try write(movie, run, dataOffset: dataOffset, to: &writer)
  }

  private func write(_ movie: Span<UInt8>, _ run: [UInt32], dataOffset: UInt32, to writer: inout ByteWriter) throws(ParseError) {
    try writer.writeBox(.moof) { moof throws(ParseError) in
      var boxes = try Box.single(movie, baseOffset: 0).children()
      var hasTrack = false
      while let child = try boxes.next() {
        guard child.type == BoxType("traf") else {
          try moof.writeBox(child.type) { $0.write([UInt8](copying: child.payload)) }
          continue
        }
        let header = try TrackFragmentHeader(in: child)
        guard !hasTrack, header.trackID == track.id, header.base == nil else {
          throw ParseError(.invalid("several tracks, another one, or a base of its own"), at: child.offset)
        }
        hasTrack = true
        try moof.writeBox(child.type) { traf throws(ParseError) in
          var parts = try child.children()
          var isWritten = false
          while let part = try parts.next() {
            if part.type != BoxType("trun") {
              try traf.writeBox(part.type) { $0.write([UInt8](copying: part.payload)) }
            } else if !isWritten {
              isWritten = true
              try Self.write(run, dataOffset: dataOffset, to: &traf)
            }
          }
        }
      }
    }
  }

  /// Writes a `trun` of version 1 with all fields.
  private static func write(_ run: [UInt32], dataOffset: UInt32, to writer: inout ByteWriter) throws(ParseError) {
    try writer.writeBox(BoxType("trun")) { box throws(ParseError) in
      box.writeUInt32(RunFlags.ofSamples.reduce(0x0100_0000 | RunFlags.dataOffset) { $0 | $1 })
      box.writeUInt32(UInt32(run.count / RunFlags.ofSamples.count))
      box.writeUInt32(dataOffset)
      for field in run { box.writeUInt32(field) }
    }
  }
}
