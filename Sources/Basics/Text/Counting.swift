extension Int {
  /// The number with what it counts: `1 event`, `2 events`.
  ///
  /// - Parameters:
  ///   - one: What one is called.
  ///   - several: What several are called; `nil` for the same with an `s`.
  package func of(_ one: String, _ several: String? = nil) -> String { self == 1 ? "1 \(one)" : "\(self) \(several ?? one + "s")" }
}
