/// How much JSON a parser accepts, so that no input can exhaust memory or stack.
public struct JSONLimits: Equatable, Sendable {
  /// The maximum nesting, whatever ``depth`` says: even the smallest thread stack has room for this depth of recursion.
  static let deepest = 128
  /// How deep arrays and objects may be nested, up to 128.
  public var depth = 32
  /// The length of the text in bytes.
  public var bytes = 1_048_576
  /// How many elements an array, and how many members an object, may have.
  public var members = 4_096

  /// The default limits: depth 32, one mebibyte, 4,096 members.
  public static let standard = JSONLimits()

  /// The default limits, but for those that are given.
  public init(depth: Int = 32, bytes: Int = 1_048_576, members: Int = 4_096) {
    (self.depth, self.bytes, self.members) = (depth, bytes, members)
  }
}
