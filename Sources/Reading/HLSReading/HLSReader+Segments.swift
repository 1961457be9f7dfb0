import Basics
import HLSPlaylist

// Segments: what is to be loaded for them and in which order, and what becomes of it.

extension HLSReader {
  /// The segment that is next, for messages.
  var source: HLSSource { HLSSource(uri: queue?.current?.uri ?? "", mediaSequence: queue?.sequence ?? 0) }

  /// Goes on to the next thing that must be loaded, over everything that needs no loading.
  mutating func advance(_ items: inout [HLSItem]) {
    // A playlist may be awaited, first or again.
    guard case .loading = phase, queue != nil else { return }
    while case .loading = phase, let segment = queue?.current {
      if let limit = options.duration, feed.position.videoTime >= limit { return finish(&items) }
      begin(segment, &items)
      if let next = next(for: segment, &items) { return load(next) }
    }
    guard case .loading = phase, let queue else { return }
    if queue.playlist.isFinal || options.duration.map({ feed.position.videoTime >= $0 }) ?? false { return finish(&items) }
    load(Transfer(.reload, playlistURI, limits: options.limits), after: queue.remainingWait)
  }

  /// Takes note of what a segment says before it is read.
  private mutating func begin(_ segment: MediaSegment, _ items: inout [HLSItem]) {
    guard let queue, !queue.progress.isBegun else { return }
    self.queue?.progress.isBegun = true
    encryption.startSegment()
    if segment.isDiscontinuous { isDiscontinuous = true }
    tellZeroDate(queue.sequence)
    handOnDateRanges(before: queue.sequence, &items)
  }

  /// What must be loaded next for a segment; `nil` where it is lost, and the next one is due.
  private mutating func next(for segment: MediaSegment, _ items: inout [HLSItem]) -> Transfer? {
    guard !segment.isGap else {
      items.append(.notice(.gap(source)))
      loseSegment(&items)
      return nil
    }
    guard options.filter?.drops(queue?.sequence ?? 0) != true else {
      loseSegment(&items)
      return nil
    }
    let method = EncryptionState.Method(segment.keys, isSupported: options.decrypt != nil)
    if case .unsupported(let name) = method {
      if encryption.isNews(segment.keys) { items.append(.notice(.unsupportedEncryption(source, method: name))) }
      loseSegment(&items)
      return nil
    }
    encryption.forgetUnsupported()
    if isDiscontinuous {
      feed.restart(&items)
      isDiscontinuous = false
      map = nil
    }
    if let wanted = segment.map, !isKnown(wanted), !isLost(wanted), let next = next(for: wanted, &items) { return next }
    guard case .aes128(let key) = method else {
      decryptor = nil
      return beginSegment(segment, &items)
    }
    let uri = resolved(key.uri)
    if let bytes = encryption.key(at: uri) {
      decryptor = decryptor(bytes, vector: key.initializationVector(mediaSequence: queue?.sequence ?? 0))
      return beginSegment(segment, &items)
    }
    guard !encryption.isLost(uri) else {
      items.append(.notice(.segmentLost(source, reason: "its key could not be loaded", read: 0)))
      loseSegment(&items)
      return nil
    }
    return Transfer(.key, uri, limits: options.limits)
  }

  /// What must be loaded next for a map; `nil` where it is not to be had.
  private mutating func next(for wanted: InitializationSegment, _ items: inout [HLSItem]) -> Transfer? {
    let uri = resolved(wanted.uri)
    switch EncryptionState.Method(wanted.keys, isSupported: options.decrypt != nil) {
    case .none: decryptor = nil
    case .unsupported(let name):
      loseMap("encryption with \(name) is not supported", isFinal: true, &items)
      return nil
    case .aes128(let key):
      let keyURI = resolved(key.uri)
      guard let bytes = encryption.key(at: keyURI) else {
        if !encryption.isLost(keyURI) { return Transfer(.key, keyURI, limits: options.limits) }
        loseMap("its key could not be loaded", isFinal: false, &items)
        return nil
      }
      decryptor = decryptor(bytes, vector: key.initializationVector(mediaSequence: queue?.sequence ?? 0))
    }
    let source = HLSSource(uri: wanted.uri, mediaSequence: queue?.sequence ?? 0)
    feed.begin(source, base: wanted.byteRange?.offset ?? 0, &items)
    return Transfer(.map, uri, byteRange: wanted.byteRange, limits: options.limits)
  }

  private mutating func beginSegment(_ segment: MediaSegment, _ items: inout [HLSItem]) -> Transfer {
    feed.begin(source, base: segment.byteRange?.offset ?? 0, &items)
    return Transfer(.segment, resolved(segment.uri), byteRange: segment.byteRange, limits: options.limits)
  }

  private func resolved(_ uri: String) -> URIReference { URIReference(uri).resolve(base: playlistBase) }

  private func isKnown(_ wanted: InitializationSegment) -> Bool {
    map.map { $0.byteRange == wanted.byteRange && resolved($0.uri) == resolved(wanted.uri) } ?? false
  }

  private func isLost(_ wanted: InitializationSegment) -> Bool {
    queue?.progress.isMapMissing == true || (lostMap.map { $0.isFinal && $0.map == wanted } ?? false)
  }

  private func decryptor(_ key: [UInt8], vector: [UInt8]) -> BlockDecryptor? {
    options.decrypt.map { BlockDecryptor(key: key, vector: vector, decrypt: $0) }
  }
}

extension HLSReader {
  /// Reads bytes of a map or a segment.
  mutating func read(
    _ bytes: Span<UInt8>, isLast: Bool = false, _ tap: (HLSPortion, Span<UInt8>) -> Void, _ items: inout [HLSItem]
  ) {
    tap(portion, bytes)
    var found: [HLSItem] = []
    if transfer.purpose == .segment, let filter = options.filter {
      let changed = filter.change([UInt8](copying: bytes), isLast)
      feed.push(changed.span, &found)
    } else {
      feed.push(bytes, &found)
    }
    handOn(found, &items)
  }

  /// Takes note that a map or a segment is whole.
  mutating func endStream(_ items: inout [HLSItem], _ tap: (HLSPortion, Span<UInt8>) -> Void) {
    do throws(BlockDecryptor.Failure) {
      let plain = try decryptor?.finish() ?? []
      read(plain.span, isLast: true, tap, &items)
    } catch {
      items.append(.notice(.decryptionFailed(transferredSource, reason: error.reason)))
    }
    decryptor = nil
    if transfer.purpose == .map {
      map = queue?.current?.map
      lostMap = nil
    } else {
      feed.end(duration)
      releaseDateRanges(upTo: nil, &items)
      queue?.advance()
    }
  }

  /// Gives up what is being loaded, because it cannot be decrypted.
  mutating func loseEncrypted(_ failure: BlockDecryptor.Failure, _ items: inout [HLSItem]) {
    items.append(.notice(.decryptionFailed(transferredSource, reason: failure.reason)))
    if transfer.purpose == .map {
      queue?.progress.isMapMissing = true
    } else {
      loseSegment(&items)
    }
    advance(&items)
  }

  /// Goes on without a segment, or without what is left of it.
  mutating func loseSegment(_ items: inout [HLSItem]) {
    decryptor = nil
    if transfer.purpose == .segment, transfer.received > 0 {
      let nothing: [UInt8] = []
      read(nothing.span, isLast: true, { _, _ in }, &items)
    }
    feed.lose(duration, &items)
    releaseDateRanges(upTo: nil, &items)
    queue?.advance()
  }

  /// Goes on without the map of a segment. Only where it is lost for good it is not asked for again with the next segment.
  mutating func loseMap(_ reason: String, isFinal: Bool, _ items: inout [HLSItem]) {
    guard let map = queue?.current?.map else { return }
    decryptor = nil
    queue?.progress.isMapMissing = true
    let isNews = lostMap?.map != map
    lostMap = (map, isFinal)
    if isNews { items.append(.notice(.mapFailed(HLSSource(uri: map.uri, mediaSequence: source.mediaSequence), reason: reason))) }
  }

  /// Takes a key that is whole.
  mutating func takeKey(_ items: inout [HLSItem]) {
    guard transfer.body.count == EncryptionState.keyLength else {
      return loseKey("it has \(transfer.body.count) bytes instead of \(EncryptionState.keyLength)", isFinal: true, &items)
    }
    encryption.keep(transfer.body, from: transfer.uri)
  }

  /// Goes on without a key. Only where it is lost for good it is not asked for again with the next segment.
  mutating func loseKey(_ reason: String, isFinal: Bool, _ items: inout [HLSItem]) {
    if encryption.lose(transfer.uri, isFinal: isFinal) {
      items.append(.notice(.keyFailed(source, uri: transfer.uri.text, reason: reason)))
    }
  }

  /// How long the playlist says that the current segment is.
  private var duration: MediaTime { queue?.current.map { MediaTime($0.duration) } ?? .zero }

  /// What is being loaded, for those who look at its bytes.
  var portion: HLSPortion {
    let source = transfer.purpose.kind == .playlist ? HLSSource(uri: transfer.uri.text, mediaSequence: 0) : transferredSource
    return HLSPortion(kind: transfer.purpose.kind, source: source, start: transfer.byteRange?.offset ?? 0)
  }

  /// What is being loaded, for messages.
  private var transferredSource: HLSSource {
    guard transfer.purpose == .map, let map = queue?.current?.map else { return source }
    return HLSSource(uri: map.uri, mediaSequence: source.mediaSequence)
  }
}
