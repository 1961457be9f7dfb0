import Basics
@testable import RTMP
import Testing

/// A connection with a publisher.
@Suite struct PublisherSessionTests {
  /// What a session does and answers, with every answer as the messages that it has.
  private enum Step: Equatable {
    case handshake([UInt8])
    case answer([RTMPMessage])
    case other(PublisherSession.Action)
  }

  private func steps(_ parts: [[UInt8]], refusal: PublishRefusal? = nil) throws -> [Step] {
    var session = PublisherSession(seed: 5)
    var client = ChunkReader()
    var steps: [Step] = []
    for part in parts {
      for action in try session.receive(part.span) {
        switch action {
        case .send(let bytes) where steps.isEmpty: steps.append(.handshake(bytes))
        case .send(let bytes): steps.append(.answer(try client.push(bytes.span)))
        case .publish(let request):
          steps.append(.other(action))
          let answer = try refusal.map { try session.refuse(request, $0) } ?? session.accept(request)
          steps.append(.answer(try client.push(answer.span)))
        default: steps.append(.other(action))
        }
      }
    }
    return steps
  }

  private func result(_ transaction: Double, _ values: [AMF0Value]) throws -> RTMPMessage {
    try PublisherBytes.command("_result", transaction, values)
  }

  private func status(_ level: String, _ code: String, _ description: String, streamID: UInt32 = 1) throws -> RTMPMessage {
    let information = AMF0Value.object([
      .init("level", .string(level)), .init("code", .string(code)), .init("description", .string(description)),
    ])
    return try PublisherBytes.command("onStatus", 0, [.null, information], streamID: streamID)
  }

  /// The answers to a greeting, up to that to `publish`.
  private func greeting() throws -> [Step] {
    let properties = AMF0Value.object([.init("fmsVer", .string("FMS/3,0,1,123")), .init("capabilities", .number(31))])
    let information = AMF0Value.object([
      .init("level", .string("status")), .init("code", .string("NetConnection.Connect.Success")),
      .init("description", .string("Connection succeeded.")), .init("objectEncoding", .number(0)),
    ])
    let window: [UInt8] = [0, 0x26, 0x25, 0xA0]
    let begun = AMF0Value.object([.init("code", .string("NetStream.Publish.Start"))])
    return [
      .answer([
        RTMPMessage(kind: RTMPMessage.Kind.windowSize, payload: window),
        RTMPMessage(kind: RTMPMessage.Kind.peerBandwidth, payload: window + [2]),
        try result(1, [properties, information]),
      ]),
      .answer([try result(2, [.null, .undefined])]),
      .answer([try result(3, [.null, .undefined]), try PublisherBytes.command("onFCPublish", 0, [.null, begun])]),
      .answer([try result(4, [.null, .number(1)])]), .other(.publish(PublishRequest(application: "live", key: "key", streamID: 1))),
    ]
  }

  private let began = RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: [0, 0, 0, 0, 0, 1])

  /// The handshake's answer: the version, a time of 0, random bytes, and what the client has sent.
  private func isHandshake(_ step: Step?) -> Bool {
    guard case .handshake(let bytes)? = step, bytes.count == 3_073 else { return false }
    return bytes[..<9] == [3, 0, 0, 0, 0, 0, 0, 0, 0] && bytes[1_537...].allSatisfy { $0 == 7 } && Set(bytes[9..<1_537]).count > 200
  }

  @Test func publishes() throws {
    let media = [
      PublisherBytes.media(RTMPMessage.Kind.video, 0, PublisherBytes.avcHeader),
      PublisherBytes.media(RTMPMessage.Kind.audio, 23, PublisherBytes.sound([1, 2])),
    ]
    let metadata = PublisherBytes.metadata(["videocodecid"])
    let cue = AMF0Value.object([.init("wowzaConverter", .string("basic_json"))])
    let messages =
      try PublisherBytes.greeting() + [PublisherBytes.data([.string("@setDataFrame"), .string("onMetaData"), metadata])] + media + [
        PublisherBytes.data([.string("onCuePoint"), cue], timestamp: 40),
        PublisherBytes.command("FCUnpublish", 6, [.null, .string("key")]),
        PublisherBytes.command("deleteStream", 7, [.null, .number(1)]), media[0],
      ]
    let bytes = try PublisherBytes.handshake + PublisherBytes.chunks(messages)
    let expected =
      try greeting() + [
        .answer([began, try status("status", "NetStream.Publish.Start", "The stream is being published.")]), .other(.metadata(metadata)),
        .other(.media(media[0])), .other(.media(media[1])), .other(.data(name: "onCuePoint", [cue])), .other(.end),
        .answer([try result(7, [.null, .undefined])]),
      ]
    for found in try inEveryWay(bytes, step: 53, { try steps($0) }) {
      try #require(isHandshake(found.first))
      for (step, wanted) in zip(found.dropFirst(), expected) { try #require(step == wanted) }
      try #require(found.count == expected.count + 1)
    }
  }

  @Test func refuses() throws {
    let bytes = try PublisherBytes.handshake + PublisherBytes.chunks(PublisherBytes.greeting())
    for (refusal, code, description) in [
      (PublishRefusal.wrongKey, "NetStream.Publish.Unauthorized", "The stream key is wrong."),
      (.unknownApplication, "NetStream.Publish.Failed", "There is no such application."),
      (.isPublished, "NetStream.Publish.BadName", "The stream is being published already."),
    ] {
      let found = try steps([bytes], refusal: refusal)
      #expect(found.last == .answer([try status("error", code, description)]))
    }
  }

  /// Names without what follows them in addresses.
  @Test func names() throws {
    for (application, key, expected) in [
      ("live", "k", PublishRequest(application: "live", key: "k", streamID: 1)),
      ("/a/b/?x", "k/", .init(application: "a/b", key: "k", streamID: 1)), ("", "", .init(application: "", key: "", streamID: 1)),
    ] {
      let connect = try PublisherBytes.command("connect", 1, [.object([.init("app", .string(application))])])
      let publish = try PublisherBytes.command("publish", 2, [.null, .string(key)], streamID: 1)
      #expect(try steps([PublisherBytes.handshake + PublisherBytes.chunks([connect, publish])]).contains(.other(.publish(expected))))
    }
  }

  /// Enhanced RTMP: a client that lists its codecs hears ours.
  @Test func codecs() throws {
    let connect = try PublisherBytes.command(
      "connect", 1,
      [.object([.init("app", .string("live")), .init("fourCcList", .list([.string("hvc1")])), .init("objectEncoding", .number(3))])])
    guard case .answer(let messages)? = try steps([PublisherBytes.handshake + PublisherBytes.chunks([connect])]).last,
      let last = messages.last
    else {
      Issue.record("no answer")
      return
    }
    let information = try AMF0Value.values(last.payload.span).last
    #expect(information?["fourCcList"] == .list([.string("avc1"), .string("hvc1"), .string("mp4a")]))
    #expect(information?["objectEncoding"] == .number(3))
  }

  @Test func otherMessages() throws {
    let greeting = try PublisherBytes.handshake + PublisherBytes.chunks(PublisherBytes.greeting())
    func later(_ messages: [RTMPMessage]) throws -> [Step] { Array(try steps([greeting, PublisherBytes.chunks(messages)]).dropFirst(7)) }
    let ping = RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: [0, 6, 1, 2, 3, 4])
    #expect(try later([ping]) == [.answer([RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: [0, 7, 1, 2, 3, 4])])])
    #expect(try later([RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: [0, 3, 0, 0, 0, 0])]) == [])
    // Commands and data in the form of AMF 3.
    let data = try PublisherBytes.data([.string("onTextData"), .null])
    var wrapped = RTMPMessage(kind: RTMPMessage.Kind.dataAMF3, streamID: 1, payload: [0] + data.payload)
    #expect(try later([wrapped]) == [.other(.data(name: "onTextData", [.null]))])
    wrapped = RTMPMessage(
      kind: RTMPMessage.Kind.commandAMF3, streamID: 1, payload: [0] + (try PublisherBytes.command("closeStream", 0, [.null]).payload))
    #expect(try later([wrapped]) == [.other(.end)])
    #expect(
      try later([PublisherBytes.data([.string("@clearDataFrame"), .string("onMetaData")]), PublisherBytes.data([.number(1)])]) == [])
    #expect(
      try later([PublisherBytes.command("play", 0, [.null, .string("x")], streamID: 1)]) == [
        .answer([try status("error", "NetStream.Play.Failed", "This server is for publishers.")])
      ])
    #expect(
      try later([PublisherBytes.command("publish", 0, [.null, .string("x")], streamID: 2)])
        == [.answer([try status("error", "NetStream.Publish.BadName", "A connection has one stream.", streamID: 2)])])
    // What is not of the stream that is published, or empty, is nothing.
    #expect(
      try later([
        RTMPMessage(kind: 9, streamID: 2, payload: [1]), RTMPMessage(kind: 8, streamID: 1, payload: []),
        RTMPMessage(kind: 99, streamID: 1, payload: []),
      ]) == [])
    // Damaged data is told, and the stream goes on.
    #expect(
      try later([RTMPMessage(kind: RTMPMessage.Kind.data, streamID: 1, payload: [2, 0, 9])]) == [
        .other(.damagedData(ParseError(.truncated(needed: 9, available: 0), at: 3)))
      ])
    // The stream may be published again.
    let again = try PublisherBytes.command("publish", 9, [.null, .string("k2")], streamID: 1)
    #expect(
      try later([PublisherBytes.command("deleteStream", 0, [.null, .number(1)]), again]).dropFirst().first
        == .other(.publish(PublishRequest(application: "live", key: "k2", streamID: 1))))
  }

  /// The peer hears that its bytes have come, after each window of its own size.
  @Test func acknowledges() throws {
    let window = RTMPMessage(kind: RTMPMessage.Kind.windowSize, payload: [0, 0, 0x20, 0])
    let greeting = try PublisherBytes.handshake + PublisherBytes.chunks([window] + PublisherBytes.greeting())
    let frame = try PublisherBytes.chunks([PublisherBytes.media(RTMPMessage.Kind.video, 0, [UInt8](repeating: 0, count: 6_000))])
    let found = try steps([greeting, frame, frame])
    let acknowledged = found.compactMap { step -> [UInt8]? in
      guard case .answer(let messages) = step, messages.first?.kind == RTMPMessage.Kind.acknowledgement else { return nil }
      return messages.first?.payload
    }
    let count = greeting.count - PublisherBytes.handshake.count + 2 * frame.count
    #expect(acknowledged == [[0, 0, UInt8(count >> 8), UInt8(count & 0xFF)]])
  }

  @Test func brokenProtocols() throws {
    #expect(throws: ParseError(.invalid("version 6 of RTMP is not supported"), at: 0)) { try steps([[6]]) }
    #expect(throws: ParseError(.invalid("version 71 of RTMP is not supported"), at: 0)) {
      try steps([Array("GET / HTTP/1.1\r\n\r\n".utf8)])
    }
    for message in [
      try PublisherBytes.command("createStream", 1, [.null]), RTMPMessage(kind: RTMPMessage.Kind.command, payload: [5]),
      RTMPMessage(kind: RTMPMessage.Kind.command, payload: [2, 0, 9]), RTMPMessage(kind: RTMPMessage.Kind.windowSize, payload: []),
      RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: [0]),
    ] {
      let bytes = try PublisherBytes.handshake + PublisherBytes.chunks([message])
      #expect(throws: ParseError.self) { try steps([bytes]) }
    }
  }
}
