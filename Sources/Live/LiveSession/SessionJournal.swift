import Files
import LiveGame

/// The journal that a session opens, with its contents.
struct SessionJournal: ~Copyable {
  private let path: String?
  /// The file; `nil` if nothing has to outlive the process.
  var file: JournalFile?
  private(set) var contents: JournalText.Contents

  /// Opens a journal, or makes an empty one.
  ///
  /// - Throws: `LiveSessionError` if it cannot be opened, or is damaged.
  init(path: String?) throws(LiveSessionError) {
    self.path = path
    do throws(FileSinkError) { file = try path.map { (path) throws(FileSinkError) in try JournalFile(path: path) } } catch {
      throw .output(error)
    }
    do throws(JournalText.Damage) { contents = try JournalText.whole(file?.contents ?? []) } catch {
      throw .journal(path: path ?? "", reason: "\(error)")
    }
  }

  /// Restores a state from the records.
  func restore<Value>(
    _ body: ([JournalRecord]) throws(JournalText.Damage) -> Value
  ) throws(LiveSessionError) -> Value {
    do throws(JournalText.Damage) { return try body(contents.records) } catch { throw .journal(path: path ?? "", reason: "\(error)") }
  }

  /// Continues the journal with the first records of the session.
  mutating func begin(_ records: [JournalRecord] = []) throws(LiveSessionError) {
    do throws(FileSinkError) {
      try file?.start(at: contents.byteCount)
      let lines = contents.chain.lines(records)
      if !lines.isEmpty { try file?.append(lines.span) }
    } catch {
      throw .output(error)
    }
  }
}
