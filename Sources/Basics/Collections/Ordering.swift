extension Array {
  /// The elements, sorted. The sort is stable.
  ///
  /// Only indices are sorted. So a program contains the sorting code once and not once for each element type; for the module for the web, those
  /// copies were a tenth of its size.
  @inlinable package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    placesInOrder(count: count) { precedes(self[$0], self[$1]) }.map { self[$0] }
  }

  /// Sorts the elements as ``ordered(by:)`` does.
  @inlinable package mutating func order(by precedes: (Element, Element) -> Bool) { self = ordered(by: precedes) }
}

/// The numbers from 0 up to, but not including, `count`, sorted.
@inline(never) @usableFromInline func placesInOrder(count: Int, by precedes: (Int, Int) -> Bool) -> [Int] {
  (0..<count).sorted(by: precedes)
}
