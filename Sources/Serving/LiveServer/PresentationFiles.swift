import HTTPTypes
import LiveHLS
import LiveSession
import Terminal
import WebSupport

/// The files of a presentation, for players.
struct PresentationFiles: Sendable {
  let store: SegmentStore
  /// Whether the stream is over.
  let isOver: @Sendable () -> Bool

  /// How long a player waits for the first segment.
  private static let longestWait = Duration.seconds(4)

  init(store: SegmentStore, isOver: @escaping @Sendable () -> Bool) { (self.store, self.isOver) = (store, isOver) }

  /// Answers with a file.
  ///
  /// - Throws: `Problem`.
  func answer(_ name: String, query: [String: String]) async throws(Problem) -> Answer {
    let file = try await loadable(name, query: query)
    let lifetime = file.lifetime.map { "max-age=\($0)" } ?? "public, max-age=31536000, immutable"
    return Answer(.ok, file.contentType, file.bytes, headers: [(.cacheControl, lifetime)])
  }

  /// A file of the presentation. Who asks for the presentation before its first segment is there waits for it, or players would show an error; and
  /// who asks for what comes next waits for that.
  private func loadable(_ name: String, query: [String: String]) async throws(Problem) -> SegmentStore.File {
    let end = ContinuousClock.now + Self.longestWait
    while true {
      switch store.look(name, query: query) {
      case .file(let file): return file
      case .refused(let reason): throw Problem("invalid", .badRequest, reason)
      case .coming(let seconds): return try await coming(name, query: query, seconds: seconds)
      case .missing:
        guard name == LivePlaylist.multivariantName, !isOver(), !Interruption.isRequested, ContinuousClock.now < end,
          (try? await Task.sleep(for: .milliseconds(50))) != nil
        else { throw Self.noFile }
      }
    }
  }

  private static let noFile = Problem("notFound", .notFound, "there is no such file, or it has expired")

  /// Waits for a file that is to come.
  private func coming(_ name: String, query: [String: String], seconds: Int) async throws(Problem) -> SegmentStore.File {
    guard let changes = store.changes() else {
      throw Problem("busy", .serviceUnavailable, "too many players wait", headers: [(.retryAfter, "1")])
    }
    let store = store
    let look = await withTaskGroup(of: SegmentStore.Look?.self) { group in
      group.addTask {
        for await _ in changes {
          let look = store.look(name, query: query)
          guard case .coming = look else { return look }
        }
        return nil
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(seconds))
        return nil
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? nil
    }
    switch look {
    case .file(let file): return file
    case .refused(let reason): throw Problem("invalid", .badRequest, reason)
    case .missing: throw Self.noFile
    case .coming, nil: throw Problem("busy", .serviceUnavailable, "it has not come in time", headers: [(.retryAfter, "1")])
    }
  }
}
