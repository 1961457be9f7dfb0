import Basics
import EventReading
import HLSPlaylist
package import HLSReading

/// Reads the timed metadata that is no ID3 tag from the portions of a presentation or of a stream.
///
/// It listens while the portions are read for events. Memory is bounded, whatever the stream holds.
package struct MetadataReader: Sendable {
  private enum Stretch: Sendable {
    case unknown(ContainerDetector)
    case transportStream(TransportMetadata)
    case fragments(FragmentMetadata)
    case flv(FLVMetadata)
    case other
  }

  private var stretch = Stretch.unknown(ContainerDetector())
  private var start = ProgrammeTimeline.Start()
  /// The programme time at which the next segment starts.
  private var position = MediaTime.zero
  private var part: HLSPortion.Part?
  /// The bytes of the stretch before the current part.
  private var byteCount = 0
  private var partStart = 0
  private var playlist = PlaylistMetadata()
  private var seen = SeenMetadata()
  /// The ad breaks so far; their ends are known after ``finish()``.
  package private(set) var breaks = FoundBreaks()

  private let readsUserData: Bool

  /// Starts before the first portion.
  ///
  /// - Parameter readsUserData: Whether the user data of fragmented MP4 is read, for which the samples of its video are needed.
  package init(readsUserData: Bool = true) { self.readsUserData = readsUserData }

  /// The number of next bytes of a stream that are not needed; `Int.max` if no more are.
  package var skippable: Int {
    switch stretch {
    case .unknown, .transportStream, .flv: 0
    case .fragments(let reader): reader.skippable
    case .other: .max
    }
  }

  /// Skips bytes of a stream that are not pushed, at most ``skippable``.
  package mutating func skip(bytes count: Int) {
    byteCount = byteCount.addingSaturated(count)
    guard case .fragments(var reader) = stretch else { return }
    reader.skip(bytes: count)
    stretch = .fragments(reader)
  }

  /// Receives the next portion, and returns what was found in it.
  package mutating func receive(_ portion: HLSPortion) -> [MetadataFinding] {
    switch portion {
    case .segments(let media, _, let missed):
      playlist.load(media)
      return missed.map { lose($0) } ?? []
    case .next(let number, _): return playlist.begin(number, at: position).map { note($0) }
    case .discontinuity:
      let found = end()
      stretch = .unknown(ContainerDetector())
      start = ProgrammeTimeline.Start(time: position, videoTime: position)
      byteCount = 0
      return found
    case .begin(let next):
      let found = startSegment()
      part = next
      partStart = byteCount
      return found
    case .bytes(let bytes):
      byteCount += bytes.count
      return push(bytes.span).map { note(locate($0)) }
    case .end(let duration):
      guard part?.kind == .segment else { return [] }
      advance(by: duration)
      return []
    case .lost(let duration): return lose(duration)
    case .playlist, .notice: return []
    case .finished: return finish()
    }
  }

  /// Ends the input.
  package mutating func finish() -> [MetadataFinding] {
    let last = max(position, measuredEnd ?? position)
    let found = end() + playlist.finish(at: position).map { note($0) }
    breaks.finish(at: last)
    return found
  }

  /// Receives the next bytes of a stream that comes without portions, and returns all metadata in them, repeats too.
  package mutating func push(_ bytes: Span<UInt8>) -> [TimedMetadata] {
    switch stretch {
    case .unknown(var detector):
      if detector.byteCount == 0, OtherFormat(startingWith: [UInt8](copying: bytes.extracting(first: 3))) == .flv {
        stretch = .flv(FLVMetadata(startingAt: start))
        return push(bytes)
      }
      let beginning = detector.push(bytes)
      stretch = .unknown(detector)
      guard let beginning else { return [] }
      switch detector.container {
      case .transportStream: stretch = .transportStream(TransportMetadata(startingAt: start))
      case .fragmentedMP4: stretch = .fragments(FragmentMetadata(startingAt: start, readsUserData: readsUserData))
      case .packedAudio, nil: stretch = .other
      }
      return push(beginning.view)
    case .transportStream(var reader):
      stretch = .other
      let found = reader.push(bytes)
      stretch = .transportStream(reader)
      return found
    case .fragments(var reader):
      stretch = .other
      let found = reader.push(bytes)
      stretch = .fragments(reader)
      return found
    case .flv(var reader):
      stretch = .other
      let found = reader.push(bytes)
      stretch = .flv(reader)
      return found
    case .other: return []
    }
  }

  private mutating func startSegment() -> [MetadataFinding] {
    guard case .fragments(var reader) = stretch else { return [] }
    let found = reader.startSegment()
    stretch = .fragments(reader)
    return found.map { note(locate($0)) }
  }

  private mutating func lose(_ duration: MediaTime) -> [MetadataFinding] {
    let found: [TimedMetadata]
    switch stretch {
    case .transportStream(var reader):
      found = reader.skip(duration)
      stretch = .transportStream(reader)
    case .fragments(var reader):
      found = reader.skip(duration)
      stretch = .fragments(reader)
    case .unknown, .flv, .other:
      start.skip(duration)
      found = []
    }
    advance(by: duration)
    return found.map { note(locate($0)) }
  }

  private mutating func end() -> [MetadataFinding] { endStream().map { note(locate($0)) } }

  /// Ends a stream, and returns the metadata that waited for later bytes.
  package mutating func endStream() -> [TimedMetadata] {
    let found: [TimedMetadata]
    switch stretch {
    case .transportStream(var reader): found = reader.finish()
    case .fragments(var reader): found = reader.finish()
    case .flv(var reader): found = reader.finish()
    case .unknown, .other: found = []
    }
    stretch = .other
    return found
  }

  /// Moves to the end of a segment. The video, if there is some, is more exact than the playlist.
  private mutating func advance(by duration: MediaTime) {
    if let measuredEnd, measuredEnd > position { position = measuredEnd } else { position += duration }
  }

  /// The programme time at which the video ends so far; `nil` if there is none.
  private var measuredEnd: MediaTime? {
    switch stretch {
    case .transportStream(let reader): reader.end
    case .fragments(let reader): reader.end
    case .unknown, .flv, .other: nil
    }
  }

  /// Adds the segment that contains metadata. Metadata that waited for its time may have begun in an earlier segment: it has no source then.
  private func locate(_ item: TimedMetadata) -> TimedMetadata {
    guard let part else { return item }
    var item = item
    guard item.offset >= partStart else { return item }
    item.offset = (item.offset - partStart).addingSaturated(Int(clamping: part.start))
    item.source = part.source
    return item
  }

  private mutating func note(_ item: TimedMetadata) -> MetadataFinding {
    breaks.receive(item)
    return seen.note(item)
  }
}
