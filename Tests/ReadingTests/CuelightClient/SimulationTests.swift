import Foundation
import PlayerSimulation
import Testing

/// However somebody watches, each question is asked once, and on time wherever the tags allow it.
@Suite struct SimulationTests {
  /// Viewers a seed. 24 go through all combinations; each test run takes a few.
  private static let viewers = ProcessInfo.processInfo.environment["CUELIGHT_SIMULATIONS"].flatMap { Int($0) } ?? 1

  @Test(arguments: 0..<SimulatedAudience.seeds) func everyQuestionIsAskedOnceAndOnTime(seed: Int) throws {
    let faults = try SimulatedAudience(seed: seed, viewers: Self.viewers).faults
    #expect(faults == [])
  }
}
