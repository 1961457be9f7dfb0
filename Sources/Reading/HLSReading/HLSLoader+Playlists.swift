import Basics
import HLSPlaylist

// Playlists: the first one, the chosen one, and the media playlist again and again.

extension HLSLoader {
  /// After this number of failures in a row (ten target durations), a playlist is not requested any more.
  private static let mostReloadFailures = 20
  /// After this number of successive playlists that are older than an earlier one, a restarted server is assumed rather than an outdated cache.
  private static let mostOlderPlaylists = 3
  /// The maximum number of slips that are reported for a presentation.
  private static let mostSlips = 64

  /// Reads the playlist that reading starts with, or the one that was chosen there.
  mutating func readFirstPlaylist(elapsed: MediaTime) throws(HLSReadingError) {
    do throws(HLSReadingError) {
      switch try parsedFirstPlaylist() {
      case .media(let playlist):
        guard choice != nil || [.first, .index(0), .highestBandwidth].contains(options.rendition) else {
          // A media playlist offers no choice, so only the first rendition can be meant.
          throw .noSuchRendition(options.rendition, uri: loading.uri.text, choices: [])
        }
        report(playlist.slips)
        isSaved = isSaved(playlist)
        let reload = PlaylistReload(previous: nil, current: playlist, elapsed: PlaylistDecimal(elapsed))
        follow(playlist, reload, from: playlist.isFinal || isSaved ? 0 : first(of: playlist))
      case .multivariant(let playlist):
        report(playlist.slips)
        try choose(from: playlist)
      }
    } catch {
      phase = .finished
      portions = []
      throw error
    }
  }

  private mutating func parsedFirstPlaylist() throws(HLSReadingError) -> Playlist {
    playlistURI = loading.uri
    playlistBase = loading.base
    do throws(PlaylistError) { return try parsed() } catch { throw .playlist(uri: loading.uri.text, error) }
  }

  private mutating func choose(from playlist: MultivariantPlaylist) throws(HLSReadingError) {
    guard choice == nil else { throw .nestedMultivariant(uri: loading.uri.text) }
    choices = HLSChoice.choices(of: playlist)
    guard let chosen = options.rendition.choose(from: choices, of: playlist) else {
      throw .noSuchRendition(options.rendition, uri: loading.uri.text, choices: choices)
    }
    choice = chosen
    variables = playlist.variables
    load(Loading(.chosenPlaylist, URIReference(chosen.uri).resolve(base: playlistBase), limits: options.limits))
  }

  /// What a playlist that was loaded again leads to.
  enum Reading: Equatable {
    /// The next resource is decided as always.
    case goOn
    /// The whole playlist is loaded now, because a delta update of it could not be used.
    case loadWhole
  }

  /// After this number of delta updates that could not be used, no more are asked for.
  private static let mostUnusableUpdates = 3

  /// How the playlist is loaded again: as a delta update if the server offers them, and the playlist was loaded not longer ago than half the Skip
  /// Boundary (RFC 8216bis, 6.3.7).
  func reloading(_ queue: SegmentQueue) -> Loading {
    let whole = Loading(.reload, playlistURI, limits: options.limits)
    guard !options.loadsWholePlaylists, unusableUpdates < Self.mostUnusableUpdates, let updates = queue.playlist.deltaUpdates,
      let scheme = playlistURI.scheme?.lowercased(), ["http", "https"].contains(scheme),
      playlistAge + queue.remainingWait <= MediaTime(ticks: MediaTime(updates.skipUntil).ticks / 2)
    else { return whole }
    var uri = playlistURI
    uri.query = (uri.query.map { $0 + "&" } ?? "") + updates.directive
    return Loading(.reload, uri, isUpdate: true, limits: options.limits)
  }

  /// Reads the media playlist again.
  mutating func readPlaylistAgain(elapsed: MediaTime) -> Reading {
    let isUpdate = loading.isUpdate
    guard let previous = queue?.playlist else { return .goOn }
    let playlist: MediaPlaylist
    do throws(PlaylistError) {
      guard case .media(let media) = try parsed(updating: isUpdate ? previous : nil) else {
        throw PlaylistError(.invalid("a multivariant playlist instead of a media playlist"), line: 1)
      }
      playlist = media
    } catch {
      if isUpdate { return loadWhole() }
      missReload(.playlistDamaged(uri: loading.uri.text, error))
      return .goOn
    }
    if isUpdate, let text = try? playlist.encode() { portions.append(.playlist(text, uri: playlistURI.text)) }
    reloadFailures = 0
    playlistBase = loading.base
    report(playlist.slips)
    isSaved = isSaved(playlist)
    let seconds = PlaylistDecimal(elapsed)
    let reload = PlaylistReload(previous: previous, current: playlist, elapsed: seconds)
    // Segments are only ever added at the end (RFC 8216bis, 6.2.1).
    let isOlder = playlist.mediaSequence < previous.mediaSequence || playlist.endSequence < previous.endSequence
    olderPlaylists = isOlder ? olderPlaylists + 1 : 0
    if olderPlaylists <= 1 { for problem in reload.problems { notify(.playlistProblem(problem)) } }
    if isOlder, reload.newSegments.isEmpty, !playlist.isFinal {
      guard olderPlaylists >= Self.mostOlderPlaylists else {
        queue?.waitAgain()
        return .goOn
      }
      olderPlaylists = 0
      notify(.playlistStartedAfresh(mediaSequence: playlist.mediaSequence))
      isDiscontinuous = true
      follow(playlist, PlaylistReload(previous: nil, current: playlist, elapsed: seconds))
      return .goOn
    }
    let discontinuitySequence = queue.map { $0.discontinuitySequence(of: previous.segments.count - 1) } ?? 0
    follow(playlist, reload, missed: Self.missed(reload, previous))
    if playlist.mediaSequence > previous.endSequence, let queue, queue.discontinuitySequence(of: 0) > discontinuitySequence {
      isDiscontinuous = true
    }
    return .goOn
  }

  /// Loads the whole playlist now.
  @discardableResult
  mutating func loadWhole() -> Reading {
    unusableUpdates += 1
    load(Loading(.reload, playlistURI, limits: options.limits))
    return .loadWhole
  }

  /// Schedules the next load, because the latest one was of no use.
  mutating func missReload(_ notice: HLSNotice) {
    reloadFailures += 1
    if reloadFailures == 1 { notify(notice) }
    if reloadFailures >= Self.mostReloadFailures, !options.isPatient {
      notify(.playlistGivenUp(uri: playlistURI.text, failures: reloadFailures))
      return finish()
    }
    queue?.waitAgain()
  }

  private func parsed(updating previous: MediaPlaylist? = nil) throws(PlaylistError) -> Playlist {
    try Playlist(
      loading.body.view, importing: variables, query: loading.base.query, limits: options.limits.text, updating: previous)
  }

  /// Reports the slips of a playlist that were not reported yet: a live playlist has the same ones each time.
  private mutating func report(_ slips: [PlaylistSlip]) {
    for slip in slips where reportedSlips.count < Self.mostSlips {
      guard !reportedSlips.contains(where: { $0.isSameKind(as: slip) }) else { continue }
      reportedSlips.append(slip)
      notify(.playlistSlip(uri: playlistURI.text, slip))
    }
  }

  /// Whether a playlist without an end is in a file that was not changed for three target durations: a copy of a live playlist, or one
  /// whose writer has stopped.
  private func isSaved(_ playlist: MediaPlaylist) -> Bool {
    guard let unchanged = loading.unchanged, !playlist.isFinal, !options.isPatient else { return false }
    let target = MediaTime(seconds: Int(clamping: max(playlist.targetDuration, 1)))
    // A time in the future means that clocks differ, not that somebody writes.
    return unchanged.magnitude >= target + target + target
  }

  /// Continues with the new segments of a media playlist.
  ///
  /// - Parameter first: The segments before this index are skipped.
  private mutating func follow(_ playlist: MediaPlaylist, _ reload: PlaylistReload, from first: Int = 0, missed: MediaTime? = nil) {
    let next = max(reload.newSegments.lowerBound, first)
    playlistAge = .zero
    queue = SegmentQueue(playlist, from: next, wait: reload.wait)
    portions.append(.segments(playlist, firstNew: next, missed: missed))
  }

  /// The index of the segment that reading a live presentation starts with.
  private func first(of playlist: MediaPlaylist) -> Int {
    switch options.start {
    case .firstSegment: 0
    case .liveEdge: Self.liveEdge(of: playlist)
    case .lastSegments(let count): max(playlist.segments.count - max(count, 0), 0)
    }
  }

  /// The index of the last segment that starts three target durations or more before the end (RFC 8216, 6.3.3); the first if none does.
  private static func liveEdge(of playlist: MediaPlaylist) -> Int {
    let target = MediaTime(seconds: Int(clamping: playlist.targetDuration))
    var left = MediaTime.zero
    return playlist.segments.lastIndex { segment in
      left += MediaTime(segment.duration)
      return left >= target + target + target
    } ?? 0
  }

  /// The duration of the segments that were added and removed between two loads, if each lasted a target duration; `nil` if there were none.
  private static func missed(_ reload: PlaylistReload, _ previous: MediaPlaylist) -> MediaTime? {
    for case .segmentsMissed(let count, _) in reload.problems {
      let (seconds, overflows) = count.multipliedReportingOverflow(by: previous.targetDuration)
      return MediaTime(seconds: overflows ? .max : Int(clamping: seconds))
    }
    return nil
  }
}
