import Basics
import Files
import HLSPlaylist

/// Writes the files of a track: the initialization segment, and one segment after another.
///
/// A class, because arrays cannot hold noncopyable values.
final class TrackWriter: ByteSink {
  private(set) var timeline: TrackTimeline
  /// The number of bytes of all segments so far.
  private(set) var byteCount = 0
  private let names: TrackNames
  private var file: FileSink?
  /// The hash of all bytes and of the segments' durations, if it was asked for.
  private(set) var hash = RunningHash()
  private let makesHash: Bool
  private let encryption: SegmentEncryption?
  /// Encrypts the segment that is being written.
  private var cipher: SegmentCipher?
  private var encryptionFailed = false
  /// The segment that is being written.
  private(set) var open: TrackTimeline.Segment?

  /// A track without files.
  ///
  /// - Parameters:
  ///   - origin: When the timeline origin is presented, on the stream's timeline.
  ///   - encryption: How segments are encrypted; `nil` if they are not.
  ///   - makesHash: Whether `hash` is made, which tells whether two tracks are the same.
  init(_ names: TrackNames, origin: MediaTime, encryption: SegmentEncryption? = nil, makesHash: Bool = false) {
    self.names = names
    self.makesHash = makesHash
    self.encryption = encryption
    timeline = TrackTimeline(playlistName: names.playlist)
    timeline.origin = origin
    timeline.segmentNames = names.segments
  }

  /// Sets when the timeline origin is presented, once that is known better than from the input.
  func setOrigin(_ origin: MediaTime) { timeline.origin = origin }

  /// Writes the initialization segment. Must be called before the first segment.
  func writeInitializationSegment(_ bytes: Span<UInt8>, in folder: inout PresentationFolder) throws(StampingError) {
    if makesHash { hash.add(bytes) }
    try folder.write(names.initializationSegment, bytes)
    timeline.initializationSegment = names.initializationSegment
  }

  /// Ends the current segment, if there is one, and begins the next.
  ///
  /// - Parameters:
  ///   - number: The number of the main track's segment that it goes with; `nil` in the main track.
  ///   - start: When its first frame is presented, on the stream's timeline.
  ///   - isIndependent: Whether all of it can be decoded without the segment before.
  func startSegment(
    number: Int? = nil, at start: MediaTime, isIndependent: Bool = true, in folder: inout PresentationFolder
  ) throws(StampingError) {
    try endSegment(at: start)
    if !isIndependent { timeline.hasIndependentSegments = false }
    let name = names.segments.name(timeline.segments.count)
    file = try folder.makeFile(name)
    open = TrackTimeline.Segment(name: name, number: number ?? timeline.segments.count, start: start, duration: .zero)
    if let encryption {
      let key = encryption.key(of: timeline.segments.count, in: names.playlist)
      open?.key = key
      cipher = SegmentCipher(encryption, vector: key.initializationVector(mediaSequence: 0))
    }
  }

  /// Adds bytes to the segment.
  func write(_ bytes: Span<UInt8>) {
    byteCount += bytes.count
    if makesHash { hash.add(bytes) }
    guard cipher != nil else { return put(bytes) }
    guard let encrypted = cipher?.push(bytes) else {
      encryptionFailed = true
      return
    }
    put(encrypted.span)
  }

  private func put(_ bytes: Span<UInt8>) {
    open?.byteCount += bytes.count
    file?.write(bytes)
  }

  func check() throws(FileSinkError) { try file?.check() }

  /// Ends the last segment, and with it the track.
  func finish(at end: MediaTime) throws(StampingError) {
    try endSegment(at: end)
    timeline.isEnded = true
  }

  private func endSegment(at end: MediaTime) throws(StampingError) {
    if var last = cipher.take(), let encrypted = last.finish() {
      put(encrypted.span)
    } else if encryption != nil, open != nil {
      encryptionFailed = true
    }
    guard !encryptionFailed else { throw .notEncrypted }
    guard var segment = open.take(), let file = file.take() else { return }
    try file.complete()
    segment.duration = end - segment.start
    if makesHash { hash.add(UInt64(truncatingIfNeeded: segment.duration.ticks)) }
    _ = timeline.append(segment)
  }
}
