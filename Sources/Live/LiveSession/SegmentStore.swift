import Basics
import Files
import LiveHLS
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
  }

  /// What changes with a segment.
  struct Update: Sendable {
    var segments: [SegmentFile] = []
    /// The playlists in the order in which they are replaced.
    var playlists: [SegmentFile]
    /// Segments that nobody may load any more.
    var removable: [String] = []
    var targetDuration: UInt64
  }

  private let state = Mutex(State())
  private let updates = JobQueue<Update>()
  private let worker: Mutex<Worker?> = Mutex(nil)

  /// A store without files.
  ///
  /// - Parameters:
  ///   - folder: Where the files go too; `nil` for memory alone.
  ///   - say: Receives messages for the operator.
  init(folder: String?, say: @escaping @Sendable (String) -> Void) {
    guard let folder else { return }
    let worker = Worker("presentation") { [updates] in
      while let next = updates.take(seconds: 1) {
        for update in next { Self.write(update, into: folder, say) }
      }
    }
    self.worker.withLock { $0 = worker }
  }

  /// Writes the segment first, then the playlists that list it. Each file gets its name only when it is whole.
  private static func write(_ update: Update, into folder: String, _ say: (String) -> Void) {
    let prefix = folder.isEmpty ? "" : "\(folder)/"
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
  /// - Parameter segments: The names of the files that each needs, the latest segment last.
  /// - Returns: Those that are there, one behind the other. Behind them may be some that the process did not come to write.
  func resume(_ segments: [[String]], in folder: String) -> Range<Int> {
    let prefix = folder.isEmpty ? "" : "\(folder)/"
    var end = segments.count
    while segments.count - end < Self.mostUnwritten, end > 0, !load(segments[end - 1], prefix) { end -= 1 }
    var start = end
    while start > 0, load(segments[start - 1], prefix) { start -= 1 }
    return start..<end
  }

  /// More segments than these do not wait for a disk, when a process is killed.
  private static let mostUnwritten = 3

  /// Loads files into memory; returns whether all are there.
  private func load(_ names: [String], _ prefix: String) -> Bool {
    for name in names where state.withLock({ $0.segments[name] }) == nil {
      guard let bytes = try? Self.read(prefix + name) else { return false }
      state.withLock { $0.segments[name] = bytes }
    }
    return true
  }

  /// Removes files of an earlier session that nobody may load any more.
  func remove(_ names: [String], from folder: String) {
    let prefix = folder.isEmpty ? "" : "\(folder)/"
    for name in names {
      state.withLock { $0.segments[name] = nil }
      ExpiredFile.remove(prefix + name)
    }
  }

  private static func read(_ path: String) throws(FileInputError) -> [UInt8] {
    var bytes: [UInt8] = []
    var file = try FileInput(path: path)
    while try file.fill() { bytes.append(copying: file.bytes) }
    return bytes
  }

  /// Publishes a segment with the playlists that list it.
  func publish(_ update: Update) {
    state.withLock { state in
      for segment in update.segments { state.segments[segment.name] = segment.bytes }
      for playlist in update.playlists { state.playlists[playlist.name] = playlist.bytes }
      for name in update.removable { state.segments[name] = nil }
      state.targetDuration = update.targetDuration
    }
    if worker.withLock({ $0 }) != nil { updates.add(update) }
  }

  /// The file of a name; `nil` where clients may load none.
  package func file(_ name: String) -> File? {
    state.withLock { state in
      if let bytes = state.playlists[name] {
        return File(bytes: bytes, contentType: "application/vnd.apple.mpegurl", lifetime: Int(max(state.targetDuration / 2, 1)))
      }
      return state.segments[name].map { File(bytes: $0, contentType: Self.contentType(name), lifetime: nil) }
    }
  }

  private static func contentType(_ name: String) -> String { name.hasSuffix(".ts") ? "video/mp2t" : "video/mp4" }

  /// The number of bytes of all segments that clients may load.
  package var byteCount: Int { state.withLock { $0.segments.values.reduce(0) { $0 + $1.count } } }

  /// Writes what waits, and ends.
  func close() {
    updates.close()
    worker.withLock { $0 }?.join(seconds: 2)
  }
}
