// Texts of a stream are compared by their bytes. `String` itself compares by canonical equivalence: two identifiers with different bytes could be
// equal.
//
// These functions run for every copy of an event. They read spans, because the string's own iterator is several times slower.

extension String {
  /// The UTF-8 bytes.
  package var bytes: [UInt8] { withBytes { [UInt8](copying: $0) } }

  /// Whether both have the same UTF-8 bytes.
  package func hasSameBytes(as other: String) -> Bool {
    // The length costs nothing, and most different strings have different lengths.
    guard utf8.count == other.utf8.count else { return false }
    return withBytes { bytes in
      other.withBytes { otherBytes in
        guard bytes.count == otherBytes.count else { return false }
        // Most equal texts share one storage: then there is nothing to compare.
        if bytes.isIdentical(to: otherBytes) { return true }
        // A loop without an early exit is vectorized.
        var difference: UInt8 = 0
        for index in 0..<bytes.count { difference |= bytes[index] ^ otherBytes[index] }
        return difference == 0
      }
    }
  }

  /// Whether this comes before `other` in the order of their UTF-8 bytes: an order that no locale and no normalisation changes.
  package func hasSmallerBytes(than other: String) -> Bool {
    withBytes { bytes in
      other.withBytes { otherBytes in
        for index in 0..<Swift.min(bytes.count, otherBytes.count) where bytes[index] != otherBytes[index] {
          return bytes[index] < otherBytes[index]
        }
        return bytes.count < otherBytes.count
      }
    }
  }

  /// Whether the UTF-8 bytes begin with those of `beginning`.
  package func hasBytes(first beginning: String) -> Bool { withBytes { bytes in beginning.withBytes { bytes.starts(with: $0) } } }

  /// The FNV-1a hash of the UTF-8 bytes: the same on every platform and in every run, unlike that of a hasher.
  package var bytesHash: UInt64 {
    withBytes { bytes in
      var hash = RunningHash()
      hash.add(bytes)
      return hash.value
    }
  }

  /// Hashes the UTF-8 bytes, eight at a time, and their count.
  package func hashBytes(into hasher: inout Hasher) {
    withBytes { bytes in
      var word: UInt64 = 0
      for index in bytes.indices {
        word = word << 8 | UInt64(bytes[index])
        if index & 7 == 7 {
          hasher.combine(word)
          word = 0
        }
      }
      hasher.combine(word)
      hasher.combine(bytes.count)
    }
  }
}

extension String? {
  /// Whether both are texts with the same UTF-8 bytes, or neither is there.
  package func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (let text?, let other?): text.hasSameBytes(as: other)
    case (nil, nil): true
    case (_?, nil), (nil, _?): false
    }
  }
}

extension [String] {
  /// Whether both have the same texts in the same order, by their UTF-8 bytes.
  package func haveSameBytes(as other: [String]) -> Bool { elementsEqual(other) { $0.hasSameBytes(as: $1) } }
}
