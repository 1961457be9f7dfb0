import Basics
import Files
import HLSPlaylist
import LiveHLS
import LivePair
import Synchronization

/// The files of a live presentation that clients may load now, in memory, and in a folder where one is wanted.
package final class SegmentStore: Sendable {
  /// A file, as an answer.
  package struct File: Equatable, Sendable {
    /// What is in the file.
    package var bytes: [UInt8]
    /// Its media type.
    package var contentType: String
    /// How many seconds caches may keep it; `nil` for as long as they like.
    package var lifetime: Int?
  }

  private struct State {
    var segments: [String: [UInt8]] = [:]
    var playlists: [String: [UInt8]] = [:]
    var targetDuration: UInt64 = 1
    /// What clients of low-latency HLS get in the place of media playlists, and the parts of segments.
    var reloaded: [String: ReloadedPlaylist] = [:]
    var parts: [String: [UInt8]] = [:]
    /// The names of segments that players of the MPD may ask for before they are there.
    var upcoming: [String] = []
    /// Those who wait for the next change.
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextWaiting = 0
    var isClosed = false
  }

  /// What a request finds.
  package enum Look: Equatable, Sendable {
    case file(File)
    /// The file is not there yet; a client waits this many seconds at most.
    case coming(seconds: Int)
    case missing
    /// It is not to be asked for in this way, in words.
    case refused(String)

    /// Whether a client may wait for it.
    package var isComing: Bool { if case .coming = self { true } else { false } }
  }

  /// What changes with a segment or a part of one.
  struct Update: Sendable {
    var segments: [SegmentFile] = []
    /// The playlists in the order in which they are replaced.
    var playlists: [SegmentFile]
    /// Segments that nobody may load any more.
    var removable: [String] = []
    var targetDuration: UInt64
    /// What clients of low-latency HLS get over HTTP. None of it goes into a folder, whose server can make nobody wait.
    var parts: [SegmentFile] = []
    var removableParts: [String] = []
    var reloaded: [ReloadedPlaylist] = []
    /// The MPD as clients get it over HTTP: there, it names a clock.
    var description: SegmentFile?
    /// The names of segments that its players may ask for before they are there.
    var upcoming: [String] = []
  }

  private let state = Mutex(State())
  private let updates = JobQueue<Update>()
  private let worker: Mutex<Worker?> = Mutex(nil)

  /// A store without files.
  ///
  /// - Parameters:
  ///   - folder: Where the files go too; `nil` for memory alone.
  ///   - say: Receives messages for the operator.
  package init(folder: String?, say: @escaping @Sendable (String) -> Void) {
    guard let folder else { return }
    let worker = Worker("presentation") { [updates] in
      while let next = updates.take() {
        for update in next { Self.write(update, into: folder, say) }
      }
    }
    self.worker.withLock { $0 = worker }
  }

  /// Writes the segment first, then the playlists that list it. Each file gets its name only when it is whole.
  private static func write(_ update: Update, into folder: String, _ say: (String) -> Void) {
    let prefix = Self.prefix(folder) ?? ""
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

  /// Takes up the latest segments of an earlier session that are in a folder still.
  ///
  /// - Parameters:
  ///   - segments: The names of the files that each needs, the latest segment last.
  ///   - folder: Where they are; `nil` for memory alone.
  /// - Returns: Those that are there, one behind the other. Behind them may be some that the process did not come to write.
  func resume(_ segments: [[String]], in folder: String?) -> Range<Int> {
    let prefix = Self.prefix(folder)
    var end = segments.count
    while segments.count - end < Self.mostUnwritten, end > 0, !load(segments[end - 1], prefix) { end -= 1 }
    var start = end
    while start > 0, load(segments[start - 1], prefix) { start -= 1 }
    return start..<end
  }

  /// More segments than these do not wait for a disk, when a process is killed.
  private static let mostUnwritten = 3

  /// Loads files into memory; returns whether all are there.
  private func load(_ names: [String], _ prefix: String?) -> Bool {
    for name in names where state.withLock({ $0.segments[name] }) == nil {
      guard let prefix, let bytes = try? Self.read(prefix + name) else { return false }
      state.withLock { $0.segments[name] = bytes }
    }
    return true
  }

  /// Removes files of an earlier session that nobody may load any more.
  ///
  /// - Parameter folder: Where they are; `nil` for memory alone.
  func remove(_ names: [String], from folder: String?) {
    let prefix = Self.prefix(folder)
    for name in names {
      state.withLock { $0.segments[name] = nil }
      if let prefix { ExpiredFile.remove(prefix + name) }
    }
  }

  /// What the paths of files in a folder begin with; `nil` without one.
  private static func prefix(_ folder: String?) -> String? { folder.map { $0.isEmpty ? "" : "\($0)/" } }

  private static func read(_ path: String) throws(FileInputError) -> [UInt8] {
    var bytes: [UInt8] = []
    var file = try FileInput(path: path)
    while try file.fill() { bytes.append(copying: file.bytes) }
    return bytes
  }

  /// Lets clients load the segments of an update whose playlists are to come: they may know them from elsewhere.
  func prepare(_ update: Update) {
    state.withLock { state in
      for segment in update.segments { state.segments[segment.name] = segment.bytes }
    }
  }

  /// Everything that clients may load now, as updates from nothing.
  var snapshot: [Update] {
    state.withLock { state in
      let target = state.targetDuration
      let segments = state.segments.sorted { $0.key < $1.key }.map { name, bytes in
        Update(segments: [SegmentFile(name: name, bytes: bytes)], playlists: [], targetDuration: target)
      }
      let playlists = state.playlists.sorted { $0.key < $1.key }.map { SegmentFile(name: $0, bytes: $1) }
      return segments + (playlists.isEmpty ? [] : [Update(playlists: playlists, targetDuration: target)])
    }
  }

  /// Publishes what another node has.
  func publish(_ files: PairFiles) { publish(Update(files)) }

  /// Replaces everything with what another node has, at once for all who load.
  func replace(with files: [PairFiles]) {
    state.withLock { state in
      (state.segments, state.playlists) = ([:], [:])
      for update in files.map({ Update($0) }) {
        for segment in update.segments { state.segments[segment.name] = segment.bytes }
        for playlist in update.playlists { state.playlists[playlist.name] = playlist.bytes }
        state.targetDuration = update.targetDuration
      }
    }
  }

  /// Publishes a segment with the playlists that list it.
  func publish(_ update: Update) {
    state.withLock { state in
      for segment in update.segments { state.segments[segment.name] = segment.bytes }
      for playlist in update.playlists { state.playlists[playlist.name] = playlist.bytes }
      if let description = update.description { state.playlists[description.name] = description.bytes }
      if !update.playlists.isEmpty { state.upcoming = update.upcoming }
      for name in update.removable { state.segments[name] = nil }
      state.targetDuration = update.targetDuration
      for part in update.parts { state.parts[part.name] = part.bytes }
      for name in update.removableParts { state.parts[name] = nil }
      for playlist in update.reloaded { state.reloaded[playlist.name] = playlist }
      for client in state.waiting.values { client.yield() }
    }
    // A part alone changes nothing there.
    guard !update.playlists.isEmpty else { return }
    if worker.withLock({ $0 }) != nil { updates.add(update) }
  }

  /// The file of a name; `nil` where clients may load none now.
  package func file(_ name: String) -> File? {
    guard case .file(let file) = look(name) else { return nil }
    return file
  }

  /// What a request for a file finds.
  ///
  /// - Parameter query: That of its address, with the directives of low-latency HLS.
  package func look(_ name: String, query: [String: String] = [:]) -> Look {
    state.withLock { state in
      let patience = Int(clamping: state.targetDuration) * Self.patientTargets
      if let playlist = state.reloaded[name] {
        let directives: DeliveryDirectives
        do throws(DeliveryDirectives.Mistake) { directives = try DeliveryDirectives(query: query) } catch { return .refused("\(error)") }
        switch playlist.progress.decide(directives) {
        case .wait: return state.isClosed ? .missing : .coming(seconds: patience)
        case .refuse: return .refused("the playlist has not come near that")
        case .answer:
          // What a client waits for is the same for all who do.
          let lifetime =
            directives.mediaSequence == nil ? max(state.targetDuration / 2, 1) : state.targetDuration * Self.blockedLifetime
          let bytes = directives.skips ? playlist.update ?? playlist.bytes : playlist.bytes
          return .file(File(bytes: bytes, contentType: Self.playlistType, lifetime: Int(clamping: lifetime)))
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
      if let bytes = state.segments[name] ?? state.parts[name] {
        return .file(File(bytes: bytes, contentType: Self.contentType(name), lifetime: nil))
      }
      let isUpcoming = state.upcoming.contains { $0.hasSameBytes(as: name) }
      let isHinted =
        !state.isClosed && (isUpcoming || state.reloaded.values.contains { $0.hints.contains { $0.hasSameBytes(as: name) } })
      return isHinted ? .coming(seconds: patience) : .missing
    }
  }

  /// Nobody waits for longer than three target durations (RFC 8216bis, 6.2.5.2).
  private static let patientTargets = 3
  /// For how many target durations caches may keep a playlist that a client has waited for.
  private static let blockedLifetime: UInt64 = 6
  private static let playlistType = "application/vnd.apple.mpegurl"
  private static let descriptionType = "application/dash+xml"
  /// The name of what tells the time that it is: players of the MPD compare their clock with it.
  static let clockName = "time.txt"
  /// So many may wait at a time.
  private static let mostWaiting = 8_192

  /// Says when to look again: at once, and at each change from now on; `nil` where too many wait.
  package func changes() -> AsyncStream<Void>? {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let number: Int?? = state.withLock { state in
      guard !state.isClosed else { return .some(nil) }
      guard state.waiting.count < Self.mostWaiting else { return nil }
      state.nextWaiting += 1
      state.waiting[state.nextWaiting] = continuation
      return state.nextWaiting
    }
    guard let number else { return nil }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
    return stream
  }

  private static func contentType(_ name: String) -> String { name.hasSuffix(".ts") ? "video/mp2t" : "video/mp4" }

  /// The number of bytes of all segments and parts that clients may load.
  package var byteCount: Int {
    state.withLock { state in state.segments.values.reduce(0) { $0 + $1.count } + state.parts.values.reduce(0) { $0 + $1.count } }
  }

  /// Writes what waits, and ends.
  package func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [:] }
      return state.waiting.values.map { $0 }
    }
    for client in waiting {
      client.yield()
      client.finish()
    }
    updates.close()
    worker.withLock { $0 }?.join(seconds: LiveSession.endStepSeconds)
  }
}

extension SegmentStore.Update {
  /// The update as it travels to the other node of a pair.
  var files: PairFiles {
    var files = PairFiles(targetDuration: Int(clamping: targetDuration))
    files.segments = segments.map { PairFiles.File(name: $0.name, bytes: $0.bytes) }
    files.playlists = playlists.map { PairFiles.File(name: $0.name, bytes: $0.bytes) }
    files.removable = removable
    return files
  }

  /// An update that has come from there.
  init(_ files: PairFiles) {
    self.init(
      playlists: files.playlists.map { SegmentFile(name: $0.name, bytes: $0.bytes) }, targetDuration: UInt64(clamping: files.targetDuration)
    )
    segments = files.segments.map { SegmentFile(name: $0.name, bytes: $0.bytes) }
    removable = files.removable
  }
}
