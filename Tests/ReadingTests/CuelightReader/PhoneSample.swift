import CuelightReader
import EventSchedule
import TestSupport

/// A short game as a player hands it over.
enum PhoneSample {
  /// A copy of each event.
  static func copies() -> [EventCopy] { SampleGame.plan("friday", .open).map { EventCopy(of: $0.event) } }

  /// When a copy is presented, in seconds of the programme.
  static func seconds(_ copy: EventCopy) -> Double { Double(copy.programmeTime?.ticks ?? 0) / 90_000 }

  /// The game in a transport stream.
  static func stream() throws -> [UInt8] { try stamp(SampleStream().bytes, with: SampleGame.plan("friday", .open)).bytes }
}
