extension FuzzTarget {
  /// Any container: the event reader finds out which, and finds the same in whatever pieces the bytes come. The first byte says in which.
  static let streams = FuzzTarget("streams") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    try requireSameItems(Array(input.rest), seed: seed)
  }
}
