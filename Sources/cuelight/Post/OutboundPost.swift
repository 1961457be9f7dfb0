import ArgumentParser
import Basics
import CommandSupport
import EventSchedule
import Foundation
import GameEvents
import LiveGame
import LiveInterface
import LiveSession
import OtherInjectors
import Terminal

/// The third-party injector to which an event goes.
struct OutboundOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The injector: ivs:ARN, medialive:ARN, antmedia:http://HOST/APP/STREAM, ome:http://HOST/VHOST/APP/STREAM, or wowza:http://HOST/APP/STREAM.",
      valueName: "injector"))
  var to: String?

  @Option(name: .long, help: ArgumentHelp("A file with what the injector asks for; only its owner may read it.", valueName: "file"))
  var credentials: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Remember the game here, so that each event has its number and results their questions.", valueName: "file"))
  var journal: String?

  @Option(name: .long, help: ArgumentHelp("The name of the game.", valueName: "name"))
  var game: String?

  /// The injector; `nil` if the event goes to a `cuelight live`.
  func target() throws -> InjectorTarget? {
    guard let to else {
      try require(credentials == nil && journal == nil && game == nil, "--credentials, --journal and --game are options of --to.")
      return nil
    }
    do throws(InjectorTarget.Mistake) { return try InjectorTarget(to) } catch { throw ValidationError("--to: \(error).") }
  }
}

/// Posts an event to a third-party injector, and waits until it has all copies.
struct OutboundPost {
  let target: InjectorTarget
  let options: OutboundOptions
  let isJSON: Bool

  /// How long an injector may be busy, and how long the last copies may take.
  private static let patience = Duration.seconds(15)
  private static let usualGame = "live"

  func run(_ event: JSONObject, _ guid: GUID) throws(CommandFailure) {
    var settings = OutboundSession.Settings(
      try InjectorAccess.request(
        to: target, credentials: options.credentials, environment: ProcessInfo.processInfo.environment, isAlone: options.journal == nil),
      game: options.game ?? Self.usualGame)
    // The program ends after the post, so nothing could refresh it later.
    settings.policy.refreshInterval = nil
    settings.journal = options.journal
    let session = try orFail(OutboundSession(settings) { _ in }) { (error: LiveSessionError) in CommandFailure(error, cues: nil) }
    session.start()
    defer { session.end() }
    _ = try orFail(session.desk.accept(LiveRequest(json: event.text), as: guid)) { (error: LiveProblem) in
      CommandFailure(invalid: "\(error)")
    }
    let status = try outcome(of: guid, session)
    var object = status.object(at: "").removing(["status", "pts", "segments"])
    // An event that does not belong to a game has neither a number nor a time in one.
    if options.journal == nil { object = object.removing(["sequence", "at", "closesAt"]) }
    if isJSON { try StandardOutput.write(object) } else { try StandardOutput.write([LiveText.event(object)]) }
    session.waitForOthers()
    if [.lost, .cancelled].contains(status.state) { throw .checkFailed }
  }

  /// Waits until the injector has the event, or is known not to take it.
  private func outcome(of guid: GUID, _ session: OutboundSession) throws(CommandFailure) -> EventStatus {
    let wakeUp = WakeUp()
    session.onChange { wakeUp.signal() }
    let interruption = Task {
      await Interruption.wait()
      wakeUp.signal()
    }
    defer { interruption.cancel() }
    var deadline: ContinuousClock.Instant?
    while true {
      try CommandFailure.requireNoInterruption()
      // This is read before the status, because an idle session has recorded all answers in the status.
      let isIdle = session.isIdle
      guard let status = session.desk.read({ game, _ in game.status(guid) }) else {
        throw CommandFailure("the event is not known any more", status: CommandFailure.ioError)
      }
      let failure = session.failure
      // The patience does not end while the event's time has not come, or while there is no answer yet.
      let hasTime = [.scheduled, .held, .accepted].contains(status.state) && failure == nil
      deadline = hasTime ? nil : deadline ?? .now + Self.patience
      let isLate = deadline.map { ContinuousClock.now >= $0 } ?? false
      switch (status.state, failure) {
      case (.lost, .refused(_, let reason)?):
        throw CommandFailure(invalid: "\(target.system.rawValue) refuses it: \(reason)")
      case (.lost, _), (.cancelled, _): return status
      case (.placed, _), (.published, _): if isIdle || isLate { return status }
      case (_, .unreachable(let code, let reason)?):
        throw CommandFailure(waiting(reason), status: code == 404 ? CommandFailure.missingInput : CommandFailure.ioError)
      case (_, .later(let reason)?): if isLate { throw CommandFailure(waiting(reason), status: CommandFailure.ioError) }
      // It will soon be lost, or an answer will come.
      case (.scheduled, _), (.held, _), (.accepted, _): break
      }
      wakeUp.wait(until: isLate ? nil : deadline)
    }
  }

  private func waiting(_ reason: String) -> String {
    let later = options.journal == nil ? "" : "\nthe journal has the event: it goes out with the next one"
    return "\(target.system.rawValue) does not take it: \(reason)\(later)"
  }
}
