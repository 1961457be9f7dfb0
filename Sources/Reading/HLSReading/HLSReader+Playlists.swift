import Basics
import EventReading
import GameEvents
import HLSPlaylist

// Playlists: the first one, the chosen one, and the media playlist again and again.

extension HLSReader {
  /// After so many failures in a row (ten target durations), a playlist is not asked for any more.
  private static let mostReloadFailures = 20
  /// After so many playlists in a row that are older than one before, the server has started afresh, and no cache is behind.
  private static let mostOlderPlaylists = 3

  /// Reads the playlist that reading starts with, or the one that was chosen there.
  mutating func readFirstPlaylist(elapsed: MediaTime, _ items: inout [HLSItem]) throws(HLSReadingError) {
    let found: Playlist
    do throws(PlaylistError) {
      found = try parsed()
    } catch {
      phase = .finished
      throw .playlist(uri: transfer.uri.text, error)
    }
    playlistURI = transfer.uri
    playlistBase = transfer.base
    switch found {
    case .media(let playlist):
      if choice == nil { try requireNoChoice() }
      take(playlist, PlaylistReload(previous: nil, current: playlist, elapsed: PlaylistDecimal(elapsed)), &items)
    case .multivariant(let playlist):
      guard choice == nil else {
        phase = .finished
        throw .nestedMultivariant(uri: transfer.uri.text)
      }
      choices = HLSChoice.choices(of: playlist)
      guard let chosen = options.rendition.choose(from: choices) else {
        phase = .finished
        throw .noSuchRendition(options.rendition, uri: transfer.uri.text, choices: choices)
      }
      choice = chosen
      variables = playlist.variables
      load(Transfer(.chosenPlaylist, URIReference(chosen.uri).resolve(base: playlistBase), limits: options.limits))
    }
  }

  /// Reads the media playlist again.
  mutating func readPlaylistAgain(elapsed: MediaTime, _ items: inout [HLSItem]) {
    guard let previous = queue?.playlist else { return }
    let playlist: MediaPlaylist
    do throws(PlaylistError) {
      guard case .media(let media) = try parsed() else {
        throw PlaylistError(.invalid("a list of variants where there was one of segments"), line: 1)
      }
      playlist = media
    } catch {
      return missReload(.playlistDamaged(uri: transfer.uri.text, error), &items)
    }
    reloadFailures = 0
    playlistBase = transfer.base
    let seconds = PlaylistDecimal(elapsed)
    let reload = PlaylistReload(previous: previous, current: playlist, elapsed: seconds)
    // Segments are only ever added at the end (RFC 8216bis, 6.2.1).
    let isOlder = playlist.mediaSequence < previous.mediaSequence || playlist.endSequence < previous.endSequence
    olderPlaylists = isOlder ? olderPlaylists + 1 : 0
    if olderPlaylists <= 1 { for problem in reload.problems { items.append(.notice(.playlistProblem(problem))) } }
    if isOlder, reload.newSegments.isEmpty, !playlist.isFinal {
      guard olderPlaylists >= Self.mostOlderPlaylists else {
        queue?.waitAgain()
        return
      }
      olderPlaylists = 0
      items.append(.notice(.playlistStartedAfresh(mediaSequence: playlist.mediaSequence)))
      isDiscontinuous = true
      return take(playlist, PlaylistReload(previous: nil, current: playlist, elapsed: seconds), &items)
    }
    for case .segmentsMissed(let count, _) in reload.problems { miss(count, in: previous, &items) }
    let discontinuitySequence = queue.map { $0.discontinuitySequence(of: previous.segments.count - 1) } ?? 0
    take(playlist, reload, &items)
    if playlist.mediaSequence > previous.endSequence, let queue, queue.discontinuitySequence(of: 0) > discontinuitySequence {
      isDiscontinuous = true
    }
  }

  /// Goes on to the next load, because the latest one brought nothing that can be read.
  mutating func missReload(_ notice: HLSNotice, _ items: inout [HLSItem]) {
    reloadFailures += 1
    if reloadFailures == 1 { items.append(.notice(notice)) }
    if reloadFailures >= Self.mostReloadFailures {
      items.append(.notice(.playlistGivenUp(uri: playlistURI.text, failures: reloadFailures)))
      return finish(&items)
    }
    queue?.waitAgain()
  }

  /// Takes the date ranges that lie in the time of the segment that comes next; where `sequence` is `nil`, hands on all that are left.
  mutating func handOnDateRanges(before sequence: UInt64?, _ items: inout [HLSItem]) {
    for entry in dateRanges.take(before: sequence) {
      do throws(EventError) {
        let copy = try entry.copy()
        heldRanges.append(HeldRange(time: copy.programmeTime ?? time(ofDate: entry.start), copy: copy, entry: entry))
      } catch {
        items.append(.notice(.unusableDateRange(id: entry.id, error)))
      }
    }
    heldRanges.sort { $0.time < $1.time }
    if sequence == nil { releaseDateRanges(upTo: nil, &items) }
  }

  /// Hands on what was found in a segment, and the date ranges between, in the order of their times.
  mutating func handOn(_ found: [HLSItem], _ items: inout [HLSItem]) {
    for item in found {
      switch item {
      case .item(.copy(_, let place), _), .item(.tag(_, let place), _): releaseDateRanges(upTo: place.time, &items)
      case .item(.damage, _), .notice: break
      }
      items.append(item)
    }
  }

  /// Hands on the date ranges up to a time, or those of the whole segment.
  mutating func releaseDateRanges(upTo time: MediaTime?, _ items: inout [HLSItem]) {
    let due = time.map { time in heldRanges.prefix { $0.time <= time } } ?? heldRanges[...]
    for range in due {
      let place = Place(
        time: range.time, presentationTime: range.time + (feed.reader.zero ?? .zero), carriage: .dateRange(id: range.entry.id), offset: 0,
        byteCount: range.entry.byteCount)
      items.append(.item(.copy(range.copy, place), in: nil))
    }
    heldRanges.removeFirst(due.count)
  }

  /// The programme time of a date; where reading has come to, if that is not known.
  private func time(ofDate date: Int64?) -> MediaTime {
    guard let date, let zeroDate else { return feed.position.time }
    return MediaTime(milliseconds: date - zeroDate)
  }

  /// The date of the programme's zero, by the segment that comes next.
  mutating func tellZeroDate(_ sequence: UInt64) {
    guard let date = dateRanges.date(of: sequence) else { return }
    zeroDate = date - feed.position.time.milliseconds
  }

  private func parsed() throws(PlaylistError) -> Playlist {
    let bytes = transfer.body
    return try Playlist(bytes.span, importing: variables, limits: options.limits.text)
  }

  /// A media playlist is the only one: only the first rendition can be meant.
  private mutating func requireNoChoice() throws(HLSReadingError) {
    guard options.rendition != .first, options.rendition != .index(0) else { return }
    phase = .finished
    throw .noSuchRendition(options.rendition, uri: transfer.uri.text, choices: [])
  }

  private mutating func take(_ playlist: MediaPlaylist, _ reload: PlaylistReload, _ items: inout [HLSItem]) {
    queue = SegmentQueue(playlist, from: reload.newSegments.lowerBound, wait: reload.wait)
    dateRanges.load(playlist, firstNew: reload.newSegments.lowerBound, at: feed.position.time)
  }

  /// Takes note that segments came and went unseen. The target duration is the best guess at theirs.
  private mutating func miss(_ count: UInt64, in playlist: MediaPlaylist, _ items: inout [HLSItem]) {
    let (seconds, overflows) = count.multipliedReportingOverflow(by: playlist.targetDuration)
    feed.lose(MediaTime(seconds: overflows ? .max : Int(clamping: seconds)), &items)
  }
}

extension MediaTime {
  /// So many milliseconds, saturating.
  fileprivate init(milliseconds: Int64) {
    let (ticks, overflows) = milliseconds.multipliedReportingOverflow(by: Self.ticksPerSecond / 1_000)
    self.init(ticks: overflows ? (milliseconds < 0 ? .min : .max) : ticks)
  }

  /// The milliseconds below.
  fileprivate var milliseconds: Int64 { ticks / (Self.ticksPerSecond / 1_000) }
}
