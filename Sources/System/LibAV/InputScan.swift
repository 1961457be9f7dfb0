package import Basics

/// A key frame, at which a segment can start.
package struct KeyFrame: Equatable, Sendable {
  /// When it is presented, counted from the timeline origin (the first key frame).
  package var time: MediaTime
  /// Whether no video frame that follows it in decoding order is presented before it.
  package var isClosed: Bool
}

/// Reads a file before it is copied, to find out where its segments can start.
package struct InputScan: ~Copyable {
  /// The first video stream, otherwise the first audio stream.
  package let program: MediaStream
  /// The duration that the container states; `nil` if it states none.
  package let duration: MediaTime?
  private var source: PacketSource

  /// Reads the file's packets until every stream has begun.
  ///
  /// - Parameters:
  ///   - input: The file, not yet read from.
  ///   - copied: The streams to copy, as `carriedStreams(of:)` of a remuxer returns them.
  ///   - firstPresentation: When the timeline origin is to be presented.
  /// - Throws: `RemuxError` if the file cannot be read, or has neither video nor audio.
  package init(
    _ input: consuming MediaInput, copying copied: [MediaStream], firstPresentation: MediaTime = MediaInput.usualFirstPresentation
  ) throws(RemuxError) {
    duration = input.duration
    source = try PacketSource(input, copying: copied, firstPresentation: firstPresentation)
    program = source.program
  }

  /// When the timeline origin is presented: later than requested if a stream starts long before it.
  package var origin: MediaTime { source.timeline.origin }

  /// For how long, from the timeline origin on, players show video frames that the input's edit list hides.
  ///
  /// Reads up to the first frames that are shown, instead of the key frames.
  ///
  /// - Throws: `RemuxError` if the file cannot be read on, or its timestamps make no stream.
  package mutating func hiddenVideo() throws(RemuxError) -> MediaTime {
    source.readOnly(program.index)
    var packet = try MediaPacket()
    var shownCount = 0
    while source.timeline.startsHidden, shownCount <= Timeline.largestReorderDepth, let placed = try source.next(into: &packet) {
      if placed.stream == program.index, source.timeline.firstShown != nil { shownCount += 1 }
    }
    return source.timeline.hiddenVideo
  }

  /// The key frames of the first video stream, or the packets of the first audio stream if there is no video.
  ///
  /// Reads the rest of the file, decodes nothing. The times are those at which `SegmentBoundaries.at` lets segments start.
  ///
  /// - Throws: `RemuxError` if the file cannot be read on, or its timestamps make no stream.
  package mutating func keyFrames() throws(RemuxError) -> [KeyFrame] {
    source.readOnly(program.index)
    var packet = try MediaPacket()
    var found: [KeyFrame] = []
    while let placed = try source.next(into: &packet) {
      guard placed.stream == program.index, placed.isKey || program.kind == .audio else { continue }
      found.append(KeyFrame(time: placed.presentation - origin, isClosed: placed.isClosed))
    }
    return found
  }
}
