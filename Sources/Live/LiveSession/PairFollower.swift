package import Basics
import Files
package import GameEvents
import LiveGame
package import LivePair

/// The following node of a pair. It stores the journal and the presentation of the leading node, and confirms them before clients learn of them.
///
/// One thread uses it.
package final class PairFollower {
  /// An event that this node accepted while it led alone, and that the other node does not have.
  package struct Orphan: Equatable, Sendable {
    package var guid: GUID
    /// The request, with its identifier.
    package var request: JSONObject
    /// When it was accepted, in milliseconds since 1970.
    package var wallClock: Int64
  }

  private let path: String
  private let store: SegmentStore
  private let feed: LiveFeed
  private var journal: JournalFile?
  private var contents: [UInt8] = []
  /// What was received of the journal and of the presentation, until it is complete. The store has the segments.
  private struct Beginning {
    /// The received bytes of the journal, and their offset in it.
    var (offset, bytes): (Int, [UInt8])
    /// The names of the segments, and of those among them that the store did not have before.
    var segments: Set<String> = []
    var staged: [String] = []
    var playlists: PairFiles?
  }

  private var beginning: Beginning?
  /// The number of stored messages that are not confirmed yet.
  private var unconfirmed = 0
  /// Whether it has everything that the other node has accepted.
  package private(set) var isComplete = false
  /// When the last segment was listed.
  package private(set) var lastListing: ContinuousClock.Instant?
  /// The events of this node's earlier journal that the other node does not have.
  package private(set) var orphans: [Orphan] = []

  /// Opens the journal of a node.
  ///
  /// - Throws: `LiveSessionError` if it cannot be opened, or is damaged.
  package init(journal path: String, store: SegmentStore, feed: LiveFeed) throws(LiveSessionError) {
    (self.path, self.store, self.feed) = (path, store, feed)
    var opened = try SessionJournal(path: path)
    contents = Array((opened.file?.contents ?? [])[..<opened.contents.byteCount])
    try opened.begin()
    journal = opened.file.take()
    term = Self.records(contents).term
  }

  /// The length and the digest of the journal, for the other node.
  package var length: Int { contents.count }
  package var digest: String { PairHello.digest(contents[...]) }

  /// The latest term in the journal.
  package private(set) var term = 0

  /// The records of a journal; none if it is damaged, which it was not when it was opened.
  private static func records(_ bytes: [UInt8]) -> [JournalRecord] { (try? JournalText.contents(bytes).records) ?? [] }

  /// Begins to follow.
  package func begin() {
    discard()
    (beginning, unconfirmed, isComplete) = (Beginning(offset: contents.count, bytes: []), 0, false)
  }

  /// Forgets what was received, if it is not complete.
  private func discard() { if let staged = beginning.take()?.staged { store.remove(staged) } }

  /// Stores a message.
  ///
  /// - Returns: Whether it was for the follower.
  /// - Throws: `LiveSessionError` if the journal cannot be written, or the message does not continue it.
  package func receive(_ message: PairMessage) throws(LiveSessionError) -> Bool {
    switch message {
    case .journal(let offset, let bytes):
      if beginning != nil {
        let isFirst = beginning?.bytes.isEmpty ?? true
        if isFirst { beginning?.offset = offset }
        beginning?.bytes += bytes
      } else {
        guard offset == contents.count else {
          throw mismatch(offset)
        }
        try append(bytes)
      }
    case .files(let files):
      if beginning == nil { publish(files) } else { stage(files) }
    case .complete: try catchUp()
    case .told(let id, let event, let data):
      feed.repeating(LiveFeed.Message(id: id, event: event, data: data))
      return true
    default: return false
    }
    unconfirmed += 1
    return true
  }

  /// The number of messages to confirm now.
  package func takeReceived() -> Int { exchange(&unconfirmed, with: 0) }

  private func mismatch(_ offset: Int) -> LiveSessionError {
    .journal(
      path: path,
      reason: "the other node goes on at byte \(offset), not at \(contents.count); start this node again, and it gets the whole journal")
  }

  private func publish(_ files: PairFiles) {
    if !files.segments.isEmpty { lastListing = .now }
    store.publish(files)
  }

  /// Stores files of the presentation from before. Those of a whole event do not fit into memory.
  private func stage(_ files: PairFiles) {
    let staged = store.stage(files)
    beginning?.staged += staged
    beginning?.segments.formUnion(files.segments.map(\.name))
    beginning?.segments.subtract(files.removable)
    guard !files.playlists.isEmpty else { return }
    beginning?.playlists = files
    beginning?.playlists?.segments = []
  }

  private func append(_ bytes: [UInt8]) throws(LiveSessionError) {
    do throws(FileSinkError) { try journal?.append(bytes.span) } catch { throw .output(error) }
    contents += bytes
    term = max(term, Self.records(bytes).term)
  }

  /// Stores everything from before. The node's own journal is replaced only once all of it has been received.
  private func catchUp() throws(LiveSessionError) {
    guard let beginning = beginning.take() else { return }
    let (offset, bytes) = (beginning.offset, beginning.bytes)
    guard offset == 0 || offset == contents.count else {
      throw mismatch(offset)
    }
    if offset == 0, !contents.isEmpty {
      let old = contents
      do throws(FileSinkError) {
        var aside = try FileSink(path: "\(path).aside", overwrite: true)
        aside.write(old.span)
        try aside.commit()
        try journal?.start(at: 0, discarding: true)
      } catch {
        throw .output(error)
      }
      (contents, term) = ([], 0)
      orphans = Self.orphans(Self.records(old), Self.records(bytes))
    }
    try append(bytes)
    store.replace(with: beginning.playlists, keeping: beginning.segments)
    lastListing = .now
    isComplete = true
  }

  /// The events that were accepted while the node led alone, and are not in the other journal.
  private static func orphans(_ old: [JournalRecord], _ new: [JournalRecord]) -> [Orphan] {
    var known: Set<GUID> = []
    for case .accepted(let guid, _, _, _) in new { known.insert(guid) }
    var isAlone = false
    var orphans: [Orphan] = []
    for record in old {
      switch record {
      case .led(_, let alone): isAlone = alone
      case .accepted(let guid, _, let request, let from) where isAlone && !known.contains(guid):
        var object = request
        object.append("guid", guid.text)
        orphans.append(Orphan(guid: guid, request: object, wallClock: from.wallClock))
      default: break
      }
    }
    return orphans
  }

  /// Closes the journal, so that this node's session can open it.
  package func close() {
    discard()
    journal = nil
  }
}
