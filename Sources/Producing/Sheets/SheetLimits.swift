/// What a text of lists and mappings may have at most, so that no input can exhaust memory or time.
public enum SheetLimits {
  /// Bytes of text.
  public static let bytes = 16 << 20
  /// Levels of lists and mappings inside each other. It keeps an event's JSON within the depth that readers accept.
  public static let depth = 32
  /// Nodes after every alias was replaced by what it stands for.
  public static let nodes = 2_000_000
  /// Characters that may begin or end a value in the text. Each value has one, and takes some 200 bytes of memory before it can be counted.
  public static let marks = 2_000_000
  /// Elements of one list or mapping in an event of a custom type, as readers accept them.
  public static let elements = 4_000
}
