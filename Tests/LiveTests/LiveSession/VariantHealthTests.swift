import Basics
import Testing

@testable import LiveHLS
@testable import LiveSession
@testable import PacketStamping

/// What the operator learns about the segments of another rendition.
@Suite struct VariantHealthTests {
  /// A segment that fits (`f`), does not fit (`x`), or has not arrived (`-`).
  private static func joined(_ kind: Character) -> SegmentJoiner.Joined {
    var segment = LiveSegment(
      bytes: [], start: .zero, duration: MediaTime(seconds: 2), boundary: .randomAccess, isIndependent: true, guids: [], targetDuration: 2)
    segment.variants = [kind == "f" ? .init(bytes: [1], program: nil) : nil]
    return .init(segment: segment, wallClock: 0, mismatches: kind == "x" ? [0: .noRandomAccess(at: .zero)] : [:])
  }

  /// The numbers of the segments with a problem, and of those with a message.
  private static func found(_ kinds: String) -> (problems: [Int], messages: [Int], isProven: Bool, isAway: Bool) {
    var health = VariantHealth()
    var (problems, messages): ([Int], [Int]) = ([], [])
    for (number, kind) in kinds.enumerated() {
      let (problem, message) = health.record(joined(kind), of: 0)
      if problem != nil { problems.append(number) }
      if message != nil { messages.append(number) }
    }
    return (problems, messages, health.isProven, health.isAway)
  }

  @Test func fitting() { #expect(Self.found("fff") == ([], [], true, false) && !Self.found("ff").isProven) }

  /// One segment may not fit by chance. A rendition that is proven is reported for the first one, and once.
  @Test func mismatches() {
    #expect(Self.found("x") == ([], [], false, true) && Self.found("xx").problems == [1] && Self.found("xxxx").problems == [1])
    #expect(Self.found("fxfx").problems == [] && Self.found("fffxxfx").problems == [3, 6])
  }

  @Test func silence() {
    #expect(Self.found("f---ff-f") == ([], [1, 4, 6, 7], true, false))
    // The problem says enough, but the return is news.
    #expect(Self.found("fffxf").messages == [4])
  }
}
