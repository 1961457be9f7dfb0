import Testing

@testable import LiveSession

/// Jobs that one thread takes from others.
@Suite struct JobQueueTests {
  /// A thread that has taken all jobs waits for the next one, whatever the number of signals for the jobs before.
  @Test func waiting() {
    let queue = JobQueue<Int>()
    for job in 1...3 { queue.add(job) }
    #expect(queue.take(seconds: 60) == [1, 2, 3])
    let other = Worker("other") { queue.add(4) }
    #expect(queue.take(seconds: 60) == [4])
    #expect(queue.take(seconds: 0) == [])
    other.join(seconds: 60)
  }

  /// A wake-up returns once, with the waiting jobs or with none.
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

  /// Taking the first job leaves the others in the queue, also if they were added together.
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

  /// The cost is that of the waiting jobs.
  @Test func cost() {
    let queue = JobQueue<Int> { $0 * 10 }
    for job in 1...3 { queue.add(job) }
    #expect(queue.cost == 60 && queue.count == 3)
    #expect(queue.takeFirst(until: .now + .seconds(60)) == 1)
    #expect(queue.cost == 50)
    #expect(queue.take(seconds: 60) == [2, 3])
    #expect(queue.cost == 0 && queue.count == 0)
  }

  /// A closed queue returns at once, however often it is asked.
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
