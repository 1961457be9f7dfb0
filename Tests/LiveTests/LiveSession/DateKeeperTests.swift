import Basics
import LiveGame
import TestSupport
import Testing

@testable import LiveSession

/// The dates of a live programme, with clocks that the tests make.
@Suite struct DateKeeperTests {
  /// An encoder, a network and a machine, in seconds since the start of the machine's steady clock.
  private struct World {
    /// By how many millionths the encoder's clock is slower than that of the machine.
    var ppm = 0.0
    var segmentDuration = 4.0
    /// The delay of an access unit that is not late.
    let delay = 0.05
    /// By how much the machine's clock is ahead of its steady clock.
    var wall = 1_795_366_000.0
    var keeper: DateKeeper
    let start = ContinuousClock.now
    /// The encoder's time, and the end of the segments so far, on the programme's timeline.
    private(set) var time = 0.0
    private(set) var segments: [(start: MediaTime, date: Int64, jumps: Bool)] = []
    private(set) var notices: [DateKeeper.Notice] = []
    /// The moment of the latest arrival.
    private var latest = 0.0
    /// The latest date of a segment minus the true one, and the largest such difference, in seconds.
    private(set) var error = 0.0
    private(set) var largestError = 0.0
    /// The encoder's clock is so far ahead of the programme's timeline.
    var clockOffset = 10.0

    init(ppm: Double = 0, following dates: DateAnchor? = nil, isMeasured: Bool = true) {
      self.ppm = ppm
      keeper = DateKeeper(following: dates, isMeasured: isMeasured)
    }

    /// When an access unit arrives if nothing delays it.
    private func arrival(_ time: Double) -> Double { time * (1 + ppm / 1e6) + delay }

    /// Sends a segment.
    ///
    /// - Parameters:
    ///   - hold: For so many seconds nothing arrives: a stall.
    ///   - isStretch: Whether a stretch begins with it.
    ///   - listedEnd: The end of the playlist.
    mutating func send(hold: Double = 0, isStretch: Bool = false, listedEnd: Int64? = nil, units: Int = 4) {
      let first = segments.isEmpty
      let until = hold > 0 ? arrival(time) + hold : 0
      let segment = MediaTime(seconds: time)
      for unit in 0..<units {
        let at = time + segmentDuration * Double(unit) / Double(units)
        // The network makes most access units late.
        let late = unit == 0 ? 0.004 : Double((unit * 7 + segments.count) % 5) * 0.004
        latest = max(arrival(at) + late, until, latest)
        let isStart = unit == 0
        let presentation = MediaTime(seconds: at + clockOffset + 0.08)
        notices += keeper.push(
          DateKeeper.Unit(
            time: MediaTime(seconds: at), presentationTime: presentation, decodingTime: presentation - MediaTime(seconds: 0.08)),
          stretch: isStart && (isStretch || first) ? segment : nil, segment: isStart ? segment : nil,
          listedEnd: isStretch && isStart ? listedEnd : nil, at: reading(latest))
        if isStart, !first { list(segment) }
      }
      // Nobody knows the first segment before it is complete.
      if first { list(segment) }
      time += segmentDuration
    }

    private func reading(_ moment: Double) -> ClockReading {
      ClockReading(instant: start + .microseconds(Int64(moment * 1e6)), wallClock: Int64(((moment + wall) * 1_000).rounded(.down)))
    }

    private mutating func list(_ segment: MediaTime) {
      let date = keeper.tell(segment) ?? 0
      segments.append((segment, date, keeper.jumps(at: segment)))
      error = Double(date) / 1_000 - wall - arrival(segment.seconds)
      largestError = max(largestError, abs(error))
    }

    /// By how many milliseconds the latest date differs from the end of the segment before.
    var latestChange: Int64 {
      guard let last = segments.last, let other = segments.dropLast().last else { return 0 }
      return last.date - other.date - (last.start - other.start).milliseconds
    }
  }

  /// Jitter of a few milliseconds changes nothing: the dates are those of the first access unit.
  @Test func aSteadyStream() {
    var world = World()
    for _ in 0..<100 {
      world.send()
      #expect(abs(world.latestChange) <= 1)
    }
    #expect(world.notices == [] && world.largestError < 0.01 && !world.segments.contains { $0.jumps })
  }

  /// A week of a drifting encoder: with stalls that deliver late, gaps, and steps of the machine's clock. Half an hour stands for a day, unless all seeds
  /// are tried.
  @Test(arguments: [-10_000.0, -200, -50, 50, 200, 10_000]) func aWeek(ppm: Double) {
    var world = World(ppm: ppm)
    let day = Seeds.some(of: 4).count == 4 ? 86_400.0 : 1_800
    var (jumps, stretches, steps) = (0, 0, 0)
    var nextStall = 60.0
    while world.time < 7 * day {
      let before = world.time
      if before >= nextStall {
        nextStall += 600
        if Int(before) % 3 == 0 {
          // A network that holds back: gaps are listed for eight seconds, and then everything comes.
          stretches += 1
          world.send(hold: 10, isStretch: true, listedEnd: (world.segments.last?.date ?? 0) + 12_000)
        } else {
          // A process that is stopped.
          world.send(hold: 20)
        }
      } else if steps < 2, before > 2 * day * Double(steps + 1) {
        steps += 1
        world.wall += steps == 1 ? 60 : -3_600
        world.send()
        guard case .clockWasSet(let step)? = world.notices.last else {
          Issue.record("nobody learns that the clock was set")
          return
        }
        #expect(abs(step - (steps == 1 ? 60_000 : -3_600_000)) <= 1)
      } else {
        world.send()
        // 10 ms a segment, and the drift of one, which a new session does not know precisely.
        let drift = abs(ppm) < 10_000 ? 0 : before < 60 ? 60 : 45
        let last = world.segments.last?.jumps ?? false
        #expect(last || Int(abs(world.latestChange)) <= 11 + drift, "\(before)")
      }
      if world.segments.last?.jumps == true { jumps += 1 }
      #expect(abs(world.error) < 0.1, "\(before) s: \(world.error)")
      // What was listed stays.
      for segment in world.segments.suffix(5) { #expect(world.keeper.date(of: segment.start) == segment.date) }
    }
    #expect(jumps == 2 && steps == 2 && world.notices.count == 2 && stretches > 0)
  }

  /// Files are sent at the pace of this machine, and their dates only follow steps of its clock.
  @Test func aFile() {
    var world = World(ppm: 10_000, isMeasured: false)
    for _ in 0..<100 {
      world.send()
      #expect(world.latestChange == 0)
    }
    world.wall += 60
    world.send()
    #expect(world.latestChange == 60_000 && world.segments.last?.jumps == true && world.notices == [.clockWasSet(60_000)])
  }

  /// A session that continues another one has its dates, and then follows its own measure.
  @Test func aTakeover() {
    // The other node's dates are 0.1 s ahead.
    var world = World(following: DateAnchor(time: .zero, wallClock: 1_795_366_000_150))
    world.send()
    #expect(abs(world.error - 0.1) < 0.002)
    var changes: Set<Int64> = []
    for _ in 0..<20 {
      world.send()
      changes.insert(world.latestChange)
    }
    #expect(changes.isSubset(of: [-10, 0]) || changes.isSubset(of: [-10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0]))
    #expect(abs(world.error) <= 0.012 && world.notices == [])
  }

  /// Dates that are far away are corrected once it is certain, at a discontinuity.
  @Test func aRestart() {
    var world = World(following: DateAnchor(time: .zero, wallClock: 1_795_366_005_050))
    world.send()
    #expect(world.error > 4.9 && !world.segments[0].jumps)
    world.send()
    #expect(abs(world.error) < 0.01 && world.segments[1].jumps)
    #expect(
      world.notices.count == 1 && world.notices.first?.description.hasPrefix("the dates were 5.00 s ahead of this machine's clock") == true)
  }

  /// What a sender has kept arrives at once: the stretch is dated by what follows.
  @Test func aBurst() {
    var world = World()
    world.send(hold: 2)
    world.send()
    #expect(world.largestError < 0.01 && world.notices == [])
  }

  /// An encoder that has connected again has another clock.
  @Test func anotherSource() {
    var world = World()
    for _ in 0..<10 { world.send() }
    world.keeper.changeSource()
    world.clockOffset = 11
    world.send(hold: 3, isStretch: true)
    #expect(abs(world.error - 3) < 0.01)
  }

  /// A stream that comes too fast keeps its dates, and the operator learns of it once.
  @Test func notInRealTime() {
    var world = World(ppm: -500_000)
    for _ in 0..<20 {
      world.send()
      #expect(abs(world.latestChange) <= 1)
    }
    guard case .cannotFollow(let error)? = world.notices.first else {
      Issue.record("nobody learns that the dates cannot follow")
      return
    }
    #expect(world.notices.count == 1 && error > 250)
    #expect(
      "\(DateKeeper.Notice.cannotFollow(-12_340))"
        == "the dates are 12.34 s behind this machine's clock: the stream does not come in real time, so that they cannot follow")
  }

  /// Events take place by the measure, also while the listed dates are still near enough.
  @Test func measuredDates() throws {
    var world = World(ppm: 200)
    for _ in 0..<40 { world.send() }
    let (listed, measured) = (try #require(world.keeper.dates), try #require(world.keeper.measured))
    let now = MediaTime(seconds: world.time)
    let truth = world.wall * 1_000 + (world.time * 1.0002 + 0.05) * 1_000
    #expect(abs(Double(measured.wallClock(of: now)) - truth) < 16)
    #expect(abs(Double(listed.wallClock(of: now)) - truth) > 25)
  }
}
