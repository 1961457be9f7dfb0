#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One thing whose speed is measured within the process, on one core.
package struct Benchmark: Sendable {
  /// What a figure counts.
  package enum Unit: String, Sendable {
    /// Bytes that are read.
    case bytes
    /// Copies of events.
    case copies
    /// ID3 tags.
    case tags
    /// Players whose points are counted anew.
    case players
    /// Access units of a stream.
    case accessUnits = "access units"

    /// The unit of the rate, and how many of the counted things make one of it.
    package var rate: (text: String, divisor: Double) {
      switch self {
      case .bytes: ("MB/s", 1e6)
      case .copies, .tags, .accessUnits, .players: ("thousand \(rawValue)/s", 1e3)
      }
    }
  }

  /// What it is called on the command line.
  package let name: String
  /// What is measured, in words.
  package let summary: String
  /// What the figure counts.
  package let unit: Unit
  /// Prepares the data, which is not measured. Returns a closure that does the work once, and returns how many units that was.
  let prepare: @Sendable () -> () -> Int

  /// A figure that was measured.
  package struct Figure: Sendable {
    /// What was measured.
    package var benchmark: Benchmark
    /// Units a second of processor time: the median of the runs.
    package var median: Double
    /// Units a second in the fastest run.
    package var best: Double
    /// How many runs there were.
    package var runs: Int
    /// How many units a run has.
    package var unitsPerRun: Int
  }

  /// Measures: does the work again and again for some time.
  ///
  /// - Parameter seconds: How long; at least three runs are made, after one that does not count.
  package func measure(seconds: Double) -> Figure {
    let work = prepare()
    _ = work()
    let end = ContinuousClock.now + .seconds(seconds)
    var rates: [Double] = []
    var count = 0
    repeat {
      // So much of the processor's time that its clock's steps, microseconds, do not matter.
      var time = 0.0
      var units = 0
      repeat {
        let start = clock()
        count = work()
        time += Double(clock() - start) / 1e6
        units += count
      } while time < 0.01
      rates.append(Double(units) / time)
    } while ContinuousClock.now < end || rates.count < 3
    rates.sort()
    return Figure(benchmark: self, median: rates[rates.count / 2], best: rates[rates.count - 1], runs: rates.count, unitsPerRun: count)
  }
}
