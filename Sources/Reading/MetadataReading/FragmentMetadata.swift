import Basics
package import CMAF
import EventReading
import NALUnits

/// Reads the event messages of fragmented MP4 that carry no ID3, and the user data of its video.
struct FragmentMetadata: Sendable {
  private var reader: FragmentReader
  private var timeline: ProgrammeTimeline
  private var referenceTrack: Track?
  /// What came before the first fragment, on the stream's timeline.
  private var held: [TimedMetadata] = []
  /// The duration that is known to be missing before the next fragment.
  private var missing = MediaTime.zero

  /// The maximum number of held items and of their bytes.
  private static let mostHeld = 256
  private static let mostHeldBytes = 1 << 20

  /// - Parameter readsUserData: Whether the user data of the video is read.
  init(startingAt start: ProgrammeTimeline.Start, readsUserData: Bool) {
    timeline = ProgrammeTimeline(startingAt: start)
    reader = FragmentReader(samples: readsUserData ? .forUserData : .never)
  }

  /// The number of next bytes that are not needed.
  var skippable: Int { reader.skippable }

  /// Skips bytes that are not pushed, at most ``skippable``.
  mutating func skip(bytes count: Int) { reader.skip(count) }

  /// The programme time at which the video ends so far.
  var end: MediaTime? { timeline.videoEnd }

  mutating func push(_ chunk: Span<UInt8>) -> [TimedMetadata] { receive(reader.push(chunk)) }

  mutating func startSegment() -> [TimedMetadata] { receive(reader.startSegment(at: reader.offset)) }

  mutating func skip(_ duration: MediaTime) -> [TimedMetadata] {
    let found = startSegment()
    timeline.skip(duration)
    missing += max(duration, .zero)
    return found
  }

  mutating func finish() -> [TimedMetadata] {
    var found = receive(reader.finish())
    timeline.release(&held, into: &found, isLast: true)
    return found
  }

  private mutating func receive(_ items: [FragmentItem]) -> [TimedMetadata] {
    var found: [TimedMetadata] = []
    for item in items {
      switch item {
      case .initialisation(let movie):
        referenceTrack = movie.tracks.first { $0.handler == .vide } ?? movie.tracks.first { $0.handler == .soun }
      case .eventMessage(let message, let time, let offset):
        guard !message.isID3 else { continue }
        let splice = message.isSplice ? SpliceReading(message.messageData) : nil
        hold(.eventMessage(message, splice), time, offset, message.messageData.count, &found)
      case .userData(let list, let time, let offset):
        for data in list { hold(.userData(data), time, offset, data.byteCount, &found) }
      case .fragment(let fragment, _):
        follow(fragment)
        timeline.release(&held, into: &found, isLast: false)
      case .tags, .damage: break
      }
    }
    return found
  }

  private mutating func hold(
    _ content: TimedMetadata.Content, _ time: MediaTime, _ offset: Int, _ byteCount: Int, _ found: inout [TimedMetadata]
  ) {
    held.append(TimedMetadata(content: content, time: time, presentationTime: time, offset: offset, byteCount: byteCount))
    let isFull = held.count > Self.mostHeld || held.reduce(0) { $0 + $1.byteCount } > Self.mostHeldBytes
    timeline.release(&held, into: &found, isLast: isFull)
  }

  /// Extends the timeline by the reference track's part of a fragment.
  private mutating func follow(_ fragment: Fragment) {
    guard let track = referenceTrack else { return }
    for part in fragment.tracks where part.trackID == track.id {
      guard let start = part.earliestPresentationTime else { continue }
      timeline.followClock(to: start, missing: missing)
      missing = .zero
      if track.handler != .vide || part.startsWithSyncSample != false { timeline.startVideo(at: start) }
      timeline.extend(from: start, to: part.duration.map { start + $0 })
    }
  }
}

extension EventMessageBox {
  /// Whether the message is a splice, by its scheme (SCTE 214-3).
  package var isSplice: Bool { schemeID == Self.spliceScheme }
}
