import Files

/// Keeps the older segments of a long playlist on the disk, with a thread of its own.
final class SegmentSpool: Sendable {
  private let file: SpoolFile
  private let jobs = JobQueue<@Sendable () -> Void>()
  private let say: @Sendable (String) -> Void

  /// - Parameters:
  ///   - folder: A folder on the file system for the segments.
  ///   - say: Receives messages for the operator.
  /// - Throws: `FileSinkError` if nothing can be written there.
  init(in folder: String, say: @escaping @Sendable (String) -> Void) throws(FileSinkError) {
    (file, self.say) = (try SpoolFile(in: folder), say)
    _ = Worker("segments") { [jobs] in
      while let next = jobs.take() {
        for job in next { job() }
      }
    }
  }

  /// Stores bytes, then calls `done` with their place; with `nil` if that fails.
  func store(_ bytes: [UInt8], done: @escaping @Sendable (SpoolFile.Place?) -> Void) { jobs.add { [self] in done(storeNow(bytes)) } }

  /// Stores bytes on this thread; `nil` if that fails.
  func storeNow(_ bytes: [UInt8]) -> SpoolFile.Place? {
    do throws(FileSinkError) { return try file.append(bytes.span) } catch {
      say("a segment stays in memory: \(error)")
      return nil
    }
  }

  /// The bytes of a place, read on the spool's thread; `nil` if the disk fails.
  func load(_ place: SpoolFile.Place) async -> [UInt8]? {
    await withCheckedContinuation { continuation in jobs.add { [file] in continuation.resume(returning: file.bytes(at: place)) } }
  }

  /// The bytes of a place, read on this thread.
  func loadNow(_ place: SpoolFile.Place) -> [UInt8]? { file.bytes(at: place) }

  /// Frees a place.
  func remove(_ place: SpoolFile.Place) { file.remove(place) }

  deinit { jobs.close() }
}
