/// How far work has come.
public struct WorkProgress: Equatable, Sendable {
  /// The number of bytes that were handled so far.
  public var bytes: Int
  /// How much of the work is done, from 0 to 1; `nil` if that is not known.
  public var fraction: Double?

  /// Progress of this kind.
  public init(bytes: Int, fraction: Double? = nil) { (self.bytes, self.fraction) = (bytes, fraction) }

  /// Progress in bytes, of which there is a known number or not.
  init(bytes: Int, of total: Int?) {
    self.init(bytes: bytes, fraction: total.flatMap { $0 > 0 ? min(Double(bytes) / Double($0), 1) : nil })
  }

  /// Progress of all parts, where this is that of the part with a number, from 0, and all are alike.
  func of(part number: Int, in count: Int) -> WorkProgress {
    WorkProgress(bytes: bytes, fraction: fraction.map { (Double(number) + $0) / Double(count) })
  }
}
