/// What a cue sheet may have at most, so that no input can exhaust memory or time.
enum CueSheetLimits {
  /// Bytes of text.
  static let bytes = 16 << 20
  /// Cues.
  static let cues = 100_000
  /// Levels of lists and mappings inside each other. It keeps an event's JSON within the depth that readers accept.
  static let depth = 32
  /// Nodes after every alias was replaced by what it stands for.
  static let nodes = 2_000_000
  /// Characters that may begin or end a value in the text. Each value has one, and takes some 200 bytes of memory before it can be counted.
  static let marks = 2_000_000
  /// Elements of one list or mapping in an event of a custom type, as readers accept them.
  static let elements = 4_000
  /// Repeated keys that are looked for in one sheet.
  static let repeatedKeys = 50
}
