import Basics
package import GameEvents
import ID3
package import NALUnits
import TransportStream

/// Searches the video that tells the time for events in SEI messages. An earlier stamping may have inserted them, and a later copy may have dropped
/// the ID3 stream.
struct SEISearch: Sendable {
  private let games: Set<GameID>
  private var video: (pid: PID, codec: NALUnitCodec, reader: MessageReader)?

  init(games: Set<GameID>) { self.games = games }

  /// The video PID of which all packets are needed, up to the first slice of the access unit; `nil` if the packets in which units start are enough.
  var pidInsideUnit: PID? { video.flatMap { $0.reader.isInsideUnit ? $0.pid : nil } }

  /// Receives a packet of the video.
  ///
  /// - Throws: `eventInVideo` if a tag that ends in the packet carries an event of the games.
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
  /// The game of the first event in the tag that belongs to one of these games; `nil` if there is none.
  package func game(of games: Set<GameID>) -> GameID? {
    guard let tag = try? ID3Tag.decode(self.tag.span) else { return nil }
    for case .success(let copy) in EventCopy.copies(in: tag) where games.contains(copy.event.gameID) { return copy.event.gameID }
    return nil
  }
}
