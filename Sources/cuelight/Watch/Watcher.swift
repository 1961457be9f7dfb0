import Basics
import CommandSupport
import DeliveryWatch
import EventReading
import GameEvents
import HLSPlaylist
import HLSReading
import LibC
import LiveSession
import StreamInput
import Synchronization
import Terminal

/// Follows a delivered stream on this thread, and asks its injector on another.
final class Watcher: Sendable {
  // A class, because two threads share the watch.
  private let list: InjectorList
  private let report: WatchReport
  private let watch: Mutex<DeliveryWatch>
  private let reach: Mutex<ReachList>
  private let stop = StopFlag()

  /// The interval at which the injector is asked.
  private static let interval = Duration.seconds(1)

  init(_ list: InjectorList, patience: MediaTime, tolerance: MediaTime, _ report: WatchReport, _ reach: ReachList) {
    (self.list, self.report) = (list, report)
    self.reach = Mutex(reach)
    watch = Mutex(DeliveryWatch(patience: patience, tolerance: tolerance))
  }

  /// Watches until the stream's end.
  ///
  /// - Throws: If the stream or the injector cannot be reached at the start, and if an event was missing or late.
  func run(_ source: StreamSource) throws(CommandFailure) {
    // Detects a wrong address or token before anything is watched.
    _ = try list.answer { Interruption.isRequested }
    let asking = Worker("injector") { [self] in ask() }
    var failure: CommandFailure?
    do throws(CommandFailure) { try follow(source) } catch { failure = error }
    stop.set()
    asking.join(seconds: 30)
    tellReach(of: reach.withLock { $0.takeRest() }) { Interruption.isRequested }
    let tally = watch.withLock { $0.tally }
    report.finish(tally)
    if let failure = report.failure { throw failure }
    guard tally.isRight else { throw .checkFailed }
    if let failure = failure ?? report.metricsFailure { throw failure }
  }

  private func change(_ body: (inout DeliveryWatch) -> [DeliveryWatch.Finding]) {
    let (findings, tally) = watch.withLock { watch in (body(&watch), watch.tally) }
    report.tell(findings, tally)
  }

  // MARK: The injector

  private func ask() {
    var said: String?
    while !stop.isSet {
      said = askOnce(said)
      stop.wait(until: .now + Self.interval)
    }
  }

  /// Asks once. Returns why there was no answer.
  private func askOnce(_ said: String?) -> String? {
    let asked = WallClock.now
    do throws(CommandFailure) {
      let answer = try list.answer { [stop] in stop.isSet }
      change { $0.learn(answer.placed, known: answer.known, asked: asked, at: WallClock.now) }
      tellReach(of: reach.withLock { $0.takeDue(answer.placed, at: WallClock.now) }) { [stop] in stop.isSet }
      return nil
    } catch {
      let message = error.message ?? "the injector does not answer"
      if !stop.isSet, message != said { StandardError.write(message) }
      change { $0.pass(to: WallClock.now) }
      return message
    }
  }

  /// Says whom events have reached.
  private func tellReach(of events: [DeliveryWatch.Expected], _ isInterrupted: @escaping @Sendable () -> Bool) {
    for event in events {
      do throws(CommandFailure) {
        let object = try list.reach(of: event.guid, isInterrupted)
        report.tell(ReachList.line(event, object), ReachList.object(event, object))
      } catch {
        // One reason is enough: a stream without reports has none for the next event either.
        if let message = error.message, !isInterrupted() { StandardError.write(message) }
        return
      }
    }
  }

  // MARK: The stream

  private func follow(_ source: StreamSource) throws(CommandFailure) {
    var input = StreamInput(source.path)
    input.access = source.access
    input.options.rendition = source.rendition
    input.options.start = .liveEdge
    input.options.isPatient = true
    input.isInterrupted = { [report] in Interruption.isRequested || report.failure != nil }
    var options = input.options
    options.duration = source.duration
    var reading = Reading(HLSEventReader(options))
    var notices = MessageTally(said: 20, of: "message")
    defer { for line in notices.others { StandardError.write("\(source.name): \(line)") } }
    do throws(StreamInputError) {
      try input.load { portions, _, _ in
        for portion in portions {
          for item in reading.receive(portion, { self.change($0) }) {
            if case .notice(let notice) = item, notices.add(notice.kind, example: "\(notice)") {
              StandardError.write("\(source.name): \(notice)")
            }
          }
        }
        return !reading.isFinished
      }
    } catch {
      throw CommandFailure(error, input: source)
    }
    guard reading.hasEnded else { return }
    // The injector may know more about the last segments.
    _ = askOnce(nil)
    change { $0.finish(reading.lastDuration, at: WallClock.now) }
  }

  /// Reads portions of the presentation, and reports segments and copies to the watch.
  private struct Reading {
    private var events: HLSEventReader
    /// The dates of the segments in the playlist.
    private var dates: [UInt64: Int64] = [:]
    private var isSegment = false
    private(set) var lastDuration = MediaTime.zero
    /// Whether the stream itself has ended.
    private(set) var hasEnded = false

    init(_ events: HLSEventReader) { self.events = events }

    var isFinished: Bool { events.isFinished }

    /// Reads a portion. Returns what else was found in it.
    mutating func receive(_ portion: HLSPortion, _ change: ((inout DeliveryWatch) -> [DeliveryWatch.Finding]) -> Void) -> [HLSItem] {
      switch portion {
      case .segments(let playlist, _, _):
        dates = [:]
        for (index, date) in playlist.segmentDates.enumerated() { dates[playlist.mediaSequence &+ UInt64(index)] = date }
      case .next(let number, _):
        let date = dates[number]
        change { watch in
          watch.begin(number, date: date, at: WallClock.now)
          return []
        }
      case .begin(let part): isSegment = part.kind == .segment
      case .finished: hasEnded = true
      default: break
      }
      var others: [HLSItem] = []
      for item in events.receive(portion) {
        if case .item(.copy(let copy, _), _) = item {
          change { $0.receive(copy, at: WallClock.now) }
        } else {
          others.append(item)
        }
      }
      switch portion {
      case .end(let duration) where isSegment, .lost(let duration):
        lastDuration = duration
        change { $0.endSegment(at: WallClock.now) }
      default: break
      }
      return others
    }
  }
}
