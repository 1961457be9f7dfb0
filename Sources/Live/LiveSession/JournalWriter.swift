import Files
import LiveGame
import LiveInterface

/// Writes a session's journal. It reserves disk space first, so that an accepted event can always be written.
struct JournalWriter: ~Copyable {
  /// The file; `nil` if nothing has to outlive the process.
  private var file: JournalFile?
  private var backOff = BackOff(patience)
  /// The end of the lines on the disk.
  private var chain: JournalText.Chain
  /// What has happened in the stream and is not on the disk yet.
  private var owed: [JournalRecord] = []

  /// The delay after a failure.
  static let patience = Duration.seconds(1)
  /// The maximum number of owed records: of a disk that is full for hours, the latest ones.
  private static let mostOwed = 65_536

  /// Why nothing can be written, in words; `nil` if it can.
  var failure: String? { backOff.reason }
  /// When the disk is tried again; `nil` without a failure.
  var nextTry: ContinuousClock.Instant? { backOff.nextTry }

  init(_ file: consuming JournalFile?, after chain: JournalText.Chain) {
    self.file = file
    self.chain = chain
  }

  /// Writes owed records and these; returns their lines once they are on the disk, and `nil` if they cannot be written.
  mutating func append(_ records: [JournalRecord]) -> [UInt8]? {
    var chain = chain
    let lines = chain.lines(owed + records)
    do throws(FileSinkError) {
      try file?.append(lines.span)
    } catch {
      fail(error)
      return nil
    }
    self.chain = chain
    owed = []
    return lines
  }

  /// Keeps records that could not be written until the disk has room.
  mutating func owe(_ records: [JournalRecord]) {
    owed += records
    if owed.count > Self.mostOwed { owed.removeFirst(owed.count - Self.mostOwed) }
  }

  /// Whether records wait for the disk.
  var owesRecords: Bool { !owed.isEmpty }

  /// The bytes on the disk; `nil` if they cannot be read. Then the other node of a pair is disconnected, and asks again.
  var bytes: [UInt8]? { try? file?.written() }

  /// The number of bytes on the disk.
  var position: Int { file?.writtenCount() ?? 0 }

  /// The records on the disk; `nil` if they cannot be read.
  func records() -> [JournalRecord]? { bytes.flatMap { try? JournalText.contents($0).records } }

  /// Reserves room for further records.
  mutating func makeRoom() {
    if let nextTry, ContinuousClock.now < nextTry { return }
    do throws(FileSinkError) {
      try file?.makeRoom()
      backOff.succeed()
    } catch {
      fail(error)
    }
  }

  private mutating func fail(_ error: FileSinkError) { backOff.fail("no event can be written: \(error)", at: .now) }

  mutating func close() { file = nil }
}
