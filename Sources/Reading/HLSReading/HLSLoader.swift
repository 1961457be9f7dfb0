package import Basics
package import HLSPlaylist

/// Decides what to load of an HLS presentation (RFC 8216): playlists, keys, initialization segments and segments, with retries and
/// decryption.
///
/// It performs no I/O and has no clock. ``step`` says what to do next. The caller reports how that went, and each report returns the
/// next portions of the presentation.
package struct HLSLoader: Sendable {
  /// The playlists that the multivariant playlist offers. Empty before it was read, and for a media playlist.
  package internal(set) var choices: [HLSChoice] = []
  /// The one that is read.
  package internal(set) var choice: HLSChoice?

  /// What the caller has to do now.
  enum Phase: Sendable {
    case loading
    /// Wait for this long, and then load.
    case waiting(MediaTime)
    case finished
  }

  let options: HLSReader.Options
  var phase = Phase.loading
  /// The resource that is being loaded, or will be after the wait.
  var loading: Loading
  /// The portions since the last call.
  var portions: [HLSPortion] = []
  /// The variables that multivariant playlists define for media playlists.
  var variables: [PlaylistVariable] = []
  /// The address of the media playlist, and the one where it was found at the last load.
  var playlistURI: URIReference
  var playlistBase: URIReference
  /// The segments; `nil` until the media playlist was loaded.
  var queue: SegmentQueue?
  /// How many reloads in a row have failed, and how many returned an older playlist.
  var reloadFailures = 0
  var olderPlaylists = 0
  /// Whether a new stretch of the stream starts with the next segment.
  var isDiscontinuous = false
  /// The initialization segment that was yielded last in this stretch.
  var initialization: InitializationSegment?
  /// An initialization segment that was reported as lost, and whether that is final.
  var lostInitialization: (segment: InitializationSegment, isFinal: Bool)?
  var encryption = EncryptionState()
  /// Whether the playlist has no end, but is in a file that nobody extends any more.
  var isSaved = false
  /// The slips of playlists that were reported.
  var reportedSlips: [PlaylistSlip] = []
  /// The time since the playlist was loaded, and how many delta updates of it could not be used.
  var playlistAge = MediaTime.zero
  var unusableUpdates = 0
  /// Decrypts the current resource.
  var decryptor: BlockDecryptor?

  /// The pause before the second attempt (half a second), and the maximum number of times that it is doubled for further ones.
  private static let firstPause = MediaTime(ticks: 45_000)
  private static let mostDoublings = 4

  /// Starts with the address of a playlist of either kind.
  package init(playlist: URIReference, options: HLSReader.Options) {
    self.options = options
    loading = Loading(.topPlaylist, playlist, limits: options.limits)
    playlistURI = playlist
    playlistBase = playlist
  }

  /// What to do next.
  package var step: HLSReader.Step {
    switch phase {
    case .loading: .load(loading.resource)
    case .waiting(let time): .wait(time)
    case .finished: .finished
    }
  }

  /// The media playlist as it was loaded last; `nil` before the first load.
  package var playlist: MediaPlaylist? { queue?.playlist }

  /// Where the resource that is loaded was found.
  package var base: URIReference { loading.base }

  /// Whether the media playlist is final; `nil` before it was loaded.
  var isFinal: Bool? { queue.map { $0.playlist.isFinal || isSaved } }

  /// Records that the resource was found at another address. References in a playlist are relative to that one.
  package mutating func redirected(to uri: URIReference) { if case .loading = phase { loading.base = uri } }

  /// Records that the resource is in a file, and for how long that was not changed.
  package mutating func unchanged(for time: MediaTime) { if case .loading = phase { loading.unchanged = time } }

  /// Receives the next bytes of the resource, which each attempt provides from its start. Bytes of an earlier attempt are skipped.
  ///
  /// - Throws: ``HLSReadingError`` if a first playlist is too large.
  package mutating func receive(_ chunk: ArraySlice<UInt8>) throws(HLSReadingError) -> [HLSPortion] {
    guard case .loading = phase else { return [] }
    let bytes = loading.accept(chunk)
    guard loading.position <= loading.byteLimit else {
      return try giveUp(HLSLoadFailure(.refused, "it is larger than \(loading.byteLimit) bytes"))
    }
    if loading.purpose.isKept {
      loading.keep(bytes)
    } else if decryptor == nil {
      yield(bytes)
    } else {
      do throws(BlockDecryptor.Failure) {
        yield(try decryptor?.push(bytes) ?? [])
      } catch {
        loseEncrypted(error)
      }
    }
    return flush()
  }

  /// Records that the resource was loaded completely.
  ///
  /// - Parameter elapsed: The time since its loading began.
  /// - Throws: ``HLSReadingError`` if a first playlist cannot be read.
  package mutating func complete(elapsed: MediaTime) throws(HLSReadingError) -> [HLSPortion] {
    guard case .loading = phase else { return [] }
    guard loading.position >= loading.expected else {
      return try fail(HLSLoadFailure(.temporary, "only \(loading.position) of \(loading.expected) bytes came"), elapsed: elapsed)
    }
    guard loading.purpose != .segment || loading.position > 0 else {
      return try fail(HLSLoadFailure(.temporary, "it is empty"), elapsed: elapsed)
    }
    spend(elapsed)
    if loading.purpose.kind == .playlist, !loading.isUpdate { portions.append(.playlist(loading.body, uri: loading.uri.text)) }
    switch loading.purpose {
    case .topPlaylist, .chosenPlaylist: try readFirstPlaylist(elapsed: elapsed)
    case .reload: if readPlaylistAgain(elapsed: elapsed) == .loadWhole { return flush() }
    case .key: keepKey()
    case .initializationSegment, .segment: endPart()
    }
    advance()
    return flush()
  }

  /// Records that the resource cannot be loaded, or not to its end. In a live presentation another attempt is made whatever the
  /// failure, because segments may appear later than the playlist that lists them.
  ///
  /// - Parameter elapsed: The time since its loading began.
  /// - Throws: ``HLSReadingError`` if a first playlist is lost.
  package mutating func fail(_ failure: HLSLoadFailure, elapsed: MediaTime) throws(HLSReadingError) -> [HLSPortion] {
    guard case .loading = phase else { return [] }
    spend(elapsed)
    let isWorthRetrying = failure.kind == .temporary || isFinal == false
    if loading.purpose != .reload, isWorthRetrying, loading.attempt < options.attempts {
      let pause = MediaTime(ticks: Self.firstPause.ticks << Int64(min(loading.attempt - 1, Self.mostDoublings)))
      loading.retry()
      phase = .waiting(pause)
      return []
    }
    guard loading.attempt > 1 else { return try giveUp(failure) }
    return try giveUp(HLSLoadFailure(failure.kind, "\(failure.reason), in attempt \(loading.attempt)"))
  }

  /// Records that the wait is over.
  package mutating func waited() {
    guard case .waiting(let time) = phase else { return }
    spend(time)
    phase = .loading
  }

  /// Stops loading.
  package mutating func stop() { phase = .finished }

  /// Counts elapsed time.
  private mutating func spend(_ time: MediaTime) {
    queue?.spend(time)
    playlistAge += max(time, .zero)
  }

  /// Starts loading something, now or after a wait.
  mutating func load(_ next: Loading, after wait: MediaTime = .zero) {
    loading = next
    phase = wait > .zero ? .waiting(wait) : .loading
  }

  /// Ends the presentation.
  mutating func finish() {
    phase = .finished
    portions.append(.finished)
  }

  mutating func yield(_ bytes: ArraySlice<UInt8>) { if !bytes.isEmpty { portions.append(.bytes(bytes)) } }

  mutating func notify(_ notice: HLSNotice) { portions.append(.notice(notice)) }

  private mutating func flush() -> [HLSPortion] {
    defer { portions = [] }
    return portions
  }

  /// Continues without the current resource.
  private mutating func giveUp(_ failure: HLSLoadFailure) throws(HLSReadingError) -> [HLSPortion] {
    switch loading.purpose {
    case .topPlaylist, .chosenPlaylist:
      phase = .finished
      throw .playlistNotLoaded(uri: loading.uri.text, failure)
    case .reload where loading.isUpdate:
      loadWhole()
      return flush()
    case .reload: missReload(.playlistFailed(uri: loading.uri.text, reason: failure.reason))
    case .key: loseKey(failure.reason, isFinal: failure.isFinal)
    case .initializationSegment: loseInitialization(failure.reason, isFinal: failure.isFinal)
    case .segment:
      notify(.segmentLost(source, reason: failure.reason, read: loading.received))
      loseSegment()
    }
    advance()
    return flush()
  }
}

extension HLSLoadFailure {
  fileprivate var isFinal: Bool { kind != .temporary }
}
