import Basics
package import GameEvents
import ID3
package import NALUnits
import TransportStream

/// Follows the video that tells the time for events in SEI messages: an earlier stamping has put them there, and a copy of the stream may have
/// dropped the ID3 stream beside them.
struct ExistingMessages: Sendable {
  private let games: Set<GameID>
  private var video: (pid: PID, codec: NALUnitCodec, reader: MessageReader)?

  init(games: Set<GameID>) { self.games = games }

  /// The video of which all packets are needed, up to the first slice of its access unit; `nil` where those are enough in which units start.
  var pidInsideUnit: PID? { video.flatMap { $0.reader.isInsideUnit ? $0.pid : nil } }

  /// Receives a packet of the video.
  ///
  /// - Throws: `eventInVideo` where a tag that ends in the packet carries an event of the games.
  mutating func push(
    _ header: TransportPacket, payload: Span<UInt8>, of codec: NALUnitCodec, offset: Int
  ) throws(PacketStampingError) {
    guard !games.isEmpty else { return }
    if video?.pid != header.pid || video?.codec != codec { video = (header.pid, codec, MessageReader(codec)) }
    guard let found = video?.reader.push(header, payload: payload, offset: offset) else { return }
    for tag in found.tags {
      if let game = tag.game(of: games) { throw .eventInVideo(game, offset: found.offset) }
    }
  }
}

extension TagMessage {
  /// The game of the first event in the tag that belongs to one of these games; `nil` where there is none.
  package func game(of games: Set<GameID>) -> GameID? {
    guard let tag = try? ID3Tag.decode(self.tag.span) else { return nil }
    for case .success(let copy) in EventCopy.copies(in: tag) where games.contains(copy.event.gameID) { return copy.event.gameID }
    return nil
  }
}
