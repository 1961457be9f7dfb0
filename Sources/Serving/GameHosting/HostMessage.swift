package import Basics
package import GameEvents

/// What a host is told.
package enum HostMessage: Equatable, Sendable {
  case started
  case asked(GUID, number: Int)
  /// An event of this type is in the stream.
  case placed(EventType, GUID, at: MediaTime)
  case closed(GUID)
  case voided(GUID)
  case decision(GUID)
  case ended
  case kicked(Int)
  case removed(Int)
  /// Answers count from viewers who are so far behind the live edge.
  case delayed(MediaTime)
}
