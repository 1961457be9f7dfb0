import Basics
import CMAF
import DASH
import SCTE35

/// The sections of an input as event messages of fragmented MP4 (SCTE 214-3).
struct SpliceMessages: Sendable {
  /// A section as an event.
  private struct Message: Sendable {
    var splice: InputSplices.Splice
    /// Identifies the event: the same section at the same time is one, however often it is sent.
    var id: UInt32
    var isRepeat: Bool
  }

  private var waiting: ArraySlice<Message> = []

  /// No sections.
  init() {}

  /// The messages of sections. Heartbeats and reservations of bandwidth say nothing of the programme, and are left out.
  init(_ splices: InputSplices) {
    struct Key: Hashable {
      var bytes: [UInt8]
      var time: Int64
    }
    var ids: [Key: UInt32] = [:]
    for splice in splices.all {
      switch splice.section.command {
      case .null, .bandwidthReservation: continue
      case .schedule, .insert, .timeSignal, .privateCommand, .unknown, .encrypted: break
      }
      let key = Key(bytes: splice.bytes, time: splice.time.ticks)
      let known = ids[key]
      let id = known ?? UInt32(clamping: ids.count + 1)
      ids[key] = id
      waiting.append(Message(splice: splice, id: id, isRepeat: known != nil))
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
      boxes += try EventMessageBox(message.splice, id: message.id, origin: origin).encoded()
    }
    return boxes
  }

  /// The sections as events of an MPD, each once.
  ///
  /// - Parameter origin: When the timeline origin is presented, on the stream's timeline.
  func events(origin: MediaTime) -> [EventStream.Event] {
    waiting.filter { !$0.isRepeat }.map { message in
      EventStream.Event(
        time: message.splice.time, duration: message.splice.duration, id: message.id, .splice(message.splice.moved(to: origin)))
    }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
  }
}

extension InputSplices.Splice {
  /// How long the break lasts that the section announces; `nil` if it says none.
  fileprivate var duration: MediaTime? {
    section.breakCues.first { $0.isOut }?.duration.map { MediaTime(ticks: Int64(clamping: $0)) }
  }
}

extension EventMessageBox {
  /// A section at the time at which it takes effect.
  fileprivate init(_ splice: InputSplices.Splice, id: UInt32, origin: MediaTime) {
    let duration = splice.duration.map { UInt32(clamping: $0.ticks) } ?? Self.unknownDuration
    self.init(
      schemeID: Self.spliceScheme, time: .absolute(UInt64(clamping: (origin + splice.time).ticks)), eventDuration: duration, id: id,
      messageData: splice.moved(to: origin))
  }
}
