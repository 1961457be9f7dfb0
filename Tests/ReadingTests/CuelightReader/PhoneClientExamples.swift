import CuelightClient
import Foundation

#if canImport(AVFoundation)
  import AVFoundation
#else
  import AVFoundationStandIn
#endif

// The examples of the article "A client on a phone", word for word: `DocumentationTests` compares them.

// MARK: PhoneClient.md

/// The game of a client whose player hands over timed metadata. Times are seconds of the player's clock.
struct PhoneGame {
  private var client = GameClient()

  /// What the view shows.
  var state: GameState { client.state }

  /// When to call ``tick(at:)`` at the latest: set a timer to it.
  var nextDeadline: Double? { client.nextDeadline?.seconds }

  /// The player hands over the bytes of an ID3 tag, and when it is presented.
  mutating func received(tag bytes: [UInt8], presentedAt time: Double, now: Double) -> [GameTransition] {
    client.receive(tag: bytes, presentedAt: MediaTime(seconds: time), now: MediaTime(seconds: now))
  }

  /// The player hands over a TXXX frame that it has taken out of its tag.
  mutating func received(text: String, description: String, presentedAt time: Double, now: Double) -> [GameTransition] {
    client.receive(text: text, description: description, presentedAt: MediaTime(seconds: time), now: MediaTime(seconds: now))
  }

  /// The player's clock goes on.
  mutating func tick(at now: Double) -> [GameTransition] { client.advance(to: MediaTime(seconds: now)) }

  /// The person has gone to another place of the show.
  mutating func sought(to now: Double) -> [GameTransition] { client.seek(to: MediaTime(seconds: now)) }

  /// An ad begins or ends, as far as the player tells.
  mutating func adBeganOrEnded() { client.discontinuity() }

  /// The person has touched an answer.
  mutating func answered(_ answer: Int, at now: Double) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    client.select(answer, now: MediaTime(seconds: now))
  }
}

@MainActor final class GamePlayer: NSObject {
  private(set) var game = PhoneGame()
  private let player: AVPlayer
  private var observer: Any?

  init(player: AVPlayer, item: AVPlayerItem) {
    self.player = player
    super.init()
    let output = AVPlayerItemMetadataOutput(identifiers: nil)
    output.setDelegate(self, queue: .main)
    item.add(output)
    observer = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 10), queue: .main) { [weak self] time in
      MainActor.assumeIsolated { self?.show { game in game.tick(at: time.seconds) } }
    }
  }

  func show(_ change: (inout PhoneGame) -> [GameTransition]) {
    for transition in change(&game) { print(transition.kind.text) }
  }
}

extension GamePlayer: AVPlayerItemMetadataOutputPushDelegate {
  nonisolated func metadataOutput(
    _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup], from track: AVPlayerItemTrack?
  ) {
    let frames = groups.flatMap { group in
      group.items.filter { $0.identifier == .id3MetadataUserText }.map { item in
        (text: item.stringValue ?? "", description: item.extraAttributes?[.info] as? String ?? "", time: group.timeRange.start.seconds)
      }
    }
    MainActor.assumeIsolated {
      let now = player.currentTime().seconds
      for frame in frames {
        show { game in game.received(text: frame.text, description: frame.description, presentedAt: frame.time, now: now) }
      }
    }
  }
}

func received(attribute hexadecimal: String, startDate: Date, currentDate: Date, _ client: inout GameClient) -> [GameTransition] {
  let digits = hexadecimal.dropFirst(2).compactMap { $0.hexDigitValue }
  let event = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  return client.receive(dateRange: event, startDate: startDate.timeIntervalSince1970, now: currentDate.timeIntervalSince1970)
}

func received(_ metadata: Media3.Metadata, periodPositionMilliseconds: Int64, _ game: inout PhoneGame) -> [GameTransition] {
  let (time, now) = (Double(metadata.presentationTimeUs) / 1_000_000, Double(periodPositionMilliseconds) / 1_000)
  return metadata.entries.filter { $0.id == "TXXX" }.flatMap { frame in
    frame.values.flatMap { game.received(text: $0, description: frame.description ?? "", presentedAt: time, now: now) }
  }
}

/// The shapes of media3's metadata, as a bridge to Swift hands them over (androidx.media3.common.Metadata and extractor.metadata.id3).
enum Media3 {
  struct Metadata {
    var presentationTimeUs: Int64
    var entries: [TextInformationFrame]
  }

  struct TextInformationFrame {
    var id: String
    var description: String?
    var values: [String]
  }
}
