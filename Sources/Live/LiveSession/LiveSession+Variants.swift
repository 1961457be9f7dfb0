import LiveHLS
import PacketStamping
import Synchronization

/// The other renditions of a session's programme.
extension LiveSession {
  /// Ends the other renditions after the first input.
  ///
  /// - Parameter seconds: How long they may take for the packets that they have.
  func finishVariants(seconds: Double) {
    changeLead(isInterrupted: true) { $0.finish() }
    let variants = variants.withLock { exchange(&$0, with: []) }
    let patience = ContinuousClock.now + .seconds(seconds)
    let late = variants.filter { !$0.join(until: patience) }
    for variant in variants { variant.stop() }
    for variant in late { _ = variant.join(until: patience + .milliseconds(200)) }
  }

  /// Changes the first input's timeline, and wakes the other renditions.
  ///
  /// - Parameter isInterrupted: Whether the first input has become silent or has ended.
  func changeLead(isInterrupted: Bool = false, _ body: (inout LeadingTimeline) -> Void) {
    lead.withLock { body(&$0) }
    for variant in variants.withLock({ $0 }) { variant.follow(isInterrupted: isInterrupted) }
  }

  /// Adds the output of another rendition.
  func add(_ output: LivePipeline.Output, ofVariant index: Int) {
    presentation.add(output, ofVariant: index)
    for message in output.messages { report("\(settings.variants[index].name): \(message)") }
    for case .interrupted(let error) in output.notices { report("\(settings.variants[index].name): \(error)") }
  }

  /// Receives why a rendition cannot be used. One that is not known to fit ends a new session.
  func refuseVariant(_ index: Int, _ reason: String) {
    handle(Presentation.Problem(variant: index, reason: reason, isProven: presentation.isProven(variant: index)))
  }

  /// Receives why the input of a rendition cannot be read.
  func refuseVariant(_ index: Int, _ error: LiveSessionError) {
    guard endsWithVariant(isProven: presentation.isProven(variant: index)) else {
      return report("\(settings.variants[index].name) cannot be read; it is left out")
    }
    fail(error)
  }

  /// Whether a rendition that does not fit ends the session. At the start the operator can mend it; later the show goes on.
  func endsWithVariant(isProven: Bool) -> Bool {
    !isProven && !isContinuation && presentation.counts.segments <= Self.firstSegments
  }

  private static let firstSegments = 6

  func fail(_ error: LiveSessionError) {
    state.withLock { $0.failure = $0.failure ?? error }
    inputStop.set()
  }

  func handle(_ problem: Presentation.Problem) {
    let name = settings.variants[problem.variant].name
    guard endsWithVariant(isProven: problem.isProven) else { return report("\(name): \(problem.reason); it is left out") }
    fail(.variant(name, reason: problem.reason))
  }
}
