import AnswerIntake
import GameStore

/// Reads the record of a game piece by piece: it may have a hundred megabytes, which nobody shall hold.
struct RecordReader: Sendable {
  private let lines: RecordLines
  private let game: String
  /// The next of the players who joined.
  private var player: Int
  /// Batches that were read, and the answers of the one before them.
  private var batches: ArraySlice<StoredBatch> = []
  private var answers: ArraySlice<PackedAnswer> = []
  /// How many answers were read.
  private var arrival: Int64 = 0
  /// The number of the latest batch that was read.
  private var last = 0
  /// The number of the latest batch that belongs to the record; `nil` where all do.
  private var end: Int?

  /// How many bytes a piece has, and those of a line more.
  static let pieceSize = 32 << 10
  /// How many bytes are read from the store at once, and those of a batch more.
  private static let pageSize = 64 << 10

  /// Reads the record as it is now.
  init(_ runner: GameRunner) {
    (lines, game) = (RecordLines(runner), runner.stored.id)
    player = lines.players.lowerBound
  }

  /// The next piece, of whole lines; an empty one at the end. It waits for the store.
  ///
  /// - Throws: `StoreError`, also if answers are damaged: points would be others without them.
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

  /// Goes through the record from here, and gives its length, and a reader for just that, whatever is answered meanwhile. It waits for the store.
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
