import Basics
import CuelightClient
import Foundation
import TestSupport
import Testing

/// However somebody watches, each question is asked once, and on time wherever the tags allow it.
@Suite struct SimulationTests {
  /// Watchings a seed. 24 go through all combinations; each test run takes a few.
  private static let turns = ProcessInfo.processInfo.environment["CUELIGHT_SIMULATIONS"].flatMap { Int($0) } ?? 1

  @Test(arguments: 0..<200) func everyQuestionIsAskedOnceAndOnTime(seed: Int) throws {
    var random = SeededNumbers(seed: UInt64(seed))
    let show = try SimulatedShow(&random)
    for turn in 0..<Self.turns {
      let viewer = SimulatedViewer((turn * 200 + seed) % SimulatedViewer.combinations, &random)
      check(try viewer.watch(show), viewer, show)
    }
  }

  private func check(_ watching: SimulatedWatching, _ viewer: SimulatedViewer, _ show: SimulatedShow) {
    for (guid, time) in show.questions {
      let asked = watching.asked[guid] ?? []
      let opens = viewer.playerTime(time)
      let closes = viewer.playerTime(time + SimulatedShow.allotted)
      let away =
        viewer.background == .none ? nil : viewer.playerTime(viewer.away)..<(viewer.playerTime(viewer.away) + SimulatedViewer.absence)
      let delivered = watching.delivered[guid] ?? []
      #expect(asked.count <= 1, "\(guid.text) asked at \(asked.map(\.decimalSeconds)), opens \(opens.decimalSeconds): \(viewer)")
      // Whoever came late, or was away, may know it from a refresh only.
      if let away, opens < away.upperBound, closes > away.lowerBound { continue }
      // Two copies must have come before the question closes: the first behind an ad that nobody announced is not trusted.
      guard delivered.count >= 2, delivered[1] < closes - MediaTime(seconds: 1) else { continue }
      #expect(
        asked.count == 1, "\(guid.text) was not asked, opens \(opens.decimalSeconds), delivered \(delivered[0].decimalSeconds): \(viewer)")
      guard let first = asked.first else { continue }
      let earliest = opens - MediaTime(ticks: 3_600)
      let latest = max(opens, delivered[1]) + MediaTime(ticks: 3_600)
      #expect(
        earliest <= first && first <= latest,
        "\(guid.text) asked at \(first.decimalSeconds) instead of \(opens.decimalSeconds), delivered \(delivered[1].decimalSeconds): \(viewer)"
      )
    }
    #expect(watching.final.phase == .ended, "\(viewer)")
  }
}
