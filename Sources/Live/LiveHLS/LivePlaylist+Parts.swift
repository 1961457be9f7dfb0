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

  /// The media playlists in the form for clients of low-latency HLS over HTTP; none before the first segment, or without low-latency HLS.
  ///
  /// - Throws: `PlaylistError` as ``playlists()`` does.
  package func reloadedPlaylists() throws(PlaylistError) -> [ReloadedPlaylist] {
    let listed = tracks.compactMap { track -> (timeline: TrackTimeline, parts: PartList, role: LiveTrack.Role)? in
      guard track.isListed, let parts = track.parts, parts.target != nil else { return nil }
      return (track.timeline, parts, track.role)
    }
    let reports = listed.map { PartList.Report($0.timeline.playlistName, $0.parts, nextSequence: nextSequence) }
    let longest = partTarget ?? .zero
    var playlists: [ReloadedPlaylist] = []
    for (timeline, parts, role) in listed {
      var playlist = timeline.mediaPlaylist()
      let hint = timeline.isEnded ? nil : names.part(parts.openParts, ofSegment: nextSequence, role)
      let others = reports.filter { !$0.name.hasSameBytes(as: timeline.playlistName) }
      parts.add(to: &playlist, hint: hint, others: others, longest: longest)
      let skippable = PartList.skippable(playlist)
      let progress = PlaylistProgress(
        nextSequence: nextSequence, openParts: parts.openParts, lastParts: parts.lastParts, advanceLimit: parts.advanceLimit,
        isEnded: timeline.isEnded)
      playlists.append(
        ReloadedPlaylist(
          name: timeline.playlistName, bytes: try playlist.encode(), update: skippable > 0 ? try playlist.encode(skipping: skippable) : nil,
          progress: progress, hints: hint.map { [$0] } ?? []))
    }
    return playlists
  }
}
