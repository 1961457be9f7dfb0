import CuelightReader
import Foundation

#if canImport(AVFoundation)
  import AVFoundation
#else
  import AVFoundationStandIn
#endif

// The examples of the article "A client on a phone", word for word: `DocumentationTests` compares them.

// MARK: PhoneClient.md

/// The game of a client whose player hands over timed metadata.
struct PhoneGame {
  private var reader = MetadataReader()
  private var game = GameStateMachine(verifySeal: nil)

  /// What the view shows.
  var state: GameState { game.state }

  /// The player hands over the bytes of an ID3 tag, and when it is presented, in seconds of the player's clock.
  mutating func received(tag bytes: [UInt8], at seconds: Double) throws(EventError) -> [GameTransition] {
    var transitions: [GameTransition] = []
    for found in try reader.receive(tag: bytes.span, at: MediaTime(seconds: seconds)) {
      transitions += game.receive(found.copy, at: found.time)
    }
    return transitions
  }

  /// The player hands over a TXXX frame that it has parsed.
  mutating func received(text: String, description: String, at seconds: Double) -> [GameTransition] {
    guard let found = reader.receive(text: text, description: description, at: MediaTime(seconds: seconds)) else { return [] }
    return game.receive(found.copy, at: found.time)
  }

  /// The player's clock goes on: several times a second, so that questions close when their time is up.
  mutating func tick(at seconds: Double) -> [GameTransition] {
    game.advance(to: reader.programmeTime(at: MediaTime(seconds: seconds)))
  }

  /// The person has gone to another place of the show.
  mutating func sought(to seconds: Double) -> [GameTransition] {
    game.seek(to: reader.programmeTime(at: MediaTime(seconds: seconds)))
  }

  /// The person has touched an answer.
  mutating func answered(_ answer: Int, at seconds: Double) -> SelectionOutcome {
    game.select(answer: answer, at: reader.programmeTime(at: MediaTime(seconds: seconds))).outcome
  }
}

final class MetadataDelegate: NSObject, AVPlayerItemMetadataOutputPushDelegate {
  var game = PhoneGame()

  func metadataOutput(
    _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup], from track: AVPlayerItemTrack?
  ) {
    for group in groups {
      for item in group.items where item.identifier == .id3MetadataUserText {
        guard let text = item.stringValue else { continue }
        let description = item.extraAttributes?[.info] as? String ?? ""
        for transition in game.received(text: text, description: description, at: group.timeRange.start.seconds) {
          print(transition.kind.name)
        }
      }
    }
  }
}
