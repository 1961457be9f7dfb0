import Hummingbird
import LiveHLS
import LiveSession
import WebSupport

/// The files of a presentation, for players.
struct PresentationFiles: Sendable {
  let store: SegmentStore
  /// Whether the stream is over.
  let isOver: @Sendable () -> Bool

  /// The maximum time that a player waits for the first segment.
  private static let longestWait = Duration.seconds(4)

  init(store: SegmentStore, isOver: @escaping @Sendable () -> Bool) { (self.store, self.isOver) = (store, isOver) }

  /// Answers with a file, or with a part of it.
  ///
  /// - Parameter range: The requested bytes, in the form of the field Range.
  /// - Throws: `Problem`.
  func answer(_ call: LiveCall, range: String?) async throws(Problem) -> Response {
    let name = call.parts["file"] ?? ""
    let file = try await loadable(name, query: call.request.query)
    let lifetime = file.lifetime.map { "max-age=\($0)" } ?? "public, max-age=31536000, immutable"
    var answer = Answer(.ok, file.contentType, file.bytes, headers: [(.cacheControl, lifetime)])
    // Playlists change, so a part of one is useless.
    if file.lifetime == nil { answer.headers.append((.acceptRanges, "bytes")) }
    answer.sharedName = name
    return answer.response(toRange: range)
  }

  /// Returns a file of the presentation. A request for the presentation before its first segment exists waits for it, since players would show an
  /// error; and a request for an announced part waits for that part.
  private func loadable(_ name: String, query: [String: String]) async throws(Problem) -> SegmentStore.File {
    let isFirst = name == LivePlaylist.multivariantName
    var found: SegmentStore.Found? = store.find(name, query: query)
    if case .coming(let seconds)? = found {
      found = try await coming(name, query: query, for: .seconds(seconds)) { $0.isComing }
    } else if found == .missing, isFirst, !isOver() {
      found = try await coming(name, query: query, for: Self.longestWait) { $0 == .missing }
    }
    switch found ?? (isFirst ? .missing : nil) {
    case .file(let file): return file
    case .stored(let stored):
      guard let file = await store.load(stored) else { throw Self.noFile }
      return file
    case .refused(let reason): throw Problem("invalid", .badRequest, reason)
    case .missing: throw Self.noFile
    case .coming, nil: throw .overloaded("it has not come in time")
    }
  }

  private static let noFile = Problem("notFound", .notFound, "there is no such file, or it has expired")

  /// Waits for a file that is to come; returns `nil` if it does not come in time.
  ///
  /// - Parameter isWaiting: Whether to continue waiting after a change, given the current state of the file.
  private func coming(
    _ name: String, query: [String: String], for patience: Duration, while isWaiting: (SegmentStore.Found) -> Bool
  ) async throws(Problem) -> SegmentStore.Found? {
    guard store.changes.observerCount < SegmentStore.mostWaiting else { throw .overloaded("too many players wait") }
    await store.changes.wait(until: .now + patience) { store.isClosed || !isWaiting(store.find(name, query: query)) }
    let found = store.find(name, query: query)
    guard isWaiting(found) else { return found }
    // The stream may have ended.
    return store.isClosed ? .missing : nil
  }
}
