/// Limits of a text of lists and mappings: no input can exhaust memory or time.
package enum SheetLimits {
  /// Bytes of text.
  package static let bytes = 16 << 20
  /// Levels of lists and mappings inside each other. It keeps an event's JSON within the depth that readers accept.
  package static let depth = 32
  /// Nodes, counted after every alias is replaced by the node that it names.
  package static let nodes = 2_000_000
  /// Characters that may begin or end a value in the text. Each value has one, and takes some 200 bytes of memory before it can be counted.
  package static let marks = 2_000_000
  /// Elements of one list or mapping in an event of a custom type, as readers accept them.
  package static let elements = 4_000
}
