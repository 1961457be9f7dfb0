extension Array {
  /// The elements in an order. Those of which neither comes first stay as they are.
  ///
  /// Numbers are sorted, and the elements then take their places. So a program has the sorting once, and not once for each type that is sorted, which
  /// was a tenth of the module for the web.
  @inlinable package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    placesInOrder(count: count) { precedes(self[$0], self[$1]) }.map { self[$0] }
  }

  /// Puts the elements in an order, as ``ordered(by:)`` does.
  @inlinable package mutating func order(by precedes: (Element, Element) -> Bool) { self = ordered(by: precedes) }
}

/// The numbers from 0 to below `count` in an order.
@inline(never) @usableFromInline func placesInOrder(count: Int, by precedes: (Int, Int) -> Bool) -> [Int] {
  (0..<count).sorted(by: precedes)
}
