extension RandomAccessCollection where Index == Int {
  /// The index of the first element that satisfies a condition, found by halving; `endIndex` if there is none.
  ///
  /// All elements after that one must satisfy it too.
  @inlinable package func partitionIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
