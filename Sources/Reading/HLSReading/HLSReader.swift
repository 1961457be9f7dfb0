public import Basics
public import EventReading
public import HLSPlaylist
public import TransportStream

/// Reads game events, and every other ID3 tag, out of an HLS presentation (RFC 8216).
///
/// It loads nothing and has no clock. It says in ``step`` what is to be done next and is told how that went; what it finds it returns from all of
/// these calls, in the order of the presentation. After each call, ``step`` is what counts: where it is no longer what is being loaded, loading is
/// to be given up. Memory is bounded by the playlist, however long reading goes on: segments are read as they come.
///
/// ```swift
/// var reader = HLSReader(playlist: URIReference("https://example.com/show.m3u8"))
/// while case .load(let resource) = reader.step {
///   items += try reader.receive(load(resource).span)
///   items += try reader.complete(elapsed: .zero)
/// }
/// ```
///
/// A live presentation is read from the first segment that its playlist lists, until the playlist ends. What cannot be read on the way is told
/// among the items and left out; the programme's time goes on over it.
public struct HLSReader: Sendable {
  /// The playlists that the multivariant playlist offers: variants, then renditions that have one of their own. Empty before it was read, and
  /// for a media playlist.
  public internal(set) var choices: [HLSChoice] = []
  /// Which of them is read.
  public internal(set) var choice: HLSChoice?

  enum Phase: Sendable {
    case loading
    case waiting(MediaTime)
    case finished
  }

  let options: Options
  var phase = Phase.loading
  /// What is loaded, or will be when the wait is over.
  var transfer: Transfer
  var feed = SegmentFeed()
  /// What multivariant playlists define for media playlists.
  var variables: [PlaylistVariable] = []
  /// Where the media playlist is, and where it was found when it was loaded last.
  var playlistURI: URIReference
  var playlistBase: URIReference
  /// The segments; `nil` until the media playlist is there.
  var queue: SegmentQueue?
  var dateRanges = DateRangeQueue()
  /// Those that lie in the time of the segment that is being read, in the order of their times.
  var heldRanges: [HeldRange] = []
  /// The date of the programme's zero in milliseconds since 1970, as the latest segment tells it.
  var zeroDate: Int64?
  /// How often in a row the playlist could not be loaded again, and how often it was older than before.
  var reloadFailures = 0
  var olderPlaylists = 0
  /// Whether a new stretch of the stream starts with the next segment.
  var isDiscontinuous = false
  /// The map that the reader knows.
  var map: InitializationSegment?
  /// A map that was reported as lost, and whether it is so for good.
  var lostMap: (map: InitializationSegment, isFinal: Bool)?
  var encryption = EncryptionState()
  /// Undoes the encryption of what is loaded.
  var decryptor: BlockDecryptor?

  /// Starts with the address of a playlist of either kind. It may be relative to anything that the loader knows, as a path is.
  public init(playlist: URIReference, options: Options = Options()) {
    self.options = options
    transfer = Transfer(.topPlaylist, playlist, limits: options.limits)
    playlistURI = playlist
    playlistBase = playlist
  }

  /// What is to be done next.
  public var step: Step {
    switch phase {
    case .loading: .load(transfer.resource)
    case .waiting(let time): .wait(time)
    case .finished: .finished
    }
  }

  /// The programme time up to which segments are read; `nil` before the first.
  public var end: MediaTime? { feed.start == nil ? nil : feed.position.time }

  /// The programme time at which the picture (or the sound) starts; `nil` before it is known.
  public var start: MediaTime? { feed.start }

  /// What the latest stretch of the presentation is made of; `nil` before it is known.
  public var container: Container? { feed.reader.container }

  /// The tables of the latest stretch, where that is a transport stream.
  public var tables: ProgramTables { feed.reader.tables }

  /// The media playlist as it was loaded last; `nil` before the first load.
  public var playlist: MediaPlaylist? { queue?.playlist }

  /// Takes note that what is being loaded was found at another address. What a playlist says is relative to that.
  public mutating func redirected(to uri: URIReference) {
    if case .loading = phase { transfer.base = uri }
  }

  /// Takes the next bytes of what is being loaded.
  ///
  /// Each attempt hands on the resource (or the part of it that is wanted) from its start; what came before is passed over.
  /// - Parameter tap: Given the bytes of maps and segments as they are read, each once and without encryption.
  /// - Throws: ``HLSReadingError`` where a playlist is too large to be read.
  public mutating func receive(
    _ chunk: Span<UInt8>, tap: (HLSPortion, Span<UInt8>) -> Void = { _, _ in }
  ) throws(HLSReadingError) -> [HLSItem] {
    guard case .loading = phase else { return [] }
    let new = transfer.take(chunk.count)
    guard transfer.position <= transfer.byteLimit else { return try giveUp("it is larger than \(transfer.byteLimit) bytes") }
    guard !new.isEmpty else { return [] }
    let bytes = chunk.extracting(new)
    var items: [HLSItem] = []
    if transfer.purpose.isKept {
      transfer.keep(bytes)
    } else if decryptor == nil {
      read(bytes, tap, &items)
    } else {
      do throws(BlockDecryptor.Failure) {
        let plain = try decryptor?.push(bytes) ?? []
        read(plain.span, tap, &items)
      } catch {
        loseEncrypted(error, &items)
      }
    }
    return items
  }

  /// Takes note that what is being loaded is whole.
  ///
  /// - Parameters:
  ///   - elapsed: The time since its loading began.
  ///   - tap: Given a playlist that is whole, and what encryption held back of a map or a segment.
  /// - Throws: ``HLSReadingError`` where a first playlist cannot be read.
  public mutating func complete(
    elapsed: MediaTime, tap: (HLSPortion, Span<UInt8>) -> Void = { _, _ in }
  ) throws(HLSReadingError) -> [HLSItem] {
    guard case .loading = phase else { return [] }
    guard transfer.position >= transfer.expected else {
      return try fail("only \(transfer.position) of \(transfer.expected) bytes came", isFinal: false, elapsed: elapsed)
    }
    guard transfer.purpose != .segment || transfer.position > 0 else {
      return try fail("it is empty", isFinal: false, elapsed: elapsed)
    }
    queue?.spend(elapsed)
    var items: [HLSItem] = []
    if transfer.purpose.kind == .playlist {
      let playlist = transfer.body
      tap(portion, playlist.span)
    }
    switch transfer.purpose {
    case .topPlaylist, .chosenPlaylist: try readFirstPlaylist(elapsed: elapsed, &items)
    case .reload: readPlaylistAgain(elapsed: elapsed, &items)
    case .key: takeKey(&items)
    case .map, .segment: endStream(&items, tap)
    }
    advance(&items)
    return items
  }

  /// Takes note that what is being loaded cannot be loaded, or not to its end.
  ///
  /// - Parameters:
  ///   - reason: Why, in words.
  ///   - isFinal: Whether another attempt cannot help, as where the server says that there is no such file. In a live presentation it is made all
  ///     the same, since segments may come later than the playlist that lists them.
  ///   - elapsed: The time since its loading began.
  /// - Throws: ``HLSReadingError`` where a first playlist is lost.
  public mutating func fail(_ reason: String, isFinal: Bool, elapsed: MediaTime) throws(HLSReadingError) -> [HLSItem] {
    guard case .loading = phase else { return [] }
    queue?.spend(elapsed)
    let isWorthRetrying = !isFinal || queue?.playlist.isFinal == false
    if transfer.purpose != .reload, isWorthRetrying, transfer.attempt < options.attempts {
      let pause = MediaTime(ticks: Self.firstPause.ticks << Int64(min(transfer.attempt - 1, Self.mostDoublings)))
      transfer.retry()
      phase = .waiting(pause)
      return []
    }
    return try giveUp(transfer.attempt == 1 ? reason : "\(reason), in attempt \(transfer.attempt)", isFinal: isFinal)
  }

  /// Takes note that the wait is over.
  public mutating func waited() {
    guard case .waiting(let time) = phase else { return }
    queue?.spend(time)
    phase = .loading
  }

  /// Ends reading here, and returns what was still to come.
  public mutating func stop() -> [HLSItem] {
    var items: [HLSItem] = []
    finish(&items)
    return items
  }

  /// The pause before the second attempt (half a second), and how often it is doubled at most before further ones.
  private static let firstPause = MediaTime(ticks: 45_000)
  private static let mostDoublings = 4

  /// Starts loading something, now or after a wait.
  mutating func load(_ next: Transfer, after wait: MediaTime = .zero) {
    transfer = next
    phase = wait > .zero ? .waiting(wait) : .loading
  }

  /// Ends reading.
  mutating func finish(_ items: inout [HLSItem]) {
    if case .finished = phase { return }
    phase = .finished
    feed.finish(&items)
    handOnDateRanges(before: nil, &items)
  }

  /// Goes on without what is being loaded.
  private mutating func giveUp(_ reason: String, isFinal: Bool = true) throws(HLSReadingError) -> [HLSItem] {
    var items: [HLSItem] = []
    switch transfer.purpose {
    case .topPlaylist, .chosenPlaylist:
      phase = .finished
      throw .playlistNotLoaded(uri: transfer.uri.text, reason: reason)
    case .reload: missReload(.playlistFailed(uri: transfer.uri.text, reason: reason), &items)
    case .key: loseKey(reason, isFinal: isFinal, &items)
    case .map: loseMap(reason, isFinal: isFinal, &items)
    case .segment:
      items.append(.notice(.segmentLost(source, reason: reason, read: transfer.received)))
      loseSegment(&items)
    }
    advance(&items)
    return items
  }
}
