/// How large tags may be. Everything that measures questions and events takes its limit from here.
public enum TagLimit {
  /// The largest tag in bytes, unless somebody allows more.
  public static let standard = 2_048
  /// The largest tag in bytes that Amazon IVS takes (PutMetadata).
  public static let ivs = 1_024
  /// More than everything in the tags of a question and of its result but its texts, together with a name of the game of 100 bytes.
  package static let envelope = 600
}
