public import GameEvents

/// What a player is expected to make of a stream.
public struct PlayerPrediction: Equatable, Sendable {
  /// What the expectation rests on.
  public enum Evidence: Equatable, Sendable {
    /// It is compared with this version of the player by a script.
    case checked(version: String, script: String)
    /// It follows from what is known of the player, and is not checked.
    case notChecked(version: String)
  }

  /// Tags that a player drops, or repeats, for one reason.
  public struct Group: Equatable, Sendable {
    /// Why.
    public var reason: String
    /// How many tags.
    public var tags: Int
    /// The events of which no copy is shown (dropped), or that are shown more than once (repeated), at most the first few.
    public var events: [GUID]
    /// How many events that are.
    public var eventCount: Int

    /// Tags and their events.
    public init(reason: String, tags: Int, events: [GUID], eventCount: Int) {
      self.reason = reason
      self.tags = tags
      self.events = events
      self.eventCount = eventCount
    }
  }

  /// The player.
  public var player: String
  /// What it rests on.
  public var evidence: Evidence
  /// How many cues or events of its own an application sees.
  public var cues: Int
  /// How many of the stream's events it sees at least once.
  public var events: Int
  /// What is dropped, by reason.
  public var dropped: [Group]
  /// The events that fire more than once; `nil` where none does.
  public var repeated: Group?
  /// How often the event fires that fires most often.
  public var mostRepeats: Int
  /// What is to be known of its clock and its ways.
  public var remarks: [String]

  /// Whether an application sees every event.
  public var seesEverything: Bool { dropped.allSatisfy { $0.eventCount == 0 } }
}
