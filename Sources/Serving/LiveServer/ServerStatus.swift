package import Basics
import LiveGame
import LiveHLS
import LiveInterface
package import LiveSession
package import WebSupport

/// What runs in a server, for those who look after it: the object of `GET /v1/status`.
package enum ServerStatus {
  /// The server itself.
  package struct About: Sendable {
    /// The version of the program; `nil` if it is not to be told.
    package var version: String?
    /// When the server was made.
    package var started = ContinuousClock.now

    package init(version: String? = nil) { self.version = version }
  }

  /// The status of a server.
  ///
  /// - Parameters:
  ///   - streams: The streams, as ``stream(_:viewers:)`` gives them.
  ///   - games: The games that are not over.
  package static func object(_ about: About, _ streams: [JSONObject], games: [JSONObject] = []) -> JSONObject {
    let uptime = Int(clamping: (ContinuousClock.now - about.started).components.seconds)
    return JSONObject(fields: ["version": about.version, "uptime": uptime, "streams": streams, "games": games])
  }

  /// The status of a stream.
  ///
  /// - Parameter viewers: The number of its viewers; see ``ViewerCount``.
  package static func stream(_ session: LiveSession, viewers: Int) -> JSONObject {
    let (situation, format) = (session.situation, session.format)
    let state = situation.hasEnded ? LiveInputState.ended : situation.isInputUp ? .up : .down
    return JSONObject(fields: [
      "name": session.settings.name, "input": session.settings.input.name, "state": state.rawValue, "codecs": format?.codecs,
      "format": format?.description, "bitRate": Int(min(situation.input.bitRate, 1e15)), "keyFrameInterval": situation.keyFrameInterval,
      "at": situation.time, "offset": situation.dateOffset.flatMap { MediaTime(seconds: $0) }, "segments": situation.segments,
      "gaps": situation.gaps,
      "copies": situation.copies, "viewers": viewers, "listeners": session.feed.listenerCount, "game": session.settings.game,
      "faults": session.faults, "break": session.desk.read { game, _ in game.nearestBreak }?.object,
    ]).with("inputs", session.inputSwitch.map { LiveAPI.object($0) })
  }

  /// The schema of the object.
  package static let schema = OpenAPISchema.object([
    "version": .text.orNull, "uptime": .count,
    "streams": .list(
      .object(
        [
          "name": .text, "input": .text, "state": .choice(LiveInputState.allCases.map(\.rawValue)), "codecs": .text.orNull,
          "format": .text.orNull, "bitRate": .count, "keyFrameInterval": .number.orNull, "at": .number.orNull, "offset": .number.orNull,
          "segments": .count, "gaps": .count, "copies": .count, "viewers": .count, "listeners": .count, "game": .text,
          "faults": .list(.text), "break": OpenAPI.adBreak.orNull,
        ], optional: ["inputs": LiveAPI.inputs])),
    "games": .list(.object(["game": .text, "title": .text, "state": .text, "players": .count, "viewers": .count])),
  ])
}
