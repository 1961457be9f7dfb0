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

  /// A file that is not in memory.
  package struct StoredFile: Equatable, Sendable {
    fileprivate var name: String
    fileprivate var place: SpoolFile.Place
    /// Its media type.
    fileprivate var contentType: String
  }

  /// What there is of a segment.
  private enum Content: Sendable {
    case memory([UInt8])
    case spooled(SpoolFile.Place)

    var byteCount: Int {
      switch self {
      case .memory(let bytes): bytes.count
      case .spooled(let place): place.count
      }
    }
  }

  private struct State {
    var segments: [String: Content] = [:]
    /// The names of the latest segments that are in memory, those of all renditions together; none where all are.
    var latest = Queue<[String]>()
    /// The names of older ones that could not be moved to the disk.
    var unmoved: [String] = []
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
    /// The file is on the disk: see ``SegmentStore/load(_:)``.
    case stored(StoredFile)
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
  /// Has the older segments of a long playlist; `nil` where all are in memory.
  private let spool: SegmentSpool?
  /// Why a long playlist has all segments in memory; `nil` where it has not.
  let spoolFailure: String?

  /// So many segments of a long playlist are in memory: players load the latest ones.
  private static let mostInMemory = 8

  /// A store without files.
  ///
  /// - Parameters:
  ///   - folder: Where the files go too; `nil` for memory alone.
  ///   - spoolFolder: The folder whose file system has older segments instead of the memory; `nil` for memory alone.
  ///   - say: Receives messages for the operator.
  package init(folder: String?, spoolFolder: String? = nil, say: @escaping @Sendable (String) -> Void) {
    var (spool, spoolFailure) = (SegmentSpool?.none, String?.none)
    do throws(FileSinkError) {
      spool = try spoolFolder.map { (folder) throws(FileSinkError) in try SegmentSpool(in: folder, say: say) }
    } catch {
      spoolFailure = "all segments stay in memory: \(error)"
    }
    if let spoolFailure { say(spoolFailure) }
    (self.spool, self.spoolFailure) = (spool, spoolFailure)
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
    while start > 0, load(segments[start - 1], prefix) {
      start -= 1
      // The latest ones stay in memory.
      if end - start > Self.mostInMemory { spoolNow(segments[start]) }
    }
    state.withLock { state in
      if spool != nil { for names in segments[start..<end].suffix(Self.mostInMemory) { state.latest.append(names.filter(Self.isMedia)) } }
    }
    return start..<end
  }

  /// Initialization segments stay in memory: each segment needs one.
  private static func isMedia(_ name: String) -> Bool { !name.contains("-init") }

  /// Moves segments from the memory to the disk, on this thread.
  private func spoolNow(_ names: [String]) {
    guard let spool else { return }
    for name in names where Self.isMedia(name) {
      guard case .memory(let bytes) = state.withLock({ $0.segments[name] }), let place = spool.storeNow(bytes) else { continue }
      state.withLock { $0.segments[name] = .spooled(place) }
    }
  }

  /// Adds segments that clients may load; returns the names of those that go to the disk for them.
  private func add(_ segments: [SegmentFile], _ state: inout State) -> [String] {
    for segment in segments { state.segments[segment.name] = .memory(segment.bytes) }
    let names = segments.map(\.name).filter(Self.isMedia)
    guard spool != nil, !names.isEmpty else { return [] }
    state.latest.append(names)
    var old = state.unmoved
    state.unmoved = []
    while state.latest.count > Self.mostInMemory { old += state.latest.popFirst() ?? [] }
    return old
  }

  /// Lets a thread move segments to the disk.
  private func move(_ names: [String]) {
    guard let spool else { return }
    for name in names {
      guard case .memory(let bytes) = state.withLock({ $0.segments[name] }) else { continue }
      spool.store(bytes) { [self] place in
        guard let place else { return state.withLock { $0.unmoved.append(name) } }
        let isKept = state.withLock { state in
          guard case .memory = state.segments[name] else { return false }
          state.segments[name] = .spooled(place)
          return true
        }
        if !isKept { spool.remove(place) }
      }
    }
  }

  /// Removes segments that nobody may load any more.
  private func discard(_ names: [String], _ state: inout State) {
    for name in names {
      if case .spooled(let place) = state.segments.removeValue(forKey: name) { spool?.remove(place) }
    }
  }

  /// More segments than these do not wait for a disk, when a process is killed.
  private static let mostUnwritten = 3

  /// Loads files into memory; returns whether all are there.
  private func load(_ names: [String], _ prefix: String?) -> Bool {
    for name in names where state.withLock({ $0.segments[name] }) == nil {
      guard let prefix, let bytes = try? Self.read(prefix + name) else { return false }
      state.withLock { $0.segments[name] = .memory(bytes) }
    }
    return true
  }

  /// Removes files of an earlier session that nobody may load any more.
  ///
  /// - Parameter folder: Where they are; `nil` for memory alone.
  func remove(_ names: [String], from folder: String?) {
    let prefix = Self.prefix(folder)
    state.withLock { discard(names, &$0) }
    if let prefix { for name in names { ExpiredFile.remove(prefix + name) } }
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
      for segment in update.segments { state.segments[segment.name] = .memory(segment.bytes) }
    }
  }

  /// Everything that clients may load now, as updates from nothing.
  var snapshot: [Update] {
    let (contents, files, target, upcoming) = state.withLock { ($0.segments, $0.playlists, $0.targetDuration, $0.upcoming) }
    let segments: [Update] = contents.sorted { $0.key < $1.key }.compactMap { name, content in
      let bytes =
        switch content {
        case .memory(let bytes): bytes
        case .spooled(let place): spool?.loadNow(place)
        }
      return bytes.map { Update(segments: [SegmentFile(name: name, bytes: $0)], playlists: [], targetDuration: target) }
    }
    let playlists = files.sorted { $0.key < $1.key }.map { SegmentFile(name: $0, bytes: $1) }
    return segments + (playlists.isEmpty ? [] : [Update(playlists: playlists, targetDuration: target, upcoming: upcoming)])
  }

  /// Publishes what another node has.
  func publish(_ files: PairFiles) { publish(Update(files)) }

  /// Replaces everything with what another node has, at once for all who load.
  func replace(with files: [PairFiles]) {
    let old = state.withLock { state in
      discard(Array(state.segments.keys), &state)
      (state.playlists, state.latest) = ([:], Queue())
      var old: [String] = []
      for update in files.map({ Update($0) }) {
        old += add(update.segments, &state)
        for playlist in update.playlists { state.playlists[playlist.name] = playlist.bytes }
        (state.targetDuration, state.upcoming) = (update.targetDuration, update.upcoming)
      }
      return old
    }
    move(old)
  }

  /// Publishes a segment with the playlists that list it.
  func publish(_ update: Update) {
    let old = state.withLock { state in
      let old = add(update.segments, &state)
      for playlist in update.playlists { state.playlists[playlist.name] = playlist.bytes }
      if let description = update.description { state.playlists[description.name] = description.bytes }
      if !update.playlists.isEmpty { state.upcoming = update.upcoming }
      discard(update.removable, &state)
      state.targetDuration = update.targetDuration
      for part in update.parts { state.parts[part.name] = part.bytes }
      for name in update.removableParts { state.parts[name] = nil }
      for playlist in update.reloaded { state.reloaded[playlist.name] = playlist }
      for client in state.waiting.values { client.yield() }
      return old
    }
    move(old)
    // A part alone changes nothing there.
    guard !update.playlists.isEmpty else { return }
    if worker.withLock({ $0 }) != nil { updates.add(update) }
  }

  /// The file of a name, read on this thread where it is on the disk; `nil` where clients may load none now.
  package func file(_ name: String) -> File? {
    switch look(name) {
    case .file(let file): file
    case .stored(let stored): spool?.loadNow(stored.place).flatMap { self.file(stored, $0) }
    case .coming, .missing, .refused: nil
    }
  }

  /// Reads a file that is on the disk, on a thread that may wait; `nil` where the disk fails.
  package func load(_ stored: StoredFile) async -> File? {
    await spool?.load(stored.place).flatMap { file(stored, $0) }
  }

  /// A file that was read; `nil` where its place may have become that of another one meanwhile.
  private func file(_ stored: StoredFile, _ bytes: [UInt8]) -> File? {
    guard case .spooled(stored.place) = state.withLock({ $0.segments[stored.name] }) else { return nil }
    return File(bytes: bytes, contentType: stored.contentType, lifetime: nil)
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
      switch state.segments[name] ?? state.parts[name].map({ .memory($0) }) {
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
    state.withLock { state in state.segments.values.reduce(0) { $0 + $1.byteCount } + state.parts.values.reduce(0) { $0 + $1.count } }
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
    // The MPD of a web server is another one than that of a folder.
    files.playlists = playlists.map { $0.name == description?.name ? description ?? $0 : $0 }.map {
      PairFiles.File(name: $0.name, bytes: $0.bytes)
    }
    (files.removable, files.upcoming) = (removable, upcoming)
    return files
  }

  /// An update that has come from there.
  init(_ files: PairFiles) {
    self.init(
      playlists: files.playlists.map { SegmentFile(name: $0.name, bytes: $0.bytes) }, targetDuration: UInt64(clamping: files.targetDuration)
    )
    segments = files.segments.map { SegmentFile(name: $0.name, bytes: $0.bytes) }
    (removable, upcoming) = (files.removable, files.upcoming)
  }
}
