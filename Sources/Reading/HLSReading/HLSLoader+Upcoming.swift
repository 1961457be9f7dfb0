import Basics
import HLSPlaylist

extension HLSLoader {
  /// What will be loaded from now on for the segments of a complete playlist, in order, so that it may be requested before it is loaded; nothing
  /// while the playlist may grow.
  ///
  /// - Parameter count: About how many resources are returned at most.
  package func upcoming(_ count: Int) -> [HLSReader.Resource] {
    guard let queue, queue.playlist.isFinal else { return [] }
    var resources: [HLSReader.Resource] = []
    var latest = isDiscontinuous ? nil : initialization
    // Only where it matters, because it takes as long as the playlist is.
    let passed = options.duration == nil ? [] : queue.playlist.segments.prefix(queue.index)
    var length = passed.reduce(MediaTime.zero) { $0 + MediaTime($1.duration) }
    for index in queue.index..<max(queue.index, queue.playlist.segments.count) {
      guard resources.count < count, options.duration.map({ length < $0 }) ?? true else { break }
      let segment = queue.playlist.segments[index]
      length = length + MediaTime(segment.duration)
      if segment.isDiscontinuous { latest = nil }
      let sequence = queue.playlist.mediaSequence.addingSaturated(UInt64(index))
      guard !segment.isGap, !options.skippedSegments.contains(sequence) else { continue }
      guard append(.key, of: segment.keys, to: &resources) else { continue }
      if let wanted = segment.initializationSegment, wanted != latest, lostInitialization?.segment != wanted {
        if append(.key, of: wanted.keys, to: &resources) { append(.initializationSegment, wanted.uri, wanted.byteRange, to: &resources) }
        latest = wanted
      }
      append(.segment, segment.uri, segment.byteRange, to: &resources)
    }
    return resources
  }

  /// Appends the key that is still missing; returns whether something with these keys can be decrypted.
  private func append(_ purpose: Loading.Purpose, of keys: [EncryptionKey], to resources: inout [HLSReader.Resource]) -> Bool {
    switch EncryptionState.Method(keys, isSupported: options.decrypt != nil) {
    case .none: return true
    case .unsupported: return false
    case .aes128(let key):
      let uri = URIReference(key.uri).resolve(base: playlistBase)
      guard !encryption.isLost(uri) else { return false }
      if encryption.key(at: uri) == nil { append(purpose, key.uri, nil, to: &resources) }
      return true
    }
  }

  private func append(_ purpose: Loading.Purpose, _ uri: String, _ range: ByteRange?, to resources: inout [HLSReader.Resource]) {
    let next = Loading(purpose, URIReference(uri).resolve(base: playlistBase), byteRange: range, limits: options.limits).resource
    if !resources.contains(next) { resources.append(next) }
  }
}
