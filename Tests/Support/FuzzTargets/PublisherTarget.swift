import Basics
import RTMP
import TransportStream

extension FuzzTarget {
  /// Values of AMF: what is read can be written, and is read as the same.
  static let amf = FuzzTarget("amf") { bytes in
    do throws(ParseError) {
      let values = try AMF0Value.values(bytes.span)
      // Numbers that are none are not equal to themselves, but their bytes are.
      let written = try AMF0Value.encode(values)
      try Self.requireAgain(written)
    } catch {
      try require(error, liesIn: bytes)
    }
  }

  private static func requireAgain(_ written: [UInt8]) throws(ParseError) {
    let again = try AMF0Value.encode(try AMF0Value.values(written.span))
    guard again == written else { throw ParseError(.invalid("AMF written and read again"), at: -1) }
  }

  /// A publisher's connection behind the handshake, whole and in pieces; what it publishes as a transport stream.
  static let publisher = FuzzTarget("publisher") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let sent = Array(input.rest)
    let (whole, pieces) = (Outcome([sent]), Outcome(sent.pieces(seed: seed)))
    try require(whole.error, equals: pieces.error, "the error, whole and in pieces")
    if whole.error == nil {
      try require(whole.messages, equals: pieces.messages, "the messages, whole and in pieces")
    }
    try publish(sent.pieces(seed: seed))
  }

  /// What the chunks of some bytes are.
  private struct Outcome {
    var messages: [RTMPMessage] = []
    var error: ParseError?

    init(_ pieces: [[UInt8]]) {
      var reader = ChunkReader()
      do throws(ParseError) { for piece in pieces { messages += try reader.push(piece.span) } } catch { self.error = error }
    }
  }

  private static func publish(_ pieces: [[UInt8]]) throws {
    var session = PublisherSession(seed: 1)
    var program = PublishedProgram()
    var stream: [UInt8] = []
    let handshake: [UInt8] = [3] + [UInt8](repeating: 0, count: 3_072)
    do throws(ParseError) {
      for piece in [handshake] + pieces {
        for action in try session.receive(piece.span) {
          switch action {
          case .publish(let request): _ = (try session.accept(request), try session.refuse(request, .wrongKey))
          case .media(let message): program.receive(message)
          case .metadata(let value): program.receive(metadata: value)
          case .send, .data, .damagedData, .end: break
          }
        }
        stream += program.take()
      }
    } catch {
      // The connection would end here.
    }
    program.finish()
    stream += program.take()
    try require(program.takeNotices().count <= 16, "many notices")
    try require(stream.count % TransportPacket.size == 0, "a transport stream of \(stream.count) bytes")
    for start in stride(from: 0, to: stream.count, by: TransportPacket.size) {
      _ = try TransportPacket(stream[start..<start + TransportPacket.size].span)
    }
  }
}
