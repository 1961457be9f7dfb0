import Basics
/// What a client requests of a media playlist, besides the playlist itself (delivery directives; RFC 8216bis, 6.2.5).
package struct DeliveryDirectives: Equatable, Sendable {
  /// The media sequence number that the playlist must contain before it is sent; `nil` for the present playlist.
  package var mediaSequence: UInt64?
  /// The number of the part of that segment, from 0; `nil` for the whole segment.
  package var part: UInt64?
  /// Whether the segments that the client knows are to be skipped.
  package var skips = false
  /// Whether the date ranges that the client knows are to be skipped, too.
  package var skipsDateRanges = false

  /// A request that the specification forbids, in words.
  package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// Directives for the present playlist.
  package init() {}

  /// The directives of a request.
  ///
  /// - Parameter query: The query of its address.
  /// - Throws: `Mistake` if a number is invalid, or a part is given without a segment.
  package init(query: [String: String]) throws(Mistake) {
    mediaSequence = try Self.number("_HLS_msn", in: query)
    part = try Self.number("_HLS_part", in: query)
    guard part == nil || mediaSequence != nil else { throw Mistake(description: "_HLS_part comes with _HLS_msn") }
    skips = ["YES", "v2"].contains(query["_HLS_skip"])
    skipsDateRanges = query["_HLS_skip"] == "v2"
  }

  private static func number(_ name: String, in query: [String: String]) throws(Mistake) -> UInt64? {
    guard let text = query[name] else { return nil }
    guard let number = UInt64(text, in: 0...UInt64.max), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw Mistake(description: "\(name) is a whole number")
    }
    return number
  }
}

/// The progress of a media playlist: decides whether a request for it can be answered, has to wait, or is wrong (RFC 8216bis, 6.2.5.2).
package struct PlaylistProgress: Equatable, Sendable {
  /// The decision about a request.
  package enum Decision: Equatable, Sendable {
    case answer
    /// The playlist does not contain the segment or part yet.
    case wait
    /// No client that follows the playlist asks this far ahead.
    case refuse
  }

  /// The media sequence number of the segment that is being written.
  package var nextSequence: UInt64
  /// The number of its parts that are listed.
  package var openParts: Int
  /// The number of parts of the segment before; 0 if it has none, or is a gap.
  package var lastParts: Int
  /// How many parts ahead of the playlist a client may ask for.
  package var advanceLimit: Int
  /// Whether no segment follows.
  package var isEnded: Bool

  package init(nextSequence: UInt64, openParts: Int, lastParts: Int, advanceLimit: Int, isEnded: Bool) {
    (self.nextSequence, self.openParts, self.lastParts) = (nextSequence, openParts, lastParts)
    (self.advanceLimit, self.isEnded) = (advanceLimit, isEnded)
  }

  /// Decides about a request.
  package func decide(_ directives: DeliveryDirectives) -> Decision {
    guard !isEnded, let sequence = directives.mediaSequence else { return .answer }
    // At most the second segment after the last complete one may be requested.
    guard sequence <= nextSequence || sequence - nextSequence <= 1 else { return .refuse }
    guard let part = directives.part else { return sequence < nextSequence ? .answer : .wait }
    if sequence < nextSequence {
      // A part after the last one of a segment is the first part of the next segment.
      let isNext = sequence == nextSequence - 1 && lastParts > 0 && part >= lastParts
      return isNext && openParts == 0 ? .wait : .answer
    }
    let listed = sequence == nextSequence ? openParts : 0
    guard part >= listed else { return .answer }
    return part - UInt64(listed) < UInt64(advanceLimit) ? .wait : .refuse
  }
}
