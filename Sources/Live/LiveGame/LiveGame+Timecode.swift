import Basics
import CueSheet
import GameEvents

/// Events that wait for a timecode of the stream.
extension LiveGame {
  /// Records what the stream's timecode is now.
  ///
  /// - Returns: The records of the events that are lost, because the stream will not have their timecodes.
  mutating func follow(_ now: Now) -> [JournalRecord] {
    if timecodeProblem != now.timecode.problem {
      timecodeProblem = now.timecode.problem
      for waiting in scheduled.events where waiting.due.isTimecode { note(waiting.guid, waitsBecause: timecodeProblem) }
    }
    return scheduled.unreachable(now).map { guid, reason in
      scheduled.remove(guid)
      return lose(guid, reason)
    }
  }
}

extension LiveRequest.Due {
  var isTimecode: Bool { if case .timecode = self { true } else { false } }
}

extension ScheduledEvents {
  /// An event whose timecode was skipped by less than this goes before the next access unit, as after a short interruption of the stream.
  private static let longestSkip = MediaTime(seconds: 60)

  /// The events that wait for timecodes that the stream does not have, each with the reason: no frame has the number, or the timecode has jumped far
  /// over it and the request does not allow the event to be late.
  fileprivate func unreachable(_ now: LiveGame.Now) -> [(guid: GUID, reason: String)] {
    guard let anchor = now.timecodes, let time = now.time else { return [] }
    return events.compactMap { event in
      guard case .timecode(let label) = event.due else { return nil }
      do throws(Timecode.Failure) {
        let isSkipped = try anchor.time(of: label, near: time) < time - Self.longestSkip
        guard isSkipped, !event.isHeld, !event.request.isLateAllowed else { return nil }
        return (event.guid, "the timecode has jumped from before \(label.text) to \(anchor.text(at: time))")
      } catch {
        return (event.guid, error.words(label, rate: anchor.rate))
      }
    }
  }
}
