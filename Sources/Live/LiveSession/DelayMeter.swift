/// Measures the delay of a stream: the distance from media times to their arrivals.
///
/// Networks and encoders only ever make an access unit late. The smallest delay of the last minute is thus the true one, and a stall that delivers late
/// does not change it. It is found for a sender whose clock drifts, too: the drift of a minute would otherwise hide the delay of now.
///
/// All times are in microseconds: arrivals on a clock that nobody sets, media times from any origin.
struct DelayMeter: Equatable, Sendable {
  private struct Point: Equatable, Sendable {
    var arrival: Int64
    var delay: Int64
  }

  /// The smallest delay of each second with an arrival.
  private var points: [Point] = []
  /// By how much the delay grows, in parts of the time: the sender's clock is so much slower than this machine's.
  private(set) var rate = 0.0

  private static let second: Int64 = 1_000_000
  /// How long a delay counts.
  private static let window = 60 * second
  /// The number of seconds with arrivals that count however long ago they are: the first arrivals after a long stall are all late.
  private static let fewest = 10
  /// The rate is measured over this time at least.
  private static let shortestSpan = 4 * second
  /// A stream that is faster or slower than this (5 %) does not keep to real time: its delay says nothing of its dates.
  private static let largestRate = 0.05
  /// Smaller differences of delays come from the network.
  private static let noise: Int64 = 8_000

  /// Records the arrival of an access unit.
  mutating func add(mediaTime: Int64, arrival: Int64) {
    let point = Point(arrival: arrival, delay: arrival - mediaTime)
    guard let last = points.last, arrival / Self.second == last.arrival / Self.second || arrival < last.arrival else {
      points.append(point)
      while points.count > Self.fewest, points[0].arrival < arrival - Self.window { points.removeFirst() }
      return measureRate()
    }
    if point.delay < last.delay { points[points.count - 1].delay = point.delay }
  }

  /// The delay now of an access unit that is not late; `nil` before the first arrival.
  func delay(at now: Int64) -> Int64? { points.lazy.map { $0.delay + drift(from: $0.arrival, to: now) }.min() }

  private func drift(from: Int64, to: Int64) -> Int64 { rate == 0 ? 0 : Int64((Double(to - from) * rate).rounded()) }

  /// Whether the stream comes in real time, as far as a second or more can show. A stall is no reason to doubt that.
  var isSteady: Bool {
    guard let (first, middle, last) = thirds else { return false }
    let limit = Double(last.arrival - first.arrival) * Self.largestRate + Double(2 * Self.noise)
    let change = Double(last.delay - first.delay)
    return change >= -limit && (change <= limit || !Self.isLine(first, middle, last))
  }

  /// Whether it has measured for ten seconds.
  var isLong: Bool { points.last.map { $0.arrival - points[0].arrival >= 10 * Self.second } ?? false }

  /// The smallest delays in the first, the second and the last third of the time; `nil` without two seconds. If nothing came in the second third, there
  /// is none of it.
  private var thirds: (Point, Point?, Point)? {
    guard points.count >= 2, let first = points.first, let last = points.last else { return nil }
    let length = last.arrival - first.arrival + 1
    var smallest: [Point?] = [nil, nil, nil]
    for point in points {
      let third = Int((point.arrival - first.arrival) * 3 / length)
      if smallest[third].map({ point.delay < $0.delay }) ?? true { smallest[third] = point }
    }
    guard let early = smallest[0], let late = smallest[2] else { return nil }
    return (early, smallest[1], late)
  }

  private static func rate(_ first: Point, _ last: Point) -> Double {
    Double(last.delay - first.delay) / Double(last.arrival - first.arrival)
  }

  /// Whether three delays lie on a line. Those around a step or a stall do not.
  private static func isLine(_ first: Point, _ middle: Point?, _ last: Point) -> Bool {
    guard let middle else { return false }
    // On a line the smallest delays are all at the starts of the thirds, or all at their ends. Two that are close together say nothing about the third.
    let (before, whole) = (Double(middle.arrival - first.arrival), Double(last.arrival - first.arrival))
    guard (last.delay - first.delay).magnitude < noise.magnitude || (0.25...0.75).contains(before / whole) else { return false }
    let expected = Double(first.delay) + rate(first, last) * before
    return (Double(middle.delay) - expected).magnitude <= 0.15 * Double((last.delay - first.delay).magnitude) + Double(noise)
  }

  /// Measures the rate if the delays of the three thirds lie on a line.
  private mutating func measureRate() {
    guard let first = points.first, let last = points.last, last.arrival - first.arrival >= Self.shortestSpan,
      let (early, middle, late) = thirds, Self.isLine(early, middle, late)
    else { return }
    let measured = Self.rate(early, late)
    guard measured.magnitude <= Self.largestRate else { return }
    rate = (late.delay - early.delay).magnitude < Self.noise.magnitude ? 0 : measured
  }
}
