package import Seals

/// A seal key that everybody knows.
package let testKey = SealKey(bytes: (0..<32).map { UInt8($0) }) ?? .random()
