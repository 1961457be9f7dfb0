import Basics
import Files
import HLSPlaylist
import LibC
import LiveGame
import LiveHLS
import LivePair
import Synchronization

/// The files of a live presentation that clients may load, in memory, and also in a folder if one is given.
package final class SegmentStore: Sendable {
  /// A file, as an answer.
  package struct File: Equatable, Sendable {
    package var bytes: [UInt8]
    /// Its media type.
    package var contentType: String
    /// How many seconds caches may keep it; `nil` for no limit.
    package var lifetime: Int?
  }

  /// A file that is not in memory.
  package struct StoredFile: Equatable, Sendable {
    fileprivate var name: String
    fileprivate var place: SpoolFile.Place
    /// Its media type.
    fileprivate var contentType: String
  }

  private struct State {
    var segments: StoredSegments
    var playlists: [String: [UInt8]] = [:]
    var targetDuration: UInt64 = 1
    /// The media playlists for clients that may ask for something of them, and the parts of segments.
    var reloaded: [String: ReloadedPlaylist] = [:]
    var parts = StoredParts()
    /// The names of segments that players of the MPD may request before they exist.
    var upcoming: [String] = []
    var isClosed = false
  }

  /// What is found for a request.
  package enum Found: Equatable, Sendable {
    case file(File)
    /// The file is on the disk: see ``SegmentStore/load(_:)``.
    case stored(StoredFile)
    /// The file is expected. A client waits this many seconds at most.
    case coming(seconds: Int)
    case missing
    /// Why the request is wrong, in words.
    case refused(String)

    /// Whether a client may wait for it.
    package var isComing: Bool { if case .coming = self { true } else { false } }
  }

  /// The change of the presentation that belongs to a segment or a part.
  struct Update: Sendable {
    var segments: [SegmentFile] = []
    /// The playlists, in the order in which to replace them.
    var playlists: [SegmentFile]
    /// Segments that clients may no longer load.
    var removable: [String] = []
    var targetDuration: UInt64
    /// The files for clients of low-latency HLS. They do not go into a folder, since its server cannot let clients wait.
    var parts: [SegmentFile] = []
    var removableParts: [String] = []
    var reloaded: [ReloadedPlaylist] = []
    /// The MPD for clients over HTTP, which names a clock.
    var description: SegmentFile?
    /// The names of segments that its players may request before they exist.
    var upcoming: [String] = []
    /// What is known of the segment; `nil` for a change without one.
    var record: JournalRecord.SegmentRecord?
  }

  private let state: Mutex<State>
  /// Notified after each change for clients that wait for a file, and at the end.
  package let changes = Changes()
  private let updates = JobQueue<Update>()
  /// The beginning of the paths of the files in the folder, and the thread that writes them; `nil` for memory alone.
  private let prefix: String?
  private let worker: Worker?
  /// Has the older segments of a long playlist; `nil` if all are in memory.
  private let spool: SegmentSpool?
  /// Why all segments of a long playlist are in memory; `nil` if they are not.
  let spoolFailure: String?
  /// Messages for the operator, to the session that has the store now.
  let messages = Relay<String>()

  /// A store without files.
  ///
  /// - Parameters:
  ///   - folder: A folder for the files; `nil` for memory alone.
  ///   - spoolFolder: A folder on the file system for older segments; `nil` for memory alone.
  ///   - say: Receives messages for the operator.
  package init(folder: String?, spoolFolder: String? = nil, say: @escaping @Sendable (String) -> Void) {
    messages.reach(say)
    let say = messages.send
    var (spool, spoolFailure) = (SegmentSpool?.none, String?.none)
    do throws(FileSinkError) {
      spool = try spoolFolder.map { (folder) throws(FileSinkError) in try SegmentSpool(in: folder, say: say) }
    } catch {
      spoolFailure = "all segments stay in memory: \(error)"
    }
    if let spoolFailure { say(spoolFailure) }
    (self.spool, self.spoolFailure) = (spool, spoolFailure)
    state = Mutex(State(segments: StoredSegments(hasDisk: spool != nil)))
    prefix = folder.map { $0.isEmpty ? "" : "\($0)/" }
    worker = prefix.map { [updates] prefix in
      Worker("presentation") {
        while let next = updates.take() {
          for update in next { Self.write(update, prefix, say) }
        }
      }
    }
  }

  /// Writes the segment, then the playlists that list it. Each file gets its name when it is complete.
  private static func write(_ update: Update, _ prefix: String, _ say: (String) -> Void) {
    do throws(FileSinkError) {
      for file in update.segments + update.playlists {
        var sink = try FileSink(path: prefix + file.name, overwrite: true)
        sink.write(file.bytes.span)
        try sink.commit()
      }
      for name in update.removable { ExpiredFile.remove(prefix + name) }
    } catch {
      say("\(error)")
    }
  }

  /// Loads the latest segments of an earlier session that are still in the folder.
  ///
  /// - Parameter segments: The names of the files that each needs, the latest segment last.
  /// - Returns: The range of those that exist without a hole. Later ones may not have been written.
  func resume(_ segments: [[String]]) -> Range<Int> {
    var end = segments.count
    while segments.count - end < Self.mostUnwritten, end > 0, !load(segments[end - 1]) { end -= 1 }
    var start = end
    while start > 0, load(segments[start - 1]) {
      start -= 1
      // The latest ones stay in memory.
      if end - start > StoredSegments.mostInMemory { spoolNow(segments[start]) }
    }
    state.withLock { state in
      for names in segments[start..<end].suffix(StoredSegments.mostInMemory) { _ = state.segments.count(names) }
    }
    return start..<end
  }

  /// Moves segments to the disk, on this thread.
  private func spoolNow(_ names: [String]) {
    guard let spool else { return }
    var isFull = false
    for name in names where StoredSegments.isMedia(name) {
      guard let bytes = state.withLock({ $0.segments.bytes(name) }) else { continue }
      // After a failure the others wait for the next segment, too.
      let place = isFull ? nil : spool.storeNow(bytes)
      isFull = place == nil
      _ = state.withLock { $0.segments.move(name, to: place) }
    }
  }

  /// Moves segments to the disk, on the spool's thread.
  private func move(_ names: [String]) {
    guard let spool else { return }
    for name in names {
      guard let bytes = state.withLock({ $0.segments.bytes(name) }) else { continue }
      spool.store(bytes) { [self] place in
        let isUsed = state.withLock { $0.segments.move(name, to: place) }
        if let place, !isUsed { spool.remove(place) }
      }
    }
  }

  private func free(_ places: [SpoolFile.Place]) {
    for place in places { spool?.remove(place) }
  }

  /// The maximum number of segments that a killed process has not written.
  private static let mostUnwritten = 3

  /// Loads files into memory; returns whether all are there.
  private func load(_ names: [String]) -> Bool {
    for name in names where state.withLock({ $0.segments[name] == nil }) {
      guard let prefix, let bytes = try? Self.read(prefix + name) else { return false }
      state.withLock { $0.segments.keep([SegmentFile(name: name, bytes: bytes)]) }
    }
    return true
  }

  /// Removes files of an earlier session that clients may no longer load.
  func remove(_ names: [String]) {
    free(state.withLock { $0.segments.remove(names) })
    if let prefix { for name in names { ExpiredFile.remove(prefix + name) } }
  }

  private static func read(_ path: String) throws(FileInputError) -> [UInt8] {
    var bytes: [UInt8] = []
    var file = try FileInput(path: path)
    while try file.fill() { bytes.append(copying: file.bytes) }
    return bytes
  }

  /// Lets clients load the segments of an update before its playlists: they may know them from the other node of a pair.
  func prepare(_ update: Update) { state.withLock { $0.segments.keep(update.segments) } }

  /// The names of all segments that clients may load. Those in memory, which are the latest ones, come last.
  var segmentNames: [String] { state.withLock { $0.segments }.names }

  /// The playlists that clients may load; `nil` if there are none.
  var playlists: Update? {
    state.withLock { state in
      guard !state.playlists.isEmpty else { return nil }
      let files = state.playlists.sorted { $0.key < $1.key }.map { SegmentFile(name: $0, bytes: $1) }
      return Update(
        playlists: files, targetDuration: state.targetDuration, reloaded: state.reloaded.values.sorted { $0.name < $1.name },
        upcoming: state.upcoming)
    }
  }

  /// Adds segments that no playlist lists yet. Older ones are moved to the disk on this thread.
  ///
  /// - Returns: The names of those that were not there.
  func stage(_ segments: [SegmentFile]) -> [String] {
    let (new, old) = state.withLock { state in
      let new = segments.filter { state.segments[$0.name] == nil }
      return (new.map(\.name), state.segments.add(new))
    }
    spoolNow(old)
    return new
  }

  /// Replaces the playlists, and removes all segments but those of some names, at once for all clients.
  func replace(with update: Update?, keeping names: Set<String>) {
    let places = state.withLock { state in
      (state.playlists, state.reloaded) = ([:], [:])
      for playlist in update?.playlists ?? [] { state.playlists[playlist.name] = playlist.bytes }
      for playlist in update?.reloaded ?? [] { state.reloaded[playlist.name] = playlist }
      if let update { (state.targetDuration, state.upcoming) = (update.targetDuration, update.upcoming) }
      return state.segments.remove(state.segments.names.filter { !names.contains($0) })
    }
    free(places)
    changes.tell()
  }

  /// Publishes a segment with the playlists that list it.
  func publish(_ update: Update) {
    let (places, old) = state.withLock { state in
      let old = state.segments.add(update.segments)
      for playlist in update.playlists { state.playlists[playlist.name] = playlist.bytes }
      if let description = update.description { state.playlists[description.name] = description.bytes }
      if !update.playlists.isEmpty { state.upcoming = update.upcoming }
      state.targetDuration = update.targetDuration
      state.parts.add(update.parts)
      for segment in update.segments { state.parts.join(segment) }
      state.parts.remove(update.removableParts)
      for playlist in update.playlists { state.reloaded[playlist.name] = nil }
      for playlist in update.reloaded { state.reloaded[playlist.name] = playlist }
      return (state.segments.remove(update.removable), old)
    }
    changes.tell()
    free(places)
    move(old)
    // Parts do not go into the folder.
    guard !update.playlists.isEmpty else { return }
    if worker != nil { updates.add(update) }
  }

  /// The file of a name, read on this thread if it is on the disk; `nil` if clients may load none.
  package func file(_ name: String) -> File? {
    switch find(name) {
    case .file(let file): file
    case .stored(let stored): spool?.loadNow(stored.place).flatMap { self.file(stored, $0) }
    case .coming, .missing, .refused: nil
    }
  }

  /// Reads a file on the disk, on the spool's thread; `nil` if the disk fails.
  package func load(_ stored: StoredFile) async -> File? {
    await spool?.load(stored.place).flatMap { file(stored, $0) }
  }

  /// A file that was read; `nil` if its place may belong to another one by now.
  private func file(_ stored: StoredFile, _ bytes: [UInt8]) -> File? {
    guard case .spooled(stored.place) = state.withLock({ $0.segments[stored.name] }) else { return nil }
    return File(bytes: bytes, contentType: stored.contentType, lifetime: nil)
  }

  /// Finds a file for a request.
  ///
  /// - Parameter query: The URL's query, with the directives of low-latency HLS.
  package func find(_ name: String, query: [String: String] = [:]) -> Found {
    state.withLock { state in
      let patience = Int(clamping: state.targetDuration) * Self.patientTargets
      if let playlist = state.reloaded[name] {
        let directives: DeliveryDirectives
        do throws(DeliveryDirectives.Mistake) { directives = try DeliveryDirectives(query: query) } catch { return .refused("\(error)") }
        switch playlist.progress?.decide(directives) ?? .answer {
        case .wait: return state.isClosed ? .missing : .coming(seconds: patience)
        case .refuse: return .refused("the playlist has not come near that")
        case .answer:
          // All clients that wait for a playlist get the same one.
          let isShared = directives.mediaSequence != nil && playlist.progress != nil
          let lifetime = isShared ? state.targetDuration * Self.blockedLifetime : max(state.targetDuration / 2, 1)
          return .file(File(bytes: playlist.text(for: directives), contentType: Self.playlistType, lifetime: Int(clamping: lifetime)))
        }
      }
      if let bytes = state.playlists[name] {
        let type = name == LivePlaylist.descriptionName ? Self.descriptionType : Self.playlistType
        return .file(File(bytes: bytes, contentType: type, lifetime: Int(max(state.targetDuration / 2, 1))))
      }
      if name == Self.clockName, state.playlists[LivePlaylist.descriptionName] != nil {
        let now = PlaylistDate(milliseconds: WallClock.now)?.text ?? ""
        return .file(File(bytes: Array(now.utf8), contentType: "text/plain; charset=utf-8", lifetime: 0))
      }
      switch state.segments[name] ?? state.parts[name].map({ .memory(Array($0)) }) {
      case .memory(let bytes): return .file(File(bytes: bytes, contentType: Self.contentType(name), lifetime: nil))
      case .spooled(let place): return .stored(StoredFile(name: name, place: place, contentType: Self.contentType(name)))
      case nil: break
      }
      let isUpcoming = state.upcoming.contains { $0.hasSameBytes(as: name) }
      let isHinted =
        !state.isClosed && (isUpcoming || state.reloaded.values.contains { $0.hints.contains { $0.hasSameBytes(as: name) } })
      return isHinted ? .coming(seconds: patience) : .missing
    }
  }

  /// Clients wait for three target durations at most (RFC 8216bis, 6.2.5.2).
  private static let patientTargets = 3
  /// For how many target durations caches may keep a playlist that a client has waited for.
  private static let blockedLifetime: UInt64 = 6
  private static let playlistType = "application/vnd.apple.mpegurl"
  private static let descriptionType = "application/dash+xml"
  /// The name of the file with the current time, with which players of the MPD compare their clock.
  static let clockName = "time.txt"
  /// The maximum number of waiting clients.
  package static let mostWaiting = 8_192

  /// Whether nothing more is published.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The media type of a file.
  static func contentType(_ name: String) -> String {
    if name.hasSuffix(".m3u8") { return playlistType }
    if name.hasSuffix(".mpd") { return descriptionType }
    return name.hasSuffix(".ts") ? "video/mp2t" : "video/mp4"
  }

  /// The number of bytes of all segments and parts that clients may load, those of a part in a complete segment once.
  package var byteCount: Int {
    state.withLock { state in
      state.segments.contents.values.reduce(state.parts.byteCount) { $0 + $1.byteCount }
    }
  }

  /// Writes the waiting updates, and ends.
  package func close() {
    state.withLock { $0.isClosed = true }
    changes.tell()
    updates.close()
    worker?.join(seconds: LiveSession.endStepSeconds)
  }
}
