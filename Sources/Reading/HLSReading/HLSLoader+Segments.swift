import Basics
import HLSPlaylist

// Segments: what to load for them, in which order, and with which outcome.

extension HLSLoader {
  /// The next segment, for messages.
  var source: HLSSource { HLSSource(uri: queue?.current?.uri ?? "", mediaSequence: queue?.sequence ?? 0) }

  /// Advances to the next resource that must be loaded, past everything that needs no loading.
  mutating func advance() {
    // The loader may be waiting for a playlist.
    guard case .loading = phase, queue != nil else { return }
    while let segment = queue?.current {
      announce(segment)
      if let next = next(for: segment) { return load(next) }
    }
    guard let queue else { return }
    if queue.playlist.isFinal { return finish() }
    if isSaved {
      notify(.playlistUnended(uri: playlistURI.text))
      return finish()
    }
    load(reloading(queue), after: queue.remainingWait)
  }

  /// Yields once that a segment is next.
  private mutating func announce(_ segment: MediaSegment) {
    guard let queue, !queue.progress.isBegun else { return }
    self.queue?.progress.isBegun = true
    encryption.startSegment()
    if segment.isDiscontinuous { isDiscontinuous = true }
    portions.append(.next(mediaSequence: queue.sequence, isGap: segment.isGap))
  }

  /// What must be loaded next for a segment; `nil` if it is lost, so that the following one is due.
  private mutating func next(for segment: MediaSegment) -> Loading? {
    guard !segment.isGap else { return lose(.gap(source)) }
    guard !options.skippedSegments.contains(source.mediaSequence) else { return lose(nil) }
    let method = EncryptionState.Method(segment.keys, isSupported: options.decrypt != nil)
    if case .unsupported(let name) = method {
      return lose(encryption.isNews(segment.keys) ? .unsupportedEncryption(source, method: name) : nil)
    }
    encryption.forgetUnsupported()
    if isDiscontinuous {
      portions.append(.discontinuity)
      isDiscontinuous = false
      initialization = nil
    }
    if let wanted = segment.initializationSegment, !isYielded(wanted), !isLost(wanted), let next = next(for: wanted) { return next }
    switch keyState(method) {
    case .toLoad(let uri): return Loading(.key, uri, limits: options.limits)
    case .lost: return lose(.segmentLost(source, reason: "its key could not be loaded", read: 0))
    case .ready: return begin(.segment, uri: segment.uri, byteRange: segment.byteRange)
    }
  }

  /// What must be loaded next for an initialization segment; `nil` if it cannot be loaded or decrypted.
  private mutating func next(for wanted: InitializationSegment) -> Loading? {
    let method = EncryptionState.Method(wanted.keys, isSupported: options.decrypt != nil)
    if case .unsupported(let name) = method {
      loseInitialization("encryption with \(name) is not supported", isFinal: true)
      return nil
    }
    switch keyState(method) {
    case .toLoad(let uri): return Loading(.key, uri, limits: options.limits)
    case .lost:
      loseInitialization("its key could not be loaded", isFinal: false)
      return nil
    case .ready: return begin(.initializationSegment, uri: wanted.uri, byteRange: wanted.byteRange)
    }
  }

  private mutating func begin(_ purpose: Loading.Purpose, uri: String, byteRange: ByteRange?) -> Loading {
    let source = HLSSource(uri: uri, mediaSequence: source.mediaSequence)
    var part = HLSPortion.Part(kind: purpose.kind, source: source, start: byteRange?.offset ?? 0)
    part.isSubtitles = choice?.type == .subtitles
    portions.append(.begin(part))
    return Loading(purpose, resolved(uri), byteRange: byteRange, limits: options.limits)
  }

  /// Skips the current segment.
  private mutating func lose(_ notice: HLSNotice?) -> Loading? {
    if let notice { notify(notice) }
    loseSegment()
    return nil
  }

  /// Whether the next resource can be decrypted.
  private enum KeyState {
    /// It is not encrypted, or the decryptor is ready.
    case ready
    /// The key has to be loaded from this address first.
    case toLoad(URIReference)
    /// The key could not be loaded.
    case lost
  }

  /// Prepares the decryptor for this method, if its key was loaded.
  private mutating func keyState(_ method: EncryptionState.Method) -> KeyState {
    decryptor = nil
    guard case .aes128(let key) = method, let decrypt = options.decrypt else { return .ready }
    let uri = resolved(key.uri)
    guard let bytes = encryption.key(at: uri) else { return encryption.isLost(uri) ? .lost : .toLoad(uri) }
    let vector = key.initializationVector(mediaSequence: source.mediaSequence)
    decryptor = BlockDecryptor(key: bytes, vector: vector, decrypt: decrypt)
    return .ready
  }

  private func resolved(_ uri: String) -> URIReference { URIReference(uri).resolve(base: playlistBase) }

  private func isYielded(_ wanted: InitializationSegment) -> Bool {
    initialization.map { $0.byteRange == wanted.byteRange && resolved($0.uri) == resolved(wanted.uri) } ?? false
  }

  private func isLost(_ wanted: InitializationSegment) -> Bool {
    queue?.progress.isInitializationMissing == true || (lostInitialization.map { $0.isFinal && $0.segment == wanted } ?? false)
  }
}

extension HLSLoader {
  /// Ends a complete initialization segment or segment.
  mutating func endPart() {
    do throws(BlockDecryptor.Failure) {
      yield(try decryptor?.finish() ?? [])
    } catch {
      notify(.decryptionFailed(loadedSource, reason: error.reason))
    }
    decryptor = nil
    if loading.purpose == .initializationSegment {
      initialization = queue?.current?.initializationSegment
      lostInitialization = nil
      portions.append(.end(.zero))
    } else {
      portions.append(.end(duration))
      queue?.advance()
    }
  }

  /// Gives up the current resource, because it cannot be decrypted.
  mutating func loseEncrypted(_ failure: BlockDecryptor.Failure) {
    notify(.decryptionFailed(loadedSource, reason: failure.reason))
    if loading.purpose == .initializationSegment {
      queue?.progress.isInitializationMissing = true
    } else {
      loseSegment()
    }
    advance()
  }

  /// Skips the current segment or the rest of it.
  mutating func loseSegment() {
    decryptor = nil
    portions.append(.lost(duration))
    queue?.advance()
  }

  /// Continues without an initialization segment. It is requested again with the next segment, unless it is lost for good.
  mutating func loseInitialization(_ reason: String, isFinal: Bool) {
    guard let segment = queue?.current?.initializationSegment else { return }
    decryptor = nil
    queue?.progress.isInitializationMissing = true
    let isNews = lostInitialization?.segment != segment
    lostInitialization = (segment, isFinal)
    if isNews {
      notify(.initializationSegmentFailed(HLSSource(uri: segment.uri, mediaSequence: source.mediaSequence), reason: reason))
    }
  }

  /// Keeps a complete key.
  mutating func keepKey() {
    guard loading.body.count == EncryptionState.keyLength else {
      return loseKey("it has \(loading.body.count) bytes instead of \(EncryptionState.keyLength)", isFinal: true)
    }
    encryption.keep(loading.body, from: loading.uri)
  }

  /// Continues without a key. It is requested again with the next segment, unless it is lost for good.
  mutating func loseKey(_ reason: String, isFinal: Bool) {
    if encryption.lose(loading.uri, isFinal: isFinal) {
      notify(.keyFailed(source, uri: loading.uri.text, reason: reason))
    }
  }

  /// The duration of the current segment in the playlist.
  private var duration: MediaTime { queue?.current.map { MediaTime($0.duration) } ?? .zero }

  /// The current resource, for messages.
  private var loadedSource: HLSSource {
    guard loading.purpose == .initializationSegment, let segment = queue?.current?.initializationSegment else { return source }
    return HLSSource(uri: segment.uri, mediaSequence: source.mediaSequence)
  }
}
