/// How far work has come.
public struct WorkProgress: Equatable, Sendable {
  /// The number of bytes processed so far.
  public var bytes: Int
  /// The fraction of the work that is done, from 0 to 1; `nil` if unknown.
  public var fraction: Double?

  /// Makes a progress of these values.
  public init(bytes: Int, fraction: Double? = nil) { (self.bytes, self.fraction) = (bytes, fraction) }

  /// Progress in bytes; `total` is `nil` if it is unknown.
  init(bytes: Int, of total: Int?) {
    self.init(bytes: bytes, fraction: total.flatMap { $0 > 0 ? min(Double(bytes) / Double($0), 1) : nil })
  }

  /// Returns the overall progress, given that this is the progress of one part, by its number from 0, and that all parts are alike.
  func of(part number: Int, in count: Int) -> WorkProgress {
    WorkProgress(bytes: bytes, fraction: fraction.map { (Double(number) + $0) / Double(count) })
  }
}
