package import Basics
package import GameEvents

/// Whom an event has reached, and how long that took.
package struct EventReach: Equatable, Sendable {
  /// The viewers of one player, by its name and version.
  package struct Player: Equatable, Sendable {
    package var name: String
    /// The time from the acceptance of the event until it was presented.
    package var eye = DelayHistogram()
  }

  package var guid: GUID
  /// When the event was accepted, when its first copy was in the stream, and when a part or a segment with it could be loaded, in milliseconds since 1970.
  package var acceptedAt: Int64
  package var placedAt: Int64?
  package var publishedAt: Int64?
  /// The number of pages that were there when it was in the stream, and of those that came later and have shown it.
  package var sessions = 0
  /// The number of pages that have shown it.
  package private(set) var shown = 0
  /// The time from its acceptance until pages had read it, and until they presented it. Viewers who came later do not count here.
  package private(set) var page = DelayHistogram()
  package private(set) var eye = DelayHistogram()
  /// The same by players, in the order in which they came. Those beyond ``mostPlayers`` are one.
  package private(set) var players: [Player] = []

  /// The maximum number of players that are counted separately.
  package static let mostPlayers = 16
  /// The names of the players that do not say what they are, and of those that are too many.
  package static let unknownPlayer = "unknown"
  package static let otherPlayers = "other"

  package init(guid: GUID, acceptedAt: Int64) { (self.guid, self.acceptedAt) = (guid, acceptedAt) }

  /// The number of pages that have not shown it.
  package var missing: Int { max(sessions - shown, 0) }

  /// Counts a page that has shown it, with milliseconds from the event's acceptance.
  ///
  /// - Parameter isLate: Whether the viewer came after the event, whose delay says nothing then.
  mutating func count(player: String?, page: Int64, eye: Int64, isLate: Bool) {
    shown += 1
    guard !isLate else { return }
    let step = DelayHistogram.step(of: eye)
    self.page.add(DelayHistogram.step(of: page))
    self.eye.add(step)
    let name = player ?? Self.unknownPlayer
    if let known = players.firstIndex(where: { $0.name == name }) { return players[known].eye.add(step) }
    if players.count < Self.mostPlayers {
      players.append(Player(name: name))
    } else if players.count == Self.mostPlayers {
      players.append(Player(name: Self.otherPlayers))
    }
    players[players.count - 1].eye.add(step)
  }

  /// The event's reach as JSON.
  ///
  /// - Parameter share: The share of all pages that report.
  package func object(share: Double) -> JSONObject {
    func leg(_ time: Int64?) -> MediaTime? { time.map { MediaTime(milliseconds: max($0 - acceptedAt, 0)) } }
    let players = players.map { JSONObject(fields: ["player": $0.name, "eye": $0.eye.object]) }
    var object = JSONObject(fields: ["guid": guid.text])
    object.append("frame", orNull: leg(placedAt))
    object.append("part", orNull: leg(publishedAt))
    return object.with("page", page.object).with("eye", eye.object).with("sessions", sessions).with("shown", shown)
      .with("missing", missing).with("share", MediaTime(seconds: share)).with("players", players)
  }
}
