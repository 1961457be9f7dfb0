import Basics
import GameEvents
import ID3

/// An ID3 tag with the copies of events in it.
struct TimedTag: Sendable {
  let tag: ID3Tag
  let carriage: Carriage
  let offset: Int
  let byteCount: Int
  /// When the tag is presented, on the stream's timeline; `nil` until that is known.
  private(set) var presentationTime: MediaTime?
  private let copies: [Result<EventCopy, EventError>]
  /// The programme time that a copy in the tag tells, where the presentation time is damaged.
  private var toldTime: MediaTime?

  /// Decodes a tag that starts at `offset`.
  init(decoding bytes: Span<UInt8>, carriage: Carriage, offset: Int, _ parser: inout CopyParser) throws(ParseError) {
    tag = try ID3Tag.decode(bytes)
    copies = parser.copies(in: tag)
    byteCount = bytes.count
    (self.carriage, self.offset) = (carriage, offset)
  }

  /// Says when the tag is presented, and lets its copies tell the timeline origin.
  mutating func present(at time: MediaTime, on timeline: inout ProgrammeTimeline) {
    presentationTime = time
    for case .success(let copy) in copies {
      if let told = timeline.accept(copy, presentationTime: time) { toldTime = told }
    }
  }

  /// Appends the copies of events in the tag, or else the tag, once its time and the timeline origin are known.
  func append(to items: inout [StreamItem], on timeline: ProgrammeTimeline) {
    guard let presentationTime, var time = timeline.programmeTime(of: presentationTime) else { return }
    if let toldTime {
      let distance = (time - toldTime).magnitude.decimalSeconds
      items.append(.damage(Damage(offset: offset, reason: "presentation time is \(distance) s off what the event says")))
      time = toldTime
    }
    let place = Place(
      time: time, presentationTime: presentationTime, videoTime: timeline.videoTime(of: presentationTime), carriage: carriage,
      offset: offset, byteCount: byteCount)
    if copies.isEmpty { items.append(.tag(tag, place)) }
    for copy in copies {
      switch copy {
      case .success(let copy): items.append(.copy(copy, place))
      case .failure(let error): items.append(.damage(Damage(offset: offset, reason: "unusable event: \(error)")))
      }
    }
  }
}
