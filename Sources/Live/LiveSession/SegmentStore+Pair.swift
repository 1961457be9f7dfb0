import LiveHLS
package import LivePair

// What the nodes of a pair exchange.
extension SegmentStore {
  /// Publishes the other node's update.
  package func publish(_ files: PairFiles) { publish(Update(files)) }

  /// Adds the other node's segments, which no playlist lists yet; returns the names of those that were not there.
  func stage(_ files: PairFiles) -> [String] { stage(Update(files).segments) }

  /// Replaces everything with the other node's playlists and its segments, which are there already, at once for all clients.
  func replace(with playlists: PairFiles?, keeping segments: Set<String>) { replace(with: playlists.map { Update($0) }, keeping: segments) }
}

extension SegmentStore.Update {
  /// The update for the other node of a pair.
  var files: PairFiles {
    var files = PairFiles(targetDuration: Int(clamping: targetDuration))
    files.segments = segments.map { .init(name: $0.name, bytes: $0.bytes) }
    // Web servers have another MPD than folders.
    files.playlists = playlists.map { $0.name == description?.name ? description ?? $0 : $0 }.map { .init(name: $0.name, bytes: $0.bytes) }
    (files.removable, files.upcoming) = (removable, upcoming)
    files.reloaded = reloaded.map { PairFiles.Reloaded($0) }
    return files
  }

  /// The update of the other node.
  fileprivate init(_ files: PairFiles) {
    self.init(
      segments: files.segments.map { SegmentFile(name: $0.name, bytes: $0.bytes) },
      playlists: files.playlists.map { SegmentFile(name: $0.name, bytes: $0.bytes) }, removable: files.removable,
      targetDuration: UInt64(clamping: files.targetDuration), reloaded: files.reloaded.map { ReloadedPlaylist($0) },
      upcoming: files.upcoming)
  }
}

// A pair has no parts: its playlists offer delta updates alone.
extension PairFiles.Reloaded {
  fileprivate init(_ playlist: ReloadedPlaylist) {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    self.init(
      name: playlist.name, text: text(playlist.bytes), update: playlist.update.map(text), rangeUpdate: playlist.rangeUpdate.map(text))
  }
}

extension ReloadedPlaylist {
  fileprivate init(_ playlist: PairFiles.Reloaded) {
    self.init(name: playlist.name, bytes: Array(playlist.text.utf8), hints: [])
    (update, rangeUpdate) = (playlist.update.map { Array($0.utf8) }, playlist.rangeUpdate.map { Array($0.utf8) })
  }
}
