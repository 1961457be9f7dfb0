package import GameEvents

/// Saves what can be saved of a damaged journal.
package struct JournalRepair: Equatable, Sendable {
  /// The records that a session can continue.
  package private(set) var records: [JournalRecord]
  /// What is wrong.
  package private(set) var damages: [JournalText.Damage]
  /// Events of which too little is known. Their records are left out.
  package private(set) var lostEvents: [GUID] = []
  /// The name of the game; `nil` if the journal does not begin with it, and cannot be repaired.
  package private(set) var game: String?
  /// The highest known sequence number; 0 for none.
  package private(set) var lastSequence = 0

  /// Reads the bytes of a journal.
  package init(_ bytes: [UInt8]) {
    (records, damages) = JournalText.rescue(bytes)
    if case .started(let game, _) = records.first { self.game = game }
    var accepted: Set<GUID> = []
    var numbered: Set<GUID> = []
    var lost: Set<GUID> = []
    for record in records {
      switch record {
      case .accepted(let guid, _, _, _): accepted.insert(guid)
      case .numbered(let guid, let sequence, _):
        numbered.insert(guid)
        lastSequence = max(lastSequence, sequence)
        if !accepted.contains(guid) { lost.insert(guid) }
      // It is in the stream with a number that is not known.
      case .placed(let guid, _, _, _): if !numbered.contains(guid) || !accepted.contains(guid) { lost.insert(guid) }
      case .released(let guid, _), .moved(let guid, _), .cancelled(let guid), .lost(let guid, _):
        if !accepted.contains(guid) { lost.insert(guid) }
      case .reserved(let sequence): lastSequence = max(lastSequence, sequence)
      case .started, .segment, .led, .adBreak, .ended: break
      }
    }
    lostEvents = lost.sorted { $0.text < $1.text }
    records.removeAll { $0.guid.map { lost.contains($0) } ?? false }
  }

  /// Whether nothing is wrong.
  package var isWhole: Bool { damages.isEmpty && lostEvents.isEmpty && (game != nil || records.isEmpty) }

  /// The journal without what is wrong.
  ///
  /// - Parameters:
  ///   - lastSequence: The highest sequence number that is in the stream: none up to it is given again.
  ///   - room: The number of free bytes after the lines.
  package func bytes(lastSequence: Int, room: Int) -> [UInt8] {
    let reserved = max(lastSequence, self.lastSequence)
    return JournalText.bytes(isWhole ? records : records + [.reserved(sequence: reserved)], room: room)
  }
}

extension JournalRecord {
  /// The event of the record; `nil` if it has none.
  fileprivate var guid: GUID? {
    switch self {
    case .accepted(let guid, _, _, _), .numbered(let guid, _, _), .released(let guid, _), .moved(let guid, _), .cancelled(let guid),
      .lost(let guid, _), .placed(let guid, _, _, _):
      guid
    case .started, .reserved, .segment, .led, .adBreak, .ended: nil
    }
  }
}
