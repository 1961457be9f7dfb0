package import Basics
import Files
package import GameEvents
import LiveGame
package import LivePair

/// A node of a pair that follows: it has the same journal and the same presentation as the one that leads, and says so before anybody else hears of it.
///
/// One thread works with it.
package final class PairFollower {
  /// An event that this node has accepted while it led alone, and that the other one does not know.
  package struct Orphan: Equatable, Sendable {
    package var guid: GUID
    /// What was posted, with its identifier.
    package var request: JSONObject
    /// When it was accepted, in milliseconds since 1970.
    package var wallClock: Int64
  }

  private let path: String
  private let store: SegmentStore
  private let feed: LiveFeed
  private var journal: JournalFile?
  private var contents: [UInt8] = []
  /// What has come of the journal and of the presentation until now, as long as there is more.
  private var beginning: (offset: Int, bytes: [UInt8], files: [PairFiles])?
  /// The number of messages that were taken up, since that was said.
  private var untold = 0
  /// Whether it has everything that the other node has promised.
  package private(set) var isComplete = false
  /// When the last segment was listed.
  package private(set) var lastListing: ContinuousClock.Instant?
  /// What of the journal before was not in that of the other node.
  package private(set) var orphans: [Orphan] = []

  /// Opens the journal of a node.
  ///
  /// - Throws: `LiveSessionError` where it cannot be opened, or is damaged.
  package init(journal path: String, store: SegmentStore, feed: LiveFeed) throws(LiveSessionError) {
    (self.path, self.store, self.feed) = (path, store, feed)
    do throws(FileSinkError) { journal = try JournalFile(path: path) } catch { throw .output(error) }
    let bytes = journal?.contents ?? []
    let count: Int
    do throws(JournalText.Damage) { count = try JournalText.whole(bytes).byteCount } catch {
      throw .journal(path: path, reason: "\(error)")
    }
    do throws(FileSinkError) { try journal?.start(at: count) } catch { throw .output(error) }
    contents = Array(bytes[..<count])
    term = Self.term(contents)
  }

  /// What this node says of its journal.
  package var length: Int { contents.count }
  package var digest: String { PairHello.digest(contents[...]) }

  /// How often a node has led, as far as the journal knows.
  package private(set) var term = 0

  /// The records of a journal. It was whole when it was opened, and the other node sends whole lines: if it is damaged all the same, nothing counts.
  private static func records(_ bytes: [UInt8]) -> [JournalRecord] { (try? JournalText.contents(bytes).records) ?? [] }

  private static func term(_ bytes: [UInt8]) -> Int {
    var latest = 0
    for case .led(let term, _) in records(bytes) { latest = max(latest, term) }
    return latest
  }

  /// Begins to follow.
  package func begin() {
    (beginning, untold, isComplete) = ((contents.count, [], []), 0, false)
  }

  /// Takes up a message.
  ///
  /// - Returns: Whether it was one of those that a node follows by.
  /// - Throws: `LiveSessionError` where the journal cannot be written, or does not go on where it ended.
  package func receive(_ message: PairMessage) throws(LiveSessionError) -> Bool {
    switch message {
    case .journal(let offset, let bytes):
      if beginning != nil {
        let isFirst = beginning?.bytes.isEmpty ?? true
        if isFirst { beginning?.offset = offset }
        beginning?.bytes += bytes
      } else {
        guard offset == contents.count else {
          throw .journal(path: path, reason: "the other node goes on at byte \(offset), not at \(contents.count)")
        }
        try append(bytes)
      }
    case .files(let files):
      if beginning == nil { publish(files) } else { beginning?.files.append(files) }
    case .complete: try catchUp()
    case .told(let id, let event, let data):
      feed.repeating(LiveFeed.Message(id: id, event: event, data: data))
      return true
    default: return false
    }
    untold += 1
    return true
  }

  /// The number of messages that were taken up since this was asked last.
  package func takeReceived() -> Int {
    defer { untold = 0 }
    return untold
  }

  private func publish(_ files: PairFiles) {
    if !files.segments.isEmpty { lastListing = .now }
    store.publish(files)
  }

  private func append(_ bytes: [UInt8]) throws(LiveSessionError) {
    do throws(FileSinkError) { try journal?.append(bytes.span) } catch { throw .output(error) }
    contents += bytes
    term = max(term, Self.term(bytes))
  }

  /// Takes up everything from before. Nothing of the node's own is given up before all of it has come.
  private func catchUp() throws(LiveSessionError) {
    guard let (offset, bytes, files) = beginning.take() else { return }
    guard offset == 0 || offset == contents.count else {
      throw .journal(path: path, reason: "the other node goes on at byte \(offset), not at \(contents.count)")
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
    store.replace(with: files)
    lastListing = .now
    isComplete = true
  }

  /// What was promised while the node led alone, and is not in the other journal.
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

  /// Lets go of the journal, so that the session of this node can open it.
  package func close() { journal = nil }
}
