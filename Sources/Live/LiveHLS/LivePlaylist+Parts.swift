package import Basics
package import HLSPlaylist
import Stamping

// What clients of low-latency HLS get besides: the parts of segments.
extension LivePlaylist {
  /// The longest that a part of any track may last; `nil` before the first one, or without low-latency HLS.
  package var partTarget: MediaTime? { ([parts] + renditions.map(\.parts)).compactMap { $0?.target }.max() }

  /// Appends a part of the segment that comes next.
  ///
  /// - Parameter wallClock: The date of the segment's start, in milliseconds since 1970.
  /// - Returns: The files that clients of low-latency HLS may load from now on. They know of those of the very first segment once that is listed.
  package mutating func append(_ part: LivePart, wallClock: Int64) -> [SegmentFile] {
    guard parts != nil else { return [] }
    let names = [name(ofPart: part.number)] + part.audio.indices.map { name(ofPart: part.number, "-\(Self.audioName($0))") }
    let bytes = [part.bytes] + part.audio
    let segment = PartList.Open(
      start: part.segmentStart, date: PlaylistDate(milliseconds: wallClock), isDiscontinuous: isDiscontinuous(part.boundary))
    parts?.append(
      PartList.Part(
        names: zip(names, bytes).map { $1 == nil ? nil : $0 }, duration: part.duration, isIndependent: part.isIndependent),
      to: segment, target: part.target)
    return zip(names, bytes).compactMap { name, bytes in bytes.map { SegmentFile(name: name, bytes: $0) } }
  }

  /// Appends a part that another rendition has of the segment that comes next. The main track has begun it before.
  ///
  /// - Parameter index: The number of the rendition, from 0.
  /// - Returns: The file that clients of low-latency HLS may load from now on; none where it belongs to another segment.
  package mutating func append(_ part: LivePart, ofRendition index: Int) -> [SegmentFile] {
    guard var open = parts?.open, renditions.indices.contains(index),
      (open.start - part.segmentStart).magnitude <= LeadingTimeline.tolerance
    else { return [] }
    open.parts = []
    let name = name(ofPart: part.number, "-\(Self.renditionName(index))")
    let listed = PartList.Part(names: [name], duration: part.duration, isIndependent: part.isIndependent)
    renditions[index].parts?.append(listed, to: open, target: part.target)
    return [SegmentFile(name: name, bytes: part.bytes)]
  }

  /// Lists a gap in the place of the segment that is being written, since another one begins: it was given up, and players may have parts of it.
  ///
  /// - Parameters:
  ///   - start: Where the segment starts that begins, on the programme's timeline.
  ///   - now: The date, in milliseconds since 1970.
  package mutating func giveUpSegment(before start: MediaTime, now: Int64) -> Listed? {
    guard let open = parts?.open, !open.parts.isEmpty, open.start < start else { return nil }
    return appendGap(start - open.start, now: now)
  }

  /// The name of a file with a part of the segment that comes next.
  ///
  /// - Parameter suffix: What the names of its track have behind the segment's number.
  private func name(ofPart number: Int, _ suffix: String = "") -> String { "\(prefix)-\(nextSequence)\(suffix).\(number).\(fileExtension)" }

  /// The media playlists as clients of low-latency HLS get them over HTTP; none before the first segment, or without low-latency HLS.
  ///
  /// - Throws: `PlaylistError` as ``playlists()`` does.
  package func reloadedPlaylists() throws(PlaylistError) -> [ReloadedPlaylist] {
    var tracks: [(timeline: TrackTimeline, parts: PartList, number: Int, suffix: String)] = []
    if let parts {
      tracks = ([timeline] + audio).enumerated().map { ($1, parts, $0, $0 == 0 ? "" : "-\(Self.audioName($0 - 1))") }
    }
    for (index, rendition) in renditions.enumerated() {
      guard let timeline = rendition.timeline, let parts = rendition.parts else { continue }
      tracks.append((timeline, parts, 0, "-\(Self.renditionName(index))"))
    }
    tracks.removeAll { $0.parts.target == nil || $0.timeline.segments.isEmpty }
    let reports = tracks.map { PartList.Report($0.timeline.playlistName, $0.parts, nextSequence: nextSequence) }
    let longest = tracks.compactMap { $0.parts.target }.max() ?? .zero
    var playlists: [ReloadedPlaylist] = []
    for (timeline, parts, number, suffix) in tracks {
      var playlist = timeline.mediaPlaylist()
      let hint = timeline.isEnded ? nil : name(ofPart: parts.openParts, suffix)
      let others = reports.filter { !$0.name.hasSameBytes(as: timeline.playlistName) }
      parts.add(to: &playlist, track: number, hint: hint, others: others, longest: longest)
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
