extension String {
  /// The number of characters that must be inserted, removed, replaced or swapped with their neighbour to turn this into `other` (optimal string
  /// alignment); `nil` above `limit`.
  func editDistance(to other: String, limit: Int) -> Int? {
    let (left, right) = (Array(unicodeScalars), Array(other.unicodeScalars))
    guard abs(left.count - right.count) <= limit else { return nil }
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for (row, character) in left.enumerated() {
      var current = [row + 1]
      for (column, otherCharacter) in right.enumerated() {
        let replaced = previous[column] + (character == otherCharacter ? 0 : 1)
        var best = Swift.min(replaced, previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == otherCharacter {
          best = Swift.min(best, beforePrevious[column - 1] + 1)
        }
        current.append(best)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count] <= limit ? previous[right.count] : nil
  }

  /// The candidate that is most similar to this; `nil` if none is similar enough.
  package func nearest(of candidates: [String], limit: Int) -> String? {
    let distances = candidates.compactMap { candidate in editDistance(to: candidate, limit: limit).map { (candidate, $0) } }
    return distances.min { $0.1 < $1.1 }?.0
  }
}
