/// How a picture is rotated before it is shown.
public enum PictureOrientation: Equatable, Sendable {
  /// By this number of degrees clockwise: 90, 180 or 270.
  case turned(Int)
  /// Mirrored, or rotated by another angle.
  case other

  /// Whether the picture's width is shown as its height.
  public var swapsSides: Bool { self == .turned(90) || self == .turned(270) }

  /// The orientation that a display matrix describes. It has nine values, as in `tkhd` (ISO/IEC 14496-12, 8.3.2).
  init(_ matrix: [Int32]) {
    guard matrix.count == 9 else {
      self = .other
      return
    }
    switch (matrix[0].signum(), matrix[1].signum(), matrix[3].signum(), matrix[4].signum()) {
    case (0, 1, -1, 0): self = .turned(90)
    case (-1, 0, 0, -1): self = .turned(180)
    case (0, -1, 1, 0): self = .turned(270)
    default: self = .other
    }
  }
}
