import Basics
import TestSupport
import Testing

@testable import LivePair

/// What the nodes of a pair say to each other, and what is none of it.
@Suite struct PairMessageTests {
  private static var hello: PairHello {
    var hello = PairHello(
      stream: "live", game: "friday \u{1F600}", node: "n1", phase: .succeeding, term: 3, length: 1 << 40, digest: "00ff", token: "t\"")
    hello.isInputUp = true
    return hello
  }

  private static var files: PairFiles {
    var files = PairFiles(targetDuration: 4)
    files.upcoming = ["p-3.m4s"]
    files.segments = [.init(name: "a-1.ts", bytes: [0x47, 0, 0xFF]), .init(name: "a-2.ts", bytes: [])]
    files.playlists = [.init(name: "media.m3u8", bytes: Array("#EXTM3U\n".utf8))]
    files.removable = ["a-0.ts"]
    return files
  }

  private static var reloaded: PairFiles {
    var files = PairFiles(targetDuration: 2)
    files.reloaded = [.init(name: "media.m3u8", text: "M3U\n", update: "u", rangeUpdate: "r"), .init(name: "b.m3u8", text: "\"")]
    return files
  }

  private static let call = PairCall(
    method: "POST", path: "/v1/streams/live/events?wait=placed",
    fields: [.init(name: "Accept", value: "*/*"), .init(name: "Accept", value: "")],
    isLocal: true, body: Array("{\n}".utf8))

  static var messages: [PairMessage] {
    [
      .hello(hello), .hello(PairHello(stream: "s", game: "g", node: "", phase: .leading, term: 0, length: 0, digest: "")),
      .refused("no \"token\""), .journal(offset: 7, bytes: Array("{}\n".utf8)), .journal(offset: 0, bytes: []), .files(files),
      .files(PairFiles(targetDuration: 1)), .told(id: 1_795_366_000_000, event: "placed", data: "{}"), .complete, .received(2),
      .call(number: 1, call), .answer(number: 1, PairAnswer(status: 202, fields: [.init(name: "A", value: "b")], body: [1, 2])),
      .beat(inputAge: nil),
      .beat(inputAge: 40),
      .leaving(isEnd: true), .leaving(isEnd: false), .files(reloaded),
    ]
  }

  private static func read(_ bytes: [UInt8], pieces: Int) throws -> [PairMessage] {
    var reader = PairMessageReader()
    var messages: [PairMessage] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      messages += try reader.push(Array(bytes[start..<min(start + pieces, bytes.count)]).span)
    }
    return messages
  }

  @Test(arguments: [1, 2, 7, 64, 100_000]) func everythingComesBack(pieces: Int) throws {
    #expect(try Self.read(Self.messages.flatMap(\.encoded), pieces: pieces) == Self.messages)
  }

  /// Both nodes may have different versions: what they say is written the same for ever.
  @Test func headers() {
    let texts =
      [
        #"{"version":1,"stream":"live","game":"friday 😀","node":"n1","phase":"succeeding","term":3,"input":true,"length":1099511627776,"#
          + #""digest":"00ff","token":"t\""}"#,
        #"{"version":1,"stream":"s","game":"g","node":"","phase":"leading","term":0,"input":false,"length":0,"digest":""}"#,
      ].map { "{\"hello\":\($0)}" } + [
        #"{"refused":"no \"token\""}"#, #"{"journal":7}"#, #"{"journal":0}"#,
        #"{"files":4,"segments":[{"name":"a-1.ts","size":3},{"name":"a-2.ts","size":0}],"playlists":[{"name":"media.m3u8","size":8}],"#
          + #""removable":["a-0.ts"],"upcoming":["p-3.m4s"]}"#, #"{"files":1,"segments":[],"playlists":[],"removable":[],"upcoming":[]}"#,
        #"{"told":1795366000000,"event":"placed","data":"{}"}"#, #"{"complete":true}"#, #"{"received":2}"#,
        #"{"call":1,"method":"POST","path":"/v1/streams/live/events?wait=placed","local":true,"#
          + #""fields":[{"name":"Accept","value":"*/*"},{"name":"Accept","value":""}]}"#,
        #"{"answer":1,"status":202,"fields":[{"name":"A","value":"b"}]}"#, #"{"beat":true}"#, #"{"beat":true,"inputAge":40}"#,
        #"{"leaving":true}"#, #"{"leaving":false}"#,
        #"{"files":2,"segments":[],"playlists":[],"removable":[],"upcoming":[],"reloaded":["#
          + #"{"name":"media.m3u8","text":"M3U\n","update":"u","rangeUpdate":"r"},{"name":"b.m3u8","text":"\""}]}"#,
      ]
    let headers = Self.messages.map { message in
      let bytes = message.encoded
      return String(decoding: bytes[8...].prefix(bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }), as: UTF8.self)
    }
    #expect(headers == texts)
  }

  /// What is cut off says nothing, and is no mistake.
  @Test func cutOff() throws {
    for message in Self.messages {
      let bytes = message.encoded
      for count in bytes.indices { #expect(try Self.read(Array(bytes[..<count]), pieces: 100_000) == []) }
    }
  }

  /// A message whose length says that it is over is refused wherever that is.
  @Test func shortened() throws {
    for message in Self.messages {
      let whole = message.encoded
      for count in 4..<whole.count - 1 {
        var bytes = Array(whole[..<count])
        for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: (count - 4) >> (8 * (3 - place))) }
        switch message {
        // Their bytes have no end of their own.
        case .journal, .call, .answer: _ = try? Self.read(bytes, pieces: 100_000)
        default: #expect(throws: ParseError.self) { try Self.read(bytes, pieces: 100_000) }
        }
      }
    }
  }

  @Test(arguments: 0..<UInt64(50)) func changed(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    var bytes = Self.messages.flatMap(\.encoded)
    for _ in 0..<3 { bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator) }
    // Whatever comes out of it comes out again.
    for message in (try? Self.read(bytes, pieces: 100_000)) ?? [] {
      #expect(try Self.read(message.encoded, pieces: 3) == [message])
    }
  }

  @Test func tooLarge() throws {
    var reader = PairMessageReader()
    let large = PairMessage.journal(offset: 0, bytes: [UInt8](repeating: 1, count: PairMessage.largestHello)).encoded
    #expect(throws: ParseError.self) { _ = try reader.push(Array(large[..<4]).span) }
    reader = PairMessageReader()
    reader.limit = PairMessage.largest
    #expect(try reader.push(large.span).count == 1)
    // A web server that knows no pair.
    #expect(throws: ParseError.self) { _ = try reader.push(Array("HTTP/1.1 400 Bad Request\r\n".utf8).span) }
  }

  @Test func whatCounts() {
    #expect(Self.messages.filter(\.counts).count == 6)
  }
}
