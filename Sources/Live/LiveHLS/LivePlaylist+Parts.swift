package import Basics
package import HLSPlaylist
import Stamping

// For clients of low-latency HLS: the parts of segments.
extension LivePlaylist {
  /// The maximum duration of a part of any track; `nil` before the first one, or without low-latency HLS.
  package var partTarget: MediaTime? { tracks.compactMap { $0.parts?.target }.max() }

  /// Appends a part of the next segment.
  ///
  /// - Parameter wallClock: The date of the segment's start, in milliseconds since 1970.
  /// - Returns: The files that clients of low-latency HLS may load from now on. Clients learn of the parts of the very first segment once that is
  ///   listed.
  package mutating func append(_ part: LivePart, wallClock: Int64) -> [SegmentFile] {
    guard hasParts else { return [] }
    addAudio(part.audio.count)
    let segment = PartList.Open(
      start: part.segmentStart, date: PlaylistDate(milliseconds: wallClock), isDiscontinuous: isDiscontinuous(part.boundary))
    return ([part.bytes] + part.audio).enumerated().compactMap { append($1, of: part, to: segment, $0) }
  }

  /// Appends a part of another rendition's next segment. The main track has begun that segment before.
  ///
  /// - Parameter index: The number of the rendition, from 0.
  /// - Returns: The file that clients of low-latency HLS may load from now on; none if it belongs to another segment.
  package mutating func append(_ part: LivePart, ofRendition index: Int) -> [SegmentFile] {
    guard var open = tracks[0].parts?.open, let track = tracks.firstIndex(where: { $0.role == .rendition(index) }),
      (open.start - part.segmentStart).magnitude <= LeadingTimeline.tolerance
    else { return [] }
    open.parts = []
    return [append(part.bytes, of: part, to: open, track)].compactMap(\.self)
  }

  /// Appends a track's bytes of a part; `nil` for none.
  private mutating func append(_ bytes: [UInt8]?, of part: LivePart, to segment: PartList.Open, _ track: Int) -> SegmentFile? {
    let file = bytes.map { SegmentFile(name: names.part(part.number, ofSegment: nextSequence, tracks[track].role), bytes: $0) }
    tracks[track].parts?.append(
      PartList.Part(name: file?.name, duration: part.duration, isIndependent: part.isIndependent), to: segment, target: part.target)
    return file
  }

  /// Lists a gap instead of the segment that is being written, which was given up because another one begins: players may have parts of it.
  ///
  /// - Parameters:
  ///   - start: The start of the segment that begins, on the programme's timeline.
  ///   - now: The date, in milliseconds since 1970.
  package mutating func giveUpSegment(before start: MediaTime, now: Int64) -> Listed? {
    guard let open = tracks[0].parts?.open, !open.parts.isEmpty, open.start < start else { return nil }
    return appendGap(start - open.start, now: now)
  }

  /// The media playlists in the form for clients over HTTP that may ask for something of them: for parts of low-latency HLS, or for delta updates. None
  /// before the first segment, or if nothing of that is offered.
  ///
  /// - Throws: `PlaylistError` as ``playlists()`` does.
  package func reloadedPlaylists() throws(PlaylistError) -> [ReloadedPlaylist] {
    guard hasParts || offersRangeDeltas else { return [] }
    let listed = tracks.filter { $0.isListed && (!hasParts || $0.parts?.target != nil) }
    let reports = listed.compactMap { track in
      track.parts.map { PartList.Report(track.timeline.playlistName, $0, nextSequence: nextSequence) }
    }
    let longest = partTarget ?? .zero
    var playlists: [ReloadedPlaylist] = []
    for track in listed {
      let timeline = track.timeline
      var playlist = mediaPlaylist(of: timeline)
      var control = playlist.skipControl
      if offersRangeDeltas { control += ",CAN-SKIP-DATERANGES=YES" }
      var reloaded = ReloadedPlaylist(name: timeline.playlistName, bytes: [], hints: [])
      if let parts = track.parts {
        let hint = timeline.isEnded ? nil : names.part(parts.openParts, ofSegment: nextSequence, track.role)
        let others = reports.filter { !$0.name.hasSameBytes(as: timeline.playlistName) }
        parts.add(to: &playlist, control: control, hint: hint, others: others, longest: longest)
        reloaded.progress = PlaylistProgress(
          nextSequence: nextSequence, openParts: parts.openParts, lastParts: parts.lastParts, advanceLimit: parts.advanceLimit,
          isEnded: timeline.isEnded)
        reloaded.hints = hint.map { [$0] } ?? []
      } else {
        playlist.unknownTags.append("#EXT-X-SERVER-CONTROL:\(control)")
      }
      reloaded.bytes = try playlist.encode()
      let skippable = playlist.skippableSegments
      if skippable > 0 {
        reloaded.update = try playlist.encode(skipping: PlaylistDelta(segments: skippable))
        if offersRangeDeltas {
          let ranges = dateRanges.delta(boundary: playlist.skipBoundary)
          reloaded.rangeUpdate = try playlist.encode(skipping: PlaylistDelta(segments: skippable, dateRanges: ranges))
        }
      }
      playlists.append(reloaded)
    }
    return playlists
  }
}

/// Delta updates of a media playlist (RFC 8216bis, 6.2.5.1).
extension MediaPlaylist {
  /// The distance from the end, in target durations, beyond which segments can be skipped for clients that know them.
  private static let skippedTargets: UInt64 = 6

  /// Clients that have loaded a playlist within this time can ask for a delta update.
  var skipBoundary: MediaTime { MediaTime(seconds: Int(clamping: targetDuration * Self.skippedTargets)) }

  /// The attribute of EXT-X-SERVER-CONTROL that says so.
  fileprivate var skipControl: String { "CAN-SKIP-UNTIL=\(PlaylistDecimal(skipBoundary).text)" }

  /// The number of segments that a client knows if it has loaded the playlist lately.
  var skippableSegments: Int {
    var behind = PlaylistDecimal.zero.billionths
    let boundary = PlaylistDecimal(skipBoundary).billionths
    for index in segments.indices.reversed() {
      if behind >= boundary { return index + 1 }
      behind += segments[index].duration.billionths
    }
    return 0
  }
}
