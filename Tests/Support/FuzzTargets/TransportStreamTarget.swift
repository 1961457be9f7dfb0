import Basics
import EventReading
import TransportStream

extension FuzzTarget {
  /// Bytes as a transport stream: packets, and what an event reader makes of them, do not depend on the pieces in which the bytes come. The
  /// first byte says in which.
  static let transportStream = FuzzTarget("transport-stream") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let stream = Array(input.rest)
    let whole = Framed(pieces: [stream])
    let pieced = Framed(pieces: stream.pieces(seed: seed))
    try require(pieced, equals: whole, "packets in pieces")
    try require(
      whole.packets.count * TransportPacket.size + whole.skipped.reduce(0) { $0 + $1.count } <= stream.count, "more packets than bytes")
    try requireSameItems(stream, seed: seed)
  }

  /// What a framer makes of bytes.
  private struct Framed: Equatable {
    var framing: PacketFramer.Framing?
    var packets: [[UInt8]] = []
    var offsets: [Int] = []
    var skipped: [PacketFramer.Skipped] = []

    init(pieces: [[UInt8]]) {
      var framer = PacketFramer()
      for piece in pieces {
        framer.push(piece.span) { packet, offset in
          packets.append([UInt8](copying: packet))
          offsets.append(offset)
        } skip: {
          skipped.append($0)
        }
      }
      framer.finish { packet, offset in
        packets.append([UInt8](copying: packet))
        offsets.append(offset)
      } skip: {
        skipped.append($0)
      }
      framing = framer.framing
    }
  }
}

extension FuzzTarget {
  /// Throws unless an event reader finds the same in bytes that come as a whole and in pieces.
  static func requireSameItems(_ stream: [UInt8], seed: UInt8) throws {
    let whole = read([stream])
    let pieced = read(stream.pieces(seed: seed))
    // What is no stream at all may be refused before all of it came, or behind.
    guard whole.error == nil, pieced.error == nil else {
      return try require(pieced.error != nil && whole.error != nil, "\(pieced.error.map { "\($0)" } ?? "no error") in pieces")
    }
    try require(pieced.items, equals: whole.items, "items in pieces")
    for item in whole.items {
      switch item {
      case .copy(_, let place), .tag(_, let place):
        try require((0...stream.count).contains(place.offset), "a tag at byte \(place.offset) of \(stream.count)")
      case .damage(let damage):
        try require((0...stream.count).contains(damage.offset), "damage at byte \(damage.offset) of \(stream.count)")
      }
    }
  }

  private static func read(_ pieces: [[UInt8]]) -> (items: [StreamItem], error: ReadingError?) {
    var reader = EventReader()
    var items: [StreamItem] = []
    do throws(ReadingError) {
      for piece in pieces { items += try reader.push(piece.span) }
      _ = (reader.start, reader.end, reader.timelineOrigin, reader.videoOrigin)
      return (items + (try reader.finish()), nil)
    } catch {
      return (items, error)
    }
  }
}
