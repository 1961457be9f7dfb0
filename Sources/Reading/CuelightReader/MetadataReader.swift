public import Basics
public import GameEvents
import ID3

/// Finds events in what a player hands over while it plays: the bytes of an ID3 tag, or a frame that the player has parsed, each with the
/// player's time.
///
/// ```swift
/// for found in try reader.receive(tag: bytes.span, at: MediaTime(seconds: playerTime)) {
///   transitions += game.receive(found.copy, at: found.time)
/// }
/// ```
public struct MetadataReader: Sendable {
  /// A copy of an event, and when it is presented.
  public struct Sighting: Equatable, Sendable {
    /// The copy.
    public var copy: EventCopy
    /// When it is presented, on the programme's timeline.
    public var time: MediaTime
  }

  /// The number of frames that were damaged events.
  public private(set) var unusable = 0
  private var timeline = ProgrammeTimeline()

  /// A reader that has seen nothing.
  ///
  /// - Parameter timelineOrigin: The origin of the programme's timeline on the player's clock as long as no copy has told it. Every copy of
  ///   Cuelight does.
  public init(timelineOrigin: MediaTime = .zero) { timeline.assumeStart(at: timelineOrigin) }

  /// The origin of the programme's timeline on the player's clock.
  public var timelineOrigin: MediaTime { timeline.origin ?? .zero }

  /// The programme's time when the player shows `playerTime`: for `GameStateMachine.advance(to:)` and `select(answer:at:)`.
  public func programmeTime(at playerTime: MediaTime) -> MediaTime { playerTime - timelineOrigin }

  /// Receives a whole ID3 tag.
  ///
  /// - Parameters:
  ///   - tag: The bytes, from `ID3` to the end of the tag.
  ///   - playerTime: When the tag is presented, on the player's clock.
  /// - Returns: The copies of events in it; none where it is a tag of something else.
  /// - Throws: ``EventError/tag(_:)`` where the bytes are no ID3 tag.
  public mutating func receive(tag: Span<UInt8>, at playerTime: MediaTime) throws(EventError) -> [Sighting] {
    let frames: [ID3Frame]
    do { frames = try ID3Tag.decode(tag).frames } catch { throw .tag(error) }
    var sightings: [Sighting] = []
    for case .userText(let description, let value) in frames {
      if let sighting = receive(text: value, description: description, at: playerTime) { sightings.append(sighting) }
    }
    return sightings
  }

  /// Receives a `TXXX` frame that the player has parsed.
  ///
  /// - Parameters:
  ///   - text: The frame's value.
  ///   - description: The frame's description; empty where the player does not tell it.
  ///   - playerTime: When the frame is presented, on the player's clock.
  /// - Returns: The copy of an event; `nil` where it is none, or a damaged one.
  public mutating func receive(text: String, description: String, at playerTime: MediaTime) -> Sighting? {
    do throws(EventError) {
      let copy = try EventCopy(parsing: text, description: description)
      // A copy that disagrees with those before it has a damaged time, and tells itself where it belongs.
      let toldTime = timeline.accept(copy, presentationTime: playerTime)
      return Sighting(copy: copy, time: toldTime ?? programmeTime(at: playerTime))
    } catch {
      if error != .notAnEvent { unusable += 1 }
      return nil
    }
  }
}
