import Basics
import DASH

/// The sections of an input as event messages of fragmented MP4.
struct SpliceMessages: Sendable {
  private struct Message: Sendable {
    var splice: InputSplices.Splice
    var isRepeat: Bool
  }

  private var waiting: ArraySlice<Message> = []

  /// The messages of sections.
  init(_ splices: InputSplices) {
    var known: Set<UInt32> = []
    for splice in splices.all {
      guard let id = splice.event(origin: .zero)?.id else { continue }
      waiting.append(Message(splice: splice, isRepeat: !known.insert(id).inserted))
    }
  }

  /// The boxes of the sections that lie before the end of a fragment, once. A repeat whose time has passed has no box.
  ///
  /// - Parameters:
  ///   - fragment: The times that the fragment presents, on the programme's timeline.
  ///   - origin: When the timeline origin is presented, on the stream's timeline.
  mutating func boxes(before fragment: Range<MediaTime>, origin: MediaTime) throws(ParseError) -> [UInt8] {
    var boxes: [UInt8] = []
    while let message = waiting.first, message.splice.place < fragment.upperBound {
      waiting.removeFirst()
      guard !message.isRepeat || message.splice.time >= fragment.lowerBound else { continue }
      boxes += try message.splice.event(origin: origin)?.box(origin: origin) ?? []
    }
    return boxes
  }

  /// The sections as events of an MPD, each once.
  ///
  /// - Parameter origin: When the timeline origin is presented, on the stream's timeline.
  func events(origin: MediaTime) -> [EventStream.Event] {
    waiting.filter { !$0.isRepeat }.compactMap { $0.splice.event(origin: origin)?.listed }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
  }
}

extension InputSplices.Splice {
  /// The section as an event; `nil` if it says nothing of the programme.
  ///
  /// - Parameter origin: When the timeline origin is presented, on the stream's timeline.
  fileprivate func event(origin: MediaTime) -> SpliceEvent? { SpliceEvent(section, bytes, written: moved(to: origin), at: time) }
}
