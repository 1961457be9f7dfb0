/// What is new in a media playlist that was loaded again, and when to load it next (RFC 8216bis, 6.3.4).
public struct PlaylistReload: Equatable, Sendable {
  /// A change between two loads that should not happen.
  public enum Problem: Equatable, Sendable {
    /// The media sequence number of the first segment went back: an old copy of the playlist, or the server has restarted.
    case mediaSequenceWentBack(from: UInt64, to: UInt64)
    /// The discontinuity sequence number went back.
    case discontinuitySequenceWentBack(from: UInt64, to: UInt64)
    /// The segment with this media sequence number has changed. A different query, such as a signature, is not a change.
    case segmentChanged(mediaSequence: UInt64)
    /// This number of segments were added and removed between the two loads; the first has this media sequence number.
    case segmentsMissed(count: UInt64, from: UInt64)
  }

  /// The indices, in the new playlist, of the segments that the previous one did not have yet, by their media sequence numbers.
  package var newSegments: Range<Int>
  /// The seconds to wait until the next load; `nil` if the playlist will not change any more.
  package var wait: PlaylistDecimal?
  /// What is wrong, in the order of the cases above.
  package var problems: [Problem]

  /// Compares two loads.
  ///
  /// The next load starts a target duration after this one started, and half of that if nothing has changed.
  /// If the media sequence number went back, only segments after the previous playlist's end are new. A caller that assumes an old copy
  /// keeps the previous playlist for the next comparison; one that assumes a restart compares with `nil` again.
  /// - Parameters:
  ///   - previous: The playlist as it was loaded before; `nil` for the first load, in which every segment is new.
  ///   - current: The playlist as it is now.
  ///   - elapsed: The seconds since the loading of `current` began.
  package init(previous: MediaPlaylist?, current: MediaPlaylist, elapsed: PlaylistDecimal = .zero) {
    let firstNew = max(previous?.endSequence ?? current.mediaSequence, current.mediaSequence)
    let known = min(firstNew - current.mediaSequence, UInt64(current.segments.count))
    newSegments = Int(truncatingIfNeeded: known)..<current.segments.count
    problems = previous.map { Self.problems(from: $0, to: current) } ?? []
    wait = current.isFinal ? nil : Self.wait(for: current, isChanged: previous != current, elapsed: elapsed)
  }

  private static func wait(for playlist: MediaPlaylist, isChanged: Bool, elapsed: PlaylistDecimal) -> PlaylistDecimal {
    let seconds = Int64(min(playlist.targetDuration, UInt64(PlaylistDecimal.largestWhole)))
    let interval = seconds * (isChanged ? 1_000_000_000 : 500_000_000)
    // A clock that goes backwards must not make the wait longer.
    return PlaylistDecimal(billionths: max(0, interval - max(0, elapsed.billionths)))
  }

  private static func problems(from previous: MediaPlaylist, to current: MediaPlaylist) -> [Problem] {
    var problems: [Problem] = []
    if current.mediaSequence < previous.mediaSequence {
      problems.append(.mediaSequenceWentBack(from: previous.mediaSequence, to: current.mediaSequence))
    }
    if current.discontinuitySequence < previous.discontinuitySequence {
      problems.append(.discontinuitySequenceWentBack(from: previous.discontinuitySequence, to: current.discontinuitySequence))
    }
    let first = max(previous.mediaSequence, current.mediaSequence)
    let end = min(previous.endSequence, current.endSequence)
    if first < end {
      let before = previous.segments.dropFirst(Int(truncatingIfNeeded: first - previous.mediaSequence))
      let after = current.segments.dropFirst(Int(truncatingIfNeeded: first - current.mediaSequence))
      let changed = zip(zip(before, after), first..<end).first { pair, _ in !pair.0.isSameResource(as: pair.1) }
      if let changed { problems.append(.segmentChanged(mediaSequence: changed.1)) }
    }
    if current.mediaSequence > previous.endSequence {
      problems.append(.segmentsMissed(count: current.mediaSequence - previous.endSequence, from: previous.endSequence))
    }
    return problems
  }
}

extension MediaPlaylist {
  /// Whether the playlist will not change any more, so that it need not be loaded again (6.3.4).
  package var isFinal: Bool { isEnded || playlistType == .onDemand }
}

extension MediaSegment {
  /// Whether both name the same bytes, apart from a query.
  fileprivate func isSameResource(as other: MediaSegment) -> Bool {
    let mark = UInt8(ascii: "?")
    return byteRange == other.byteRange && uri.utf8.prefix { $0 != mark }.elementsEqual(other.uri.utf8.prefix { $0 != mark })
  }
}
