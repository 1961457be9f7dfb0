package import Basics

/// One track of a program that is cut into fragments.
///
/// A class, because arrays cannot hold noncopyable values.
final class SegmentTrack {
  /// The input's stream.
  let stream: Int
  private var muxer: FragmentMuxer
  /// The last packet, which is muxed once its duration is known.
  private var last: MediaPacket
  private var lastPlaced: PlacedPacket?
  private var segment = 0
  private var open: FragmentTimes?
  private var complete: FragmentTimes?
  private var hasInitializationSegment = false
  /// How many bytes the open fragment has.
  private var byteCount = 0
  /// The latest presentation of its packets.
  private var latest = MediaTime.zero
  private let sizes: FragmentSizes

  init(stream: Int, of input: borrowing MediaInput, sizes: FragmentSizes) throws(RemuxError) {
    self.stream = stream
    self.sizes = sizes
    muxer = try FragmentMuxer(copying: stream, of: input)
    last = try MediaPacket()
  }

  /// Whether a fragment is complete. Call `endFragment` before another packet is added.
  var isComplete: Bool { complete != nil }
  /// Whether the initialization segment can be made from the packets so far, and was not yet returned.
  var owesInitializationSegment: Bool { !hasInitializationSegment && (open ?? complete) != nil }

  /// Adds a packet that belongs to `segment`, and is empty afterwards. That may complete the previous fragment.
  func add(_ packet: inout MediaPacket, _ placed: PlacedPacket, segment: Int, tally: inout PacketTally) throws(RemuxError) {
    try writeLast(next: placed.decoding, tally: &tally)
    if segment > self.segment || sizes.ends(byteCount, presentedUntil: latest, before: placed) {
      if var times = open {
        times.duration = max(placed.earliestPresentation - times.earliestPresentation, .zero)
        complete = times
        open = nil
      }
      self.segment = segment
    }
    swap(&last, &packet)
    lastPlaced = placed
  }

  /// Ends the track. That completes the open fragment, if there is one.
  func finish(tally: inout PacketTally) throws(RemuxError) {
    guard let placed = lastPlaced else { return }
    try writeLast(next: placed.decoding + placed.duration, tally: &tally)
    complete = open
    open = nil
  }

  /// Returns the initialization segment.
  func initializationSegment() throws(RemuxError) -> MuxedBytes {
    hasInitializationSegment = true
    return try muxer.drain()
  }

  /// Returns the complete fragment; `nil` if there is none.
  func endFragment() throws(RemuxError) -> MuxedFragment? {
    guard let times = complete else { return nil }
    complete = nil
    return MuxedFragment(stream: stream, times: times, bytes: try muxer.drain())
  }

  private func writeLast(next: MediaTime, tally: inout PacketTally) throws(RemuxError) {
    guard let placed = lastPlaced else { return }
    lastPlaced = nil
    let size = last.size
    guard try tally.count(muxer.write(&last, next: next)) else { return }
    if open == nil { (byteCount, latest) = (0, placed.presentation) }
    byteCount += size
    latest = max(latest, placed.presentation)
    var times = open ?? FragmentTimes(segment: segment, first: placed)
    times.earliestPresentation = min(times.earliestPresentation, placed.presentation)
    times.duration = max(times.duration, placed.presentation + placed.duration - times.earliestPresentation)
    open = times
  }
}

/// The sizes at which fragments are ended within a segment: libavformat keeps each in memory until its end.
package struct FragmentSizes: Equatable {
  /// A fragment of this number of bytes ends at the next frame that no later frame precedes in presentation order.
  var usual = 1 << 20
  /// A fragment of this number of bytes ends in any case.
  var largest = 16 << 20

  /// Whether a fragment ends before the packet that follows it in its segment.
  func ends(_ byteCount: Int, presentedUntil latest: MediaTime, before next: PlacedPacket) -> Bool {
    byteCount >= largest || (byteCount >= usual && next.earliestPresentation > latest)
  }
}

/// When a fragment is decoded and presented.
package struct FragmentTimes: Equatable, Sendable {
  /// The number of the segment that the fragment belongs to, from 0. A track without packets in a segment has no fragment of that number; of
  /// several, those after the first continue the segment.
  package var segment: Int
  /// When the first packet is decoded: the fragment's `tfdt`, which counts in the track's own timescale, to the nearest tick.
  package var decodeTime: MediaTime
  /// When its first video or audio frame is presented, which need not be its first packet.
  package var earliestPresentation: MediaTime
  /// The time from there to the track's next fragment, in the same segment or the next, for the last to the end of the last video or audio frame. A
  /// track's durations add up to the time from its first to its last moment.
  package var duration: MediaTime
  /// Whether libavformat says that decoding can start with the first packet. For H.264 that includes recovery points, for HEVC clean random
  /// access pictures (CRA).
  package var startsWithKeyFrame: Bool
  /// Whether no video frame is presented before the first packet, which such leading pictures (open GOP) follow in decoding order. They may need
  /// video frames of the fragment before, so that the fragment cannot be decoded alone.
  package var isClosed: Bool

  init(segment: Int, first: PlacedPacket) {
    self.segment = segment
    decodeTime = first.decoding
    earliestPresentation = first.earliestPresentation
    duration = .zero
    startsWithKeyFrame = first.isKey
    isClosed = first.isClosed
  }
}

/// One fragment of a track: `moof` and `mdat`.
package struct MuxedFragment: ~Copyable {
  /// The index of the input's stream.
  package let stream: Int
  /// When it is decoded and presented.
  package let times: FragmentTimes
  /// The boxes.
  package let bytes: MuxedBytes
}
