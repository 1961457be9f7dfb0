import Testing

@testable import LiveSession

/// Jobs that one thread takes from others.
@Suite struct JobQueueTests {
  /// Whoever has taken all jobs waits for the next one, and does not find nothing once for each of them.
  @Test func waiting() {
    let queue = JobQueue<Int>()
    for job in 1...3 { queue.add(job) }
    #expect(queue.take(seconds: 60) == [1, 2, 3])
    let other = Worker("other") { queue.add(4) }
    #expect(queue.take(seconds: 60) == [4])
    #expect(queue.take(seconds: 0) == [])
    other.join(seconds: 60)
  }

  /// Whoever is woken looks once, with the jobs that there are or with none.
  @Test func waking() {
    let queue = JobQueue<Int>()
    queue.wake()
    queue.wake()
    #expect(queue.take() == [])
    queue.add(1)
    queue.wake()
    #expect(queue.take() == [1])
    let other = Worker("other") { queue.wake() }
    #expect(queue.take(until: .now + .seconds(3_600)) == [])
    #expect(queue.take(until: .now) == [])
    other.join(seconds: 60)
  }

  /// Whoever takes the first job only leaves those behind it to whoever asks next, however they have come together.
  @Test func firstOfSeveral() {
    let queue = JobQueue<Int>()
    for job in 1...3 { queue.add(job) }
    #expect(queue.takeFirst(until: .now + .seconds(60)) == 1)
    queue.add(4)
    #expect(queue.take(until: .now + .seconds(60)) == [2, 3, 4])
    queue.wake()
    #expect(queue.takeFirst(until: .now) == nil)
    let other = Worker("other") { queue.add(5) }
    #expect(queue.takeFirst(until: .now + .seconds(60)) == 5)
    other.join(seconds: 60)
    queue.add(6)
    queue.close()
    let begun = ContinuousClock.now
    #expect(queue.takeFirst(until: begun + .seconds(60)) == 6)
    #expect(queue.takeFirst(until: begun + .seconds(60)) == nil)
    #expect(ContinuousClock.now - begun < .seconds(60))
  }

  /// The end is found at once, as often as somebody asks.
  @Test func end() {
    let queue = JobQueue<Int>()
    queue.add(1)
    queue.close()
    let begun = ContinuousClock.now
    #expect(queue.take(seconds: 60) == [1])
    for _ in 1...3 { #expect(queue.take(seconds: 60) == nil) }
    #expect(ContinuousClock.now - begun < .seconds(60))
  }
}
