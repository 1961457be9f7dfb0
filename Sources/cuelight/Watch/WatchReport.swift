import Basics
import CommandSupport
import DeliveryWatch
import HTTPClient
import LiveSession
import Synchronization

/// Reports the findings of a watch on standard output, in a file of metrics, and to a web server.
final class WatchReport: Sendable {
  private struct State {
    var output = StandardOutput(isLineBuffered: true)
    var failure: CommandFailure?
    var metrics = ""
    /// Why the metrics could not be written last time, which was reported.
    var metricsFailure: CommandFailure?
  }

  // A class, because two threads report.
  private let isJSON: Bool
  private let metrics: OutputFile?
  private let webhook: String?
  private let state = Mutex(State())
  private let jobs = JobQueue<JSONObject>()
  private let worker: Mutex<Worker?> = Mutex(nil)
  private let stop = StopFlag()
  /// The number of findings that wait for the web server.
  private let waiting = Atomic<Int>(0)

  private static let mostWaiting = 1_000
  private static let limits = NetworkLimits(bytes: 1 << 20, time: .seconds(10), silence: .seconds(5), connecting: .seconds(5), redirects: 0)

  init(isJSON: Bool, metrics: OutputFile?, webhook: String?) {
    (self.isJSON, self.metrics, self.webhook) = (isJSON, metrics, webhook)
    guard let webhook else { return }
    let (jobs, stop) = (jobs, stop)
    worker.withLock { worker in
      worker = Worker("webhook") { [self] in
        while let objects = jobs.take(seconds: 1) {
          for object in objects {
            Self.post(object, to: webhook, stop)
            waiting.subtract(1, ordering: .relaxed)
          }
        }
      }
    }
  }

  /// Why standard output can no longer be written.
  var failure: CommandFailure? { state.withLock { $0.failure } }

  /// Why the file of metrics is out of date, which was reported.
  var metricsFailure: CommandFailure? { state.withLock { $0.metricsFailure } }

  /// Reports findings.
  func tell(_ findings: [DeliveryWatch.Finding], _ tally: DeliveryWatch.Tally) {
    for finding in findings { write(finding.text, finding.object) }
    writeMetrics(tally)
    guard webhook != nil else { return }
    for finding in findings {
      guard waiting.load(ordering: .relaxed) < Self.mostWaiting else {
        return StandardError.write("a finding was not posted: too many wait")
      }
      waiting.add(1, ordering: .relaxed)
      jobs.add(finding.object)
    }
  }

  /// Reports whom an event has reached, which is no finding.
  func tell(_ text: String, _ object: JSONObject) { write(text, object) }

  /// Reports the final result, and waits a moment for the web server.
  func finish(_ tally: DeliveryWatch.Tally) {
    write(tally.text, tally.object)
    writeMetrics(tally)
    jobs.close()
    if worker.withLock({ $0 })?.join(seconds: 10) == false { StandardError.write("not all findings were posted") }
    stop.set()
  }

  private func write(_ text: String, _ object: JSONObject) {
    state.withLock { state in
      guard state.failure == nil else { return }
      do throws(CommandFailure) {
        if isJSON { try state.output.line(object) } else { try state.output.line(text) }
      } catch {
        state.failure = error
      }
    }
  }

  private func writeMetrics(_ tally: DeliveryWatch.Tally) {
    guard let metrics else { return }
    let text = tally.metrics
    let message: String? = state.withLock { state in
      guard state.metrics != text else { return nil }
      do throws(CommandFailure) {
        try metrics.write(Array(text.utf8))
        (state.metrics, state.metricsFailure) = (text, nil)
      } catch {
        // The watch continues, because a full disk may have room again.
        defer { state.metricsFailure = CommandFailure(nil, status: error.status) }
        return state.metricsFailure == nil ? error.message : nil
      }
      return nil
    }
    if let message { StandardError.write(message) }
  }

  /// Posts a finding, twice if necessary. Secrets in the URL are not shown.
  private static func post(_ object: JSONObject, to url: String, _ stop: StopFlag) {
    let request = WebRequest(
      .post, url: url, fields: [.init("Content-Type", "application/json")], body: Array(JSONValue.object(object).text.utf8))
    var reason = ""
    for _ in 0..<2 {
      do throws(NetworkInputError) {
        let answer = try WebAnswer(to: request, limits: limits) { stop.isSet }
        guard !(200..<300).contains(answer.status) else { return }
        reason = "\(NetworkInputError.Reason(status: answer.status))"
      } catch {
        reason = "\(error.reason)"
      }
    }
    StandardError.write("a finding was not posted: \(reason)")
  }
}
