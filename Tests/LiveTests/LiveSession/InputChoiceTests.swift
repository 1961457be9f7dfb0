import Basics
import HLSPlaylist
import LiveHLS
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// Which of two inputs feeds a session.
@Suite struct InputChoiceTests {
  private let start = ContinuousClock.now

  private func moment(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

  /// A choice with the moments of the latest access units.
  private func choice(main: Int?, backup: Int?) -> InputChoice {
    var choice = InputChoice(from: start)
    choice.note(.init(latestUnit: main.map(moment)), of: .main)
    choice.note(.init(latestUnit: backup.map(moment)), of: .backup)
    return choice
  }

  @Test func silence() {
    let choice = choice(main: 10_000, backup: 10_400)
    #expect(choice.step(at: moment(10_499)) == nil && choice.nextMoment(after: moment(10_400)) == moment(10_500))
    #expect(choice.step(at: moment(10_500)) == .init(source: .backup, since: moment(10_000), deadline: moment(10_900)))
    // A backup that is silent as well is no better.
    #expect(choice.step(at: moment(10_900)) == nil)
    #expect(self.choice(main: 10_000, backup: nil).step(at: moment(60_000)) == nil)
  }

  /// An input that has ended is replaced at once.
  @Test func end() {
    var choice = choice(main: 10_000, backup: 10_000)
    choice.note(.init(latestUnit: moment(10_000), isDown: true), of: .main)
    #expect(choice.step(at: moment(10_010)) == .init(source: .backup, since: moment(10_000), deadline: moment(10_900)))
  }

  /// The main input has some time to begin.
  @Test func beginning() {
    var choice = choice(main: nil, backup: 2_990)
    #expect(choice.step(at: moment(2_999)) == nil)
    #expect(choice.step(at: moment(3_000)) == .init(source: .backup, since: moment(3_000), deadline: moment(3_000)))
    choice.note(.init(latestUnit: nil, isDown: true), of: .main)
    #expect(choice.step(at: moment(2_999))?.source == .backup)
  }

  /// The main input comes back by command alone, or if the backup becomes silent.
  @Test func back() {
    var choice = choice(main: 10_000, backup: 10_400)
    choice.change(to: .backup)
    choice.note(.init(latestUnit: moment(20_000)), of: .main)
    choice.note(.init(latestUnit: moment(20_000)), of: .backup)
    #expect(choice.feeding == .backup && choice.switches == 1 && choice.step(at: moment(20_100)) == nil)
    choice.ask(for: .main, at: moment(20_100))
    #expect(choice.step(at: moment(20_200)) == .init(source: .main, since: moment(20_100), deadline: moment(30_100)))
    choice.change(to: .main)
    #expect(choice.feeding == .main && choice.switches == 2 && choice.step(at: moment(20_200)) == nil)
    // What feeds already need not begin.
    choice.ask(for: .main, at: moment(20_200))
    #expect(choice.step(at: moment(20_200)) == nil)
    choice.change(to: .backup)
    choice.note(.init(latestUnit: moment(20_900)), of: .main)
    #expect(choice.step(at: moment(20_950)) == .init(source: .main, since: moment(20_000), deadline: moment(20_900)))
  }
}

/// A session with two inputs.
@Suite struct BackupSessionTests {
  /// The first input ends, and the backup goes on: one discontinuity, and no gap. The operator cannot go back to an input that has ended.
  @Test(arguments: SegmentType.allCases) func takeover(type: SegmentType) async throws {
    let folder = try Workshop.newFolder()
    let bytes = try Workshop.bytes(SessionClip.small.path)
    // Three seconds of it.
    try Workshop.write(Array(bytes.prefix(bytes.count * 3 / 8 / 188 * 188)), to: folder + "/main.ts")
    var settings = LiveSettings(input: .file(folder + "/main.ts"), outputs: [], game: "friday", playlist: .event)
    settings.backup = .file(SessionClip.other.path)
    (settings.segmentType, settings.segmentDuration, settings.pace) = (type, MediaTime(seconds: 1), 2)
    let session = try await TestThread.run { [settings] in
      let session = try LiveSession(settings) { _ in }
      session.start()
      while !session.situation.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
      return session
    }
    let segments = try session.media().segments
    let inputs = try #require(session.inputSwitch)
    #expect(inputs.feeding == .backup && inputs.switches == 1 && session.failure == nil)
    #expect(segments.count { $0.isDiscontinuous } == 1 && segments.allSatisfy { !$0.isGap })
    #expect(segments.count >= 6)
    inputs.ask(for: .main)
    #expect(inputs.feeding == .backup && !inputs.isUp(.main))
  }
}
