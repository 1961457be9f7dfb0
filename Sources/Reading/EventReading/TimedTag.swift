import Basics
import GameEvents
import ID3

/// An ID3 tag with the copies of events in it.
struct TimedTag: Sendable {
  let tag: ID3Tag
  let carriage: Carriage
  let offset: Int
  let byteCount: Int
  /// Whether its first bytes were missing.
  private let isRestored: Bool
  /// When the tag is presented, on the stream's timeline; `nil` until that is known.
  private(set) var presentationTime: MediaTime?
  private let copies: [Result<EventCopy, EventError>]
  /// The position of the stream when the tag came. It is reliable, while the tag's own presentation time may be damaged.
  private var position: ClosedRange<MediaTime>?

  /// Decodes a tag that starts at `offset`.
  init(
    decoding bytes: Span<UInt8>, isRestored: Bool = false, carriage: Carriage, offset: Int, _ parser: inout CopyParser
  ) throws(ParseError) {
    tag = try ID3Tag.decode(bytes)
    copies = parser.copies(in: tag)
    byteCount = bytes.count
    (self.carriage, self.offset, self.isRestored) = (carriage, offset, isRestored)
  }

  /// Whether a frame of the tag is an event, usable or not.
  var hasEvents: Bool { !copies.isEmpty }

  /// Sets when the tag is presented, and derives the timeline origin from its copies.
  mutating func present(at time: MediaTime, on timeline: inout ProgrammeTimeline) {
    presentationTime = time
    let position = timeline.position ?? time
    self.position = position...position
    for case .success(let copy) in copies { timeline.accept(copy, presentationTime: time) }
  }

  /// Whether a copy tells a time at which the stream is not.
  func isForeign(on timeline: ProgrammeTimeline) -> Bool {
    guard !timeline.keepsOtherTimes, let position = position.flatMap({ timeline.programmeTimes(of: $0) }) else { return false }
    return copies.contains { toldTime($0).map { Self.isForeign($0, at: position) } ?? false }
  }

  /// Sets the position of the stream, if it was unknown when the tag came.
  mutating func stand(at position: ClosedRange<MediaTime>) { self.position = position }

  /// Appends the copies of events in the tag, or else the tag, once its time and the timeline origin are known.
  ///
  /// If a copy tells another time, its presentation time is damaged, and the copy's own time is used. But a copy that tells a time far from the
  /// stream's position comes from another programme, and is left out, because it would move the game to that programme's time. If events of
  /// other times are kept, it is one whose presentation time is damaged.
  func append(to items: inout [StreamItem], on timeline: ProgrammeTimeline) {
    guard let presentationTime, var time = timeline.programmeTime(of: presentationTime) else { return }
    let position = position.flatMap { timeline.programmeTimes(of: $0) } ?? time...time
    func isForeign(_ told: MediaTime) -> Bool { !timeline.keepsOtherTimes && Self.isForeign(told, at: position) }
    var isDamaged = false
    for told in copies.compactMap({ toldTime($0) }) where (told - time).magnitude > ProgrammeClock.tolerance {
      guard !isDamaged, !isForeign(told) else { continue }
      items.append(Self.damage("presentation time is \((time - told).magnitude.decimalSeconds) s off what the event says", at: offset))
      (time, isDamaged) = (told, true)
    }
    let place = Place(
      time: time, presentationTime: presentationTime, videoTime: timeline.videoTime(of: presentationTime), carriage: carriage,
      offset: offset, byteCount: byteCount, isRestored: isRestored)
    if copies.isEmpty { items.append(.tag(tag, place)) }
    for copy in copies {
      switch copy {
      case .success(let event):
        if let told = toldTime(copy), isForeign(told) {
          let distance = Self.distance(told, from: position).decimalSeconds
          items.append(Self.damage("event of another time, \(distance) s off: left out", at: offset))
        } else {
          items.append(.copy(event, place))
        }
      case .failure(let error): items.append(Self.damage("unusable event: \(error)", at: offset))
      }
    }
  }

  private static func damage(_ reason: String, at offset: Int) -> StreamItem { .damage(Damage(offset: offset, reason: reason)) }

  /// The programme time at which a copy says that it is presented, if a checksum confirms it.
  private func toldTime(_ copy: Result<EventCopy, EventError>) -> MediaTime? {
    guard case .success(let copy) = copy, copy.isVerified else { return nil }
    return copy.programmeTime
  }

  private static func isForeign(_ told: MediaTime, at position: ClosedRange<MediaTime>) -> Bool {
    distance(told, from: position) > ProgrammeClock.longestLead
  }

  private static func distance(_ told: MediaTime, from position: ClosedRange<MediaTime>) -> MediaTime {
    max(position.lowerBound - told, told - position.upperBound, .zero)
  }
}
