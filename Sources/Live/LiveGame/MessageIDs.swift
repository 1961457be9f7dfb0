import Basics
import GameEvents

/// Gives each event of a session an id for its event messages that no other event of the session has: players keep only the first of several messages
/// with one id. Identifiers that clients choose may have equal checksums.
///
/// The ids follow from the order in which events get their numbers, so that they are the same after a restart.
struct MessageIDs: Sendable {
  private var taken: Set<UInt32> = []

  /// Adds an event.
  ///
  /// - Returns: Its id; `nil` for the usual one, the CRC-32/MPEG-2 of its GUID.
  mutating func add(_ guid: GUID) -> UInt32? {
    if taken.insert(CRC32MPEG2.checksum(guid.text)).inserted { return nil }
    var attempt = 1
    while true {
      let id = CRC32MPEG2.checksum("\(guid.text)\n\(attempt)")
      if taken.insert(id).inserted { return id }
      attempt += 1
    }
  }
}
