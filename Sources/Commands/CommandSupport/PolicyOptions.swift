import ArgumentParser
package import Basics
package import EventSchedule
import GameEvents

/// How often events are repeated.
package struct PolicyOptions: ParsableArguments {
  @Option(name: .long, help: "How many copies the burst of each event has; in fragmented MP4 it is one.")
  package var copies = 3

  @Option(name: .long, help: "Seconds between refreshes of what is current, or off; in fragmented MP4 each segment starts with one.")
  package var refresh = "2"

  @Option(name: .long, help: "The largest accepted tag in bytes.")
  package var maxTagSize = TagLimit.standard

  package init() {}

  package func policy() throws -> CopyPolicy {
    guard (1...100).contains(copies) else { throw ValidationError("--copies takes a number from 1 to 100, not \(copies).") }
    guard (64...CopyPolicy.largestPESPayload).contains(maxTagSize) else {
      throw ValidationError("--max-tag-size takes a number from 64 to \(CopyPolicy.largestPESPayload), not \(maxTagSize).")
    }
    return CopyPolicy(copies: copies, refreshInterval: try Self.interval(refresh, "--refresh"), largestTagSize: maxTagSize)
  }

  /// The seconds between refreshes; `nil` for none.
  package static func interval(_ text: String, _ option: String) throws -> MediaTime? {
    if text == "off" { return nil }
    guard let seconds = MediaTime(decimalSeconds: text), seconds >= MediaTime(ticks: 9_000) else {
      throw ValidationError("\(option) takes seconds from 0.1 on, or off, not \(text).")
    }
    return seconds
  }
}
