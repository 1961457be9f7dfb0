public import Basics

/// How many players gave numbers of which range.
public struct Histogram: Equatable, Sendable {
  /// Where the first bar begins.
  public var from: DecimalNumber
  /// The width of each bar: a bar has the numbers from its beginning on, up to the beginning of the next one.
  public var width: DecimalNumber
  /// How many players gave a number of each bar.
  public var counts: [Int]

  /// The maximum number of bars.
  public static let mostBars = 20

  /// A histogram.
  public init(from: DecimalNumber, width: DecimalNumber, counts: [Int]) { (self.from, self.width, self.counts) = (from, width, counts) }
}

extension Histogram {
  /// A histogram of a scale without answers: as many bars as fit, each as many steps wide.
  package init(of scale: NumberScale) {
    let width = UInt32(scale.numberCount.quotientRoundedUp(by: UInt32(Self.mostBars)))
    self.init(
      from: scale.least, width: DecimalNumber(millionths: scale.step.millionths * Int64(width)),
      counts: Array(repeating: 0, count: Int(scale.numberCount.quotientRoundedUp(by: width))))
  }

  /// Counts an answer, as a number of steps above the least number.
  package mutating func count(step: UInt32, of scale: NumberScale) {
    let bar = Int(Int64(step) / max(width.millionths / scale.step.millionths, 1))
    if counts.indices.contains(bar) { counts[bar] += 1 }
  }

  /// Its JSON.
  package var object: JSONObject {
    var object = JSONObject()
    object.append("from", from)
    object.append("width", width)
    object.append("counts", counts)
    return object
  }

  static func read(from fields: inout EventFields) throws(EventError) -> Histogram? {
    try fields.take("histogram", "an object with \"from\", \"width\" above 0 and \"counts\" of 1 to \(mostBars) bars") { value in
      guard let object = value.object, let from = object["from"]?.number.flatMap({ DecimalNumber($0.text) }),
        let width = object["width"]?.number.flatMap({ DecimalNumber($0.text) }), width > .zero, let bars = object["counts"]?.array
      else { return nil }
      let counts = bars.compactMap { bar in bar.int.flatMap { $0 >= 0 ? $0 : nil } }
      guard counts.count == bars.count, (1...mostBars).contains(counts.count) else { return nil }
      return Histogram(from: from, width: width, counts: counts)
    }
  }
}

extension UInt32 {
  fileprivate func quotientRoundedUp(by divisor: UInt32) -> UInt32 { (self + divisor - 1) / divisor }
}
