package import Basics

/// Why an event cannot be inserted into a schedule.
package enum ScheduleError: Error, Equatable, Sendable {
  /// The schedule has already reached this time, and the event's time is not after it.
  case tooLate(MediaTime)
}

/// The events that have not started, in the order of their times. Events of one time start in the order in which they were inserted.
struct PendingEvents: Sendable {
  private var queue: Queue<PlannedEvent>
  /// The current time of the stream. Every event up to this time has started.
  private(set) var time = MediaTime(ticks: .min)
  private var startedCount = 0

  init(_ events: [PlannedEvent]) {
    // The offset keeps the order of events of one time: the standard library does not promise a stable sort.
    queue = Queue(events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map { $0.element })
  }

  var events: ArraySlice<PlannedEvent> { queue.elements }

  /// When the next event starts. It is read in place, because it is needed often and events are expensive to copy.
  var nextTime: MediaTime? { queue.isEmpty ? nil : queue.storage[queue.head].time }

  mutating func insert(_ event: PlannedEvent) throws(ScheduleError) {
    guard event.time > time else { throw .tooLate(time) }
    // This is a separate statement because inserting while the slice exists would copy the queue.
    let index = queue.elements.partitionIndex { $0.time > event.time }
    queue.insert(event, at: index)
  }

  /// Records that the stream has reached a time.
  mutating func advance(to time: MediaTime) { self.time = max(self.time, time) }

  /// Removes the next event if its time is due.
  mutating func startNext(where isDue: (MediaTime) -> Bool) -> StartedEvent? {
    guard let nextTime, isDue(nextTime), let event = queue.popFirst() else { return nil }
    return start(event)
  }

  /// Counts an event as started.
  mutating func start(_ event: PlannedEvent) -> StartedEvent {
    defer { startedCount += 1 }
    return StartedEvent(id: startedCount, planned: event)
  }
}
