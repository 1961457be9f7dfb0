import Basics
import EventSchedule
import GameEvents
import TestSupport

/// Access units and events at random.
struct RandomStream {
  var events: [PlannedEvent]
  var units: [EventSchedule.AccessUnit]
  var end: MediaTime
  var policy: CopyPolicy

  init(using generator: inout SeededNumbers) {
    let frames = Int.random(in: 1...400, using: &generator)
    let reordered = Int.random(in: 0...3, using: &generator)
    var times: [MediaTime] = []
    var durations: [MediaTime] = []
    var time = MediaTime.zero
    for _ in 0..<frames {
      let duration = MediaTime(ticks: Int64.random(in: 1...3, using: &generator) * 1_800)
      times.append(time)
      durations.append(duration)
      time += duration
    }
    // The first frame, then groups of which the last is decoded first.
    units = [EventSchedule.AccessUnit(time: times[0], duration: durations[0])]
    var index = 1
    while index < frames {
      let last = min(index + reordered, frames - 1)
      for place in [last] + Array(index..<last) {
        units.append(EventSchedule.AccessUnit(time: times[place], duration: durations[place]))
      }
      index = last + 1
    }
    end = time
    policy = CopyPolicy(
      copies: Int.random(in: 1...4, using: &generator),
      refreshInterval: Bool.random(using: &generator) ? MediaTime(ticks: Int64.random(in: 1...20, using: &generator) * 5_000) : nil)
    events = Self.events(upTo: end, using: &generator)
  }

  private static func events(upTo end: MediaTime, using generator: inout SeededNumbers) -> [PlannedEvent] {
    (0..<Int.random(in: 0...30, using: &generator)).map { number in
      // Some lie after the end.
      var time = MediaTime(ticks: Int64.random(in: 0...(end.ticks + 5_000), using: &generator))
      if Bool.random(using: &generator) { time.ticks -= time.ticks % 1_800 }
      let guid = "e\(number)"
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: return .start(guid, game: Bool.random(using: &generator) ? "g" : "h", at: time)
      case 1, 2: return .ask(guid, at: time, padding: Int.random(in: 0...400, using: &generator))
      case 3: return .show(guid, of: "e\(max(number - 1, 0))", at: time)
      case 4: return .info(guid, at: time)
      case 5: return .poll(guid, at: time, currentFor: Bool.random(using: &generator) ? .frames(40) : nil, padding: 100)
      default: return .end(guid, at: time)
      }
    }
  }
}
