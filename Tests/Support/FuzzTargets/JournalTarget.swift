import Basics
import GameJSON

extension FuzzTarget {
  /// Journals: a run compared with itself does not differ.
  static let journal = FuzzTarget("journal") { bytes in
    guard var journal = try? Journal(bytes) else { return }
    for line in bytes.split(separator: 0x0A) {
      if let object = try? JSONValue(parsing: String(decoding: line, as: UTF8.self)).object { journal.compare(object) }
    }
    journal.finish()
    try require(journal.differences.map { "\($0)" }, equals: [], "differences from itself")
  }
}
