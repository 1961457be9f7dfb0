extension Array {
  /// Returns all elements, and removes them.
  mutating func take() -> Self { exchange(&self, with: []) }
}
