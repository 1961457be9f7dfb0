import Basics
import LivePair

extension FuzzTarget {
  /// What one node of a pair sends to the other one behind the preface: the same messages come out in whatever pieces it comes, and each of them is written
  /// and read again as it was.
  ///
  /// The first byte says in which pieces. The second one says whether the other node is known, so that messages may be large, and whether the rest is a
  /// connection as it is, or headers that each end with their line, with a byte for the length of what follows them, whose own lengths are right.
  static let pair = FuzzTarget("pair") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let choice = input.next()
    let limit = choice & 1 == 0 ? PairMessage.largestHello : PairMessage.largest
    let sent = choice & 2 == 0 ? Array(input.rest) : framed(&input)
    let (whole, pieces) = (Conversation([sent], limit), Conversation(sent.pieces(seed: seed), limit))
    try require(pieces.reason, equals: whole.reason, "the error, in pieces")
    // Where there is an error, no message of its bytes comes out.
    if whole.reason == nil { try require(pieces.messages, equals: whole.messages, "the messages, in pieces") }
    for message in pieces.messages {
      let again = Conversation([message.encoded], PairMessage.largest)
      try require(again.messages, equals: [message], "written and read again")
      try require(again.reason, equals: nil, "the error, written and read again")
    }
  }

  private static func framed(_ input: inout FuzzInput) -> [UInt8] {
    var writer = ByteWriter(capacity: input.rest.count * 2)
    while !input.rest.isEmpty {
      let header = input.next(input.rest.prefix { $0 != 0x0A }.count)
      _ = input.next()
      let body = input.next(Int(input.next()))
      writer.writeInteger(UInt64(4 + header.count + body.count), byteCount: 4)
      writer.writeInteger(UInt64(header.count), byteCount: 4)
      writer.write(header)
      writer.write(body)
    }
    return writer.bytes
  }

  /// The messages of some bytes, until one is none.
  private struct Conversation {
    var messages: [PairMessage] = []
    var reason: ParseError.Reason?

    init(_ pieces: [[UInt8]], _ limit: Int) {
      var reader = PairMessageReader()
      reader.limit = limit
      do throws(ParseError) { for piece in pieces { messages += try reader.push(piece.span) } } catch { reason = error.reason }
    }
  }
}

extension SampleTexts {
  /// The messages of a pair, as one node sends them to the other one; and the same as headers in lines.
  static let pair: [[UInt8]] = {
    var files = PairFiles(targetDuration: 4)
    files.segments = [.init(name: "a-1.ts", bytes: [0x47, 0, 0xFF]), .init(name: "a-2.ts", bytes: [])]
    files.playlists = [.init(name: "media.m3u8", bytes: Array("#EXTM3U\n".utf8))]
    files.removable = ["a-0.ts"]
    let fields: [PairCall.Field] = [.init(name: "Accept", value: "*/*")]
    let messages: [PairMessage] = [
      .hello(PairHello(stream: "live", game: "g", node: "n1", phase: .undecided, term: 3, length: 1 << 40, digest: "00ff", token: "t")),
      .refused("no"), .journal(offset: 7, bytes: Array("{}\n".utf8)), .files(files), .told(id: 1, event: "placed", data: "{}"), .complete,
      .received(2), .call(number: 1, PairCall(method: "POST", path: "/v1?a=b", fields: fields, isLocal: true, body: Array("{}".utf8))),
      .answer(number: 1, PairAnswer(status: 202, fields: fields, body: [1, 2])), .beat(inputAge: nil), .beat(inputAge: 250),
      .leaving(isEnd: true),
    ]
    let lines = messages.map { message -> [UInt8] in
      let content = message.encoded.dropFirst(4)
      let headerLength = content.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let (header, body) = (content.dropFirst(4).prefix(headerLength), content.dropFirst(4 + headerLength))
      return header + [0x0A, UInt8(truncatingIfNeeded: body.count)] + body
    }
    return [[5, 1] + messages.flatMap(\.encoded), [0, 0] + messages[0].encoded, [5, 3] + lines.joined()] + lines.map { [5, 3] + $0 }
  }()
}
