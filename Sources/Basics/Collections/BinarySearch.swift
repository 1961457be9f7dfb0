extension RandomAccessCollection where Index == Int {
  /// The index of the first element that a condition holds for, found by halving; `endIndex` if there is none.
  ///
  /// The condition must hold for all elements behind that one.
  @inlinable package func partitionIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
