import AnswerIntake
import GameStore

/// Reads the record of a game piece by piece: it may have a hundred megabytes, too much to hold in memory.
struct RecordReader: Sendable {
  private let lines: RecordLines
  private let game: String
  /// The next player whose joining is to be written.
  private var player: Int
  /// Batches that were read, and the answers that are left of the previous batch.
  private var batches: ArraySlice<StoredBatch> = []
  private var answers: ArraySlice<PackedAnswer> = []
  /// The number of answers that were read.
  private var arrival: Int64 = 0
  /// The number of the latest batch that was read.
  private var last = 0
  /// The number of the latest batch that belongs to the record; `nil` if all do.
  private var end: Int?

  /// The approximate size of a piece in bytes: its last line may go beyond.
  static let pieceSize = 32 << 10
  /// How many bytes are read from the store at once; the last batch may go beyond.
  private static let pageSize = 64 << 10

  /// A reader of the record in its present state.
  init(_ runner: GameRunner) {
    (lines, game) = (RecordLines(runner), runner.stored.id)
    player = lines.players.lowerBound
  }

  /// The next piece, of whole lines; an empty one at the end. It waits for the store.
  ///
  /// - Throws: `StoreError`, also if answers are damaged: without them the points would differ.
  mutating func next(_ store: any GameStore) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < Self.pieceSize {
      if player < lines.players.upperBound {
        lines.appendJoin(of: player, to: &bytes)
        player += 1
      } else if let answer = answers.popFirst() {
        arrival += 1
        lines.append(answer, arrival: arrival, to: &bytes)
      } else if let batch = try nextBatch(store) {
        answers = try batch.decoded(of: game)[...]
      } else {
        break
      }
    }
    return bytes
  }

  private mutating func nextBatch(_ store: any GameStore) throws(StoreError) -> StoredBatch? {
    if batches.isEmpty { batches = try store.batches(of: game, after: last, size: Self.pageSize)[...] }
    guard let batch = batches.first, batch.number <= end ?? .max else { return nil }
    batches.removeFirst()
    last = batch.number
    return batch
  }

  /// Reads the rest of the record, and returns its length, and a reader for exactly that part, whatever is answered in the meantime. It waits for the
  /// store.
  func measured(_ store: any GameStore) throws(StoreError) -> (length: Int, reader: RecordReader) {
    var (measuring, reader, length) = (self, self, 0)
    while true {
      let count = try measuring.next(store).count
      guard count > 0 else { break }
      length += count
    }
    reader.end = measuring.last
    return (length, reader)
  }
}
