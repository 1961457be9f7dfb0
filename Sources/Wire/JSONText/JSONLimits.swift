/// How much JSON a parser accepts, so that no input can exhaust the memory or the stack.
public struct JSONLimits: Equatable, Sendable {
  /// How many arrays and objects may lie in one another. More than 128 counts as 128, which every thread's stack bears.
  public var depth = 32
  /// The length of the text in bytes.
  public var bytes = 1_048_576
  /// How many elements an array, and how many members an object, may have.
  public var members = 4_096

  /// The default limits: depth 32, one mebibyte, 4,096 members.
  public static let standard = JSONLimits()

  /// Limits that differ from the default ones in what is given.
  public init(depth: Int = 32, bytes: Int = 1_048_576, members: Int = 4_096) {
    self.depth = depth
    self.bytes = bytes
    self.members = members
  }
}
