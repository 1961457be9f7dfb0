extension RandomAccessCollection where Index == Int {
  /// The place of the element with a key, among elements in the ascending order of their keys; `nil` where there is none.
  func place(of key: Int, by keyOf: (Element) -> Int) -> Int? {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if keyOf(self[middle]) < key { low = middle + 1 } else { high = middle }
    }
    return low < endIndex && keyOf(self[low]) == key ? low : nil
  }
}
