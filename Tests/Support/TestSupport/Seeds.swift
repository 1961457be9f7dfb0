import Foundation

/// The seeds with which a property is tried.
package enum Seeds {
  private static let triesAll = ProcessInfo.processInfo.environment["CUELIGHT_SEEDS"] == "all"

  /// A quarter of so many seeds; all of them if CUELIGHT_SEEDS is `all`, as in scripts/prove.
  package static func some(of count: UInt64) -> Range<UInt64> { 0..<(triesAll ? count : (count + 3) / 4) }
}
