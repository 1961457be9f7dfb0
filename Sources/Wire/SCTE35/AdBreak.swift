package import Basics

/// A part of a stream for which the programme is left for advertisements, as sections announce it.
package struct AdBreak: Equatable, Sendable {
  /// What identifies a break among those that are announced or open.
  package struct Identifier: Hashable, Sendable {
    /// The segmentation type that starts it; `nil` for a splice_insert.
    package var type: SegmentationType?
    /// The splice_event_id or segmentation_event_id.
    package var eventID: UInt32

    /// An identifier.
    package init(type: SegmentationType? = nil, eventID: UInt32) { (self.type, self.eventID) = (type, eventID) }
  }

  /// How far a break has come.
  package enum State: String, Equatable, Sendable {
    /// Its time has not come.
    case announced
    /// The programme is left.
    case open
    /// The programme is back.
    case ended
  }

  /// What identifies it.
  package var id: Identifier
  /// How many breaks the stream has had before it. Unlike the event id, it never comes again.
  package var number: Int
  /// How far it has come.
  package var state = State.announced
  /// When it begins, on the clock of the places that are pushed.
  package var start: MediaTime
  /// How long it is expected to be; `nil` if no section says it.
  package var duration: MediaTime?
  /// When it ends; `nil` if no section says it for certain.
  package var end: MediaTime?
  /// Whether it ends after its duration without a further section (auto_return).
  package var returnsByItself = false
  /// The section that announces it, byte for byte: the latest one, if a later one replaced it.
  package var out: [UInt8]
  /// The section that ends it, byte for byte; `nil` before there is one.
  package var back: [UInt8]?

  /// A break that is announced.
  package init(
    _ id: Identifier, number: Int = 0, start: MediaTime, duration: MediaTime? = nil, returnsByItself: Bool = false, out: [UInt8] = []
  ) {
    (self.id, self.number, self.start, self.duration, self.returnsByItself, self.out) = (id, number, start, duration, returnsByItself, out)
    if returnsByItself, let duration { end = start + duration }
  }

  /// When it ends as far as sections say: its end, or its start and the expected duration; `nil` if none says it.
  package var expectedEnd: MediaTime? { end ?? duration.map { start + $0 } }

  /// Its name in addresses, playlists and the journal, which no other break of the stream has.
  package var name: String { "splice-\(id.eventID)-\(number)" }

  /// Whether it has a part of a time range. A break whose end nobody says goes on.
  ///
  /// - Parameters:
  ///   - from: The start of the range.
  ///   - to: The end, which does not belong to it. A range without a duration is its start.
  package func meets(from: MediaTime, to: MediaTime) -> Bool {
    // An open break whose "in" is late is still a break.
    let last = state == .open ? end : expectedEnd
    return state != .ended && (start..<max(start, last ?? MediaTime(ticks: .max))).meets(from: from, to: to)
  }
}

extension SegmentationType: Hashable {}
