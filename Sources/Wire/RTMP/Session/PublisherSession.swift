package import Basics

/// The server's side of a connection over which somebody publishes a stream (RTMP 1.0, section 7).
///
/// It touches neither socket nor clock: it returns actions. A connection publishes at most one stream at a time.
package struct PublisherSession: Sendable {
  /// What the caller must do, in order.
  package enum Action: Equatable, Sendable {
    /// These bytes go to the peer.
    case send([UInt8])
    /// Somebody wants to publish: ``PublisherSession/accept(_:)`` or ``PublisherSession/refuse(_:_:)`` is the answer.
    case publish(PublishRequest)
    /// Video or audio of the stream.
    case media(RTMPMessage)
    /// The publisher's description of the stream.
    case metadata(AMF0Value)
    /// A data message of the stream: its name and its values.
    case data(name: String, [AMF0Value])
    /// Data that cannot be read.
    case damagedData(ParseError)
    /// The stream is over; the connection may continue.
    case end
  }

  private enum State {
    case connecting
    case connected
    /// A publisher waits for the answer, or publishes.
    case publishing(streamID: UInt32)
  }

  private var handshake: ServerHandshake
  private var reader = ChunkReader()
  private var writer = ChunkWriter()
  private var state = State.connecting
  private var application = ""
  private var lastStreamID: UInt32 = 0
  /// The peer wants an acknowledgement after this number of bytes.
  private var window = Self.usualWindow
  private var acknowledgedCount = 0

  private static let usualWindow = 2_500_000
  private static let smallestWindow = 4_096
  /// The size of our chunks: no message that we send is longer.
  private static let chunkSize = 4_096
  /// The chunk streams of protocol messages and of commands.
  private static let (protocolStream, commandStream): (UInt8, UInt8) = (2, 3)
  /// Events of user control messages.
  private static let (streamBegin, pingRequest, pingResponse): (UInt16, UInt16, UInt16) = (0, 6, 7)

  /// A connection that has just been opened.
  ///
  /// - Parameter seed: The seed of the handshake's random bytes.
  package init(seed: UInt64) { handshake = ServerHandshake(seed: seed) }

  /// Receives the next bytes.
  ///
  /// - Throws: `ParseError` if the peer breaks the protocol or exceeds its limits. The connection cannot be used any more.
  package mutating func receive(_ bytes: Span<UInt8>) throws(ParseError) -> [Action] {
    var actions: [Action] = []
    var taken = 0
    if !handshake.isComplete {
      let (answer, count) = try handshake.push(bytes)
      if !answer.isEmpty { actions.append(.send(answer)) }
      taken = count
    }
    for message in try reader.push(bytes.extracting(droppingFirst: taken)) { try receive(message, &actions) }
    if reader.byteCount - acknowledgedCount >= window {
      acknowledgedCount = reader.byteCount
      actions.append(.send(try control(RTMPMessage.Kind.acknowledgement, UInt32(truncatingIfNeeded: reader.byteCount))))
    }
    return actions
  }

  // MARK: The answer to a publisher

  /// Accepts the publisher. Returns the bytes to send.
  package func accept(_ request: PublishRequest) throws(ParseError) -> [UInt8] {
    try event(Self.streamBegin, request.streamID)
      + status("status", "NetStream.Publish.Start", "The stream is being published.", request.streamID)
  }

  /// Refuses the publisher. Returns the bytes to send before the connection is closed.
  package func refuse(_ request: PublishRequest, _ refusal: PublishRefusal) throws(ParseError) -> [UInt8] {
    try status("error", refusal.status.code, refusal.status.description, request.streamID)
  }

  // MARK: Messages

  private mutating func receive(_ message: RTMPMessage, _ actions: inout [Action]) throws(ParseError) {
    switch message.kind {
    case RTMPMessage.Kind.windowSize:
      var fields = ByteReader(message.payload.view)
      window = max(Int(try fields.readUInt32()), Self.smallestWindow)
    case RTMPMessage.Kind.userControl: if let answer = try pong(message.payload) { actions.append(.send(answer)) }
    case RTMPMessage.Kind.command: try command(message, message.payload.view, &actions)
    case RTMPMessage.Kind.commandAMF3: try command(message, Self.withoutFormat(message.payload), &actions)
    case RTMPMessage.Kind.video, RTMPMessage.Kind.audio:
      if isPublishing(message.streamID), !message.payload.isEmpty { actions.append(.media(message)) }
    case RTMPMessage.Kind.data: if isPublishing(message.streamID) { data(message.payload.view, &actions) }
    case RTMPMessage.Kind.dataAMF3: if isPublishing(message.streamID) { data(Self.withoutFormat(message.payload), &actions) }
    default: break
    }
  }

  private func isPublishing(_ streamID: UInt32) -> Bool { if case .publishing(streamID) = state { true } else { false } }

  /// All encoders write messages of AMF 3 as a byte of 0, followed by AMF 0.
  @_lifetime(borrow payload)
  private static func withoutFormat(_ payload: borrowing [UInt8]) -> Span<UInt8> {
    let bytes = payload.view
    return bytes.count > 0 && bytes[0] == 0 ? bytes.extracting(droppingFirst: 1) : bytes
  }

  private func pong(_ payload: [UInt8]) throws(ParseError) -> [UInt8]? {
    var fields = ByteReader(payload.view)
    guard try fields.readUInt16() == Self.pingRequest else { return nil }
    return try event(Self.pingResponse, try fields.readUInt32())
  }

  /// A user control message.
  private func event(_ type: UInt16, _ value: UInt32) throws(ParseError) -> [UInt8] {
    var payload = ByteWriter()
    payload.writeUInt16(type)
    payload.writeUInt32(value)
    return try writer.chunks(RTMPMessage(kind: RTMPMessage.Kind.userControl, payload: payload.bytes), on: Self.protocolStream)
  }

  /// Metadata and data. Damage is reported, and the stream continues without them.
  private func data(_ bytes: Span<UInt8>, _ actions: inout [Action]) {
    do throws(ParseError) {
      var values = try AMF0Value.values(bytes)[...]
      if values.first?.string == "@setDataFrame" { values = values.dropFirst() }
      guard let name = values.popFirst()?.string else { return }
      switch name {
      case "onMetaData": if let value = values.first { actions.append(.metadata(value)) }
      case "@clearDataFrame": break
      default: actions.append(.data(name: name, Array(values)))
      }
    } catch {
      actions.append(.damagedData(error))
    }
  }

  // MARK: Commands

  private mutating func command(_ message: RTMPMessage, _ bytes: Span<UInt8>, _ actions: inout [Action]) throws(ParseError) {
    let values = try AMF0Value.values(bytes)
    guard let name = values.first?.string else { throw ParseError(.invalid("a command without a name"), at: 0) }
    let transaction = values.dropFirst().first?.number ?? 0
    switch (name, state) {
    case ("connect", .connecting):
      application = values.dropFirst(2).first?["app"]?.string ?? ""
      state = .connected
      actions.append(.send(try connected(transaction, values.dropFirst(2).first)))
    case (_, .connecting): throw ParseError(.invalid("the command \(name) before connect"), at: 0)
    case ("createStream", _):
      lastStreamID = lastStreamID == .max ? 1 : lastStreamID + 1
      actions.append(.send(try answer("_result", transaction, [.null, .number(Double(lastStreamID))])))
    case ("publish", .connected):
      state = .publishing(streamID: message.streamID)
      actions.append(.publish(PublishRequest(application: application, written: values.dropFirst(3).first?.string ?? "", message.streamID)))
    case ("publish", .publishing), ("play", _), ("play2", _):
      let code = name == "publish" ? "NetStream.Publish.BadName" : "NetStream.Play.Failed"
      let description = name == "publish" ? "A connection has one stream." : "This server is for publishers."
      actions.append(.send(try status("error", code, description, message.streamID)))
    case ("FCPublish", _):
      let status = AMF0Value.object([.init("code", .string("NetStream.Publish.Start"))])
      actions.append(.send(try answer("_result", transaction, [.null, .undefined]) + answer("onFCPublish", 0, [.null, status])))
    case ("deleteStream", .publishing(let streamID)):
      if values.dropFirst(3).first?.number.map({ $0 == Double(streamID) }) ?? true { end(&actions) }
    case ("closeStream", .publishing(message.streamID)), ("FCUnpublish", .publishing): end(&actions)
    default:
      // Other commands that expect an answer, such as releaseStream or a check of the bandwidth, get an empty one.
      if transaction != 0 { actions.append(.send(try answer("_result", transaction, [.null, .undefined]))) }
    }
  }

  private mutating func end(_ actions: inout [Action]) {
    state = .connected
    actions.append(.end)
  }

  /// Answers `connect`: the window, the chunk size, and success.
  private mutating func connected(_ transaction: Double, _ wanted: AMF0Value?) throws(ParseError) -> [UInt8] {
    var bandwidth = ByteWriter()
    bandwidth.writeUInt32(UInt32(Self.usualWindow))
    // A limit that the peer may change (dynamic).
    bandwidth.writeUInt8(2)
    var bytes = try control(RTMPMessage.Kind.windowSize, UInt32(Self.usualWindow))
    bytes += try writer.chunks(RTMPMessage(kind: RTMPMessage.Kind.peerBandwidth, payload: bandwidth.bytes), on: Self.protocolStream)
    bytes += try control(RTMPMessage.Kind.setChunkSize, UInt32(Self.chunkSize))
    writer.chunkSize = Self.chunkSize
    let properties = AMF0Value.object([.init("fmsVer", .string("FMS/3,0,1,123")), .init("capabilities", .number(31))])
    var information: [AMF0Value.Member] = [
      .init("level", .string("status")), .init("code", .string("NetConnection.Connect.Success")),
      .init("description", .string("Connection succeeded.")),
      .init("objectEncoding", .number(wanted?["objectEncoding"]?.number ?? 0)),
    ]
    // Enhanced RTMP: the codecs of both sides.
    if wanted?["fourCcList"] != nil { information.append(.init("fourCcList", .list(FourCC.carried.map { .string($0) }))) }
    return try bytes + answer("_result", transaction, [properties, .object(information)])
  }

  private func status(_ level: String, _ code: String, _ description: String, _ streamID: UInt32) throws(ParseError) -> [UInt8] {
    let information = AMF0Value.object([
      .init("level", .string(level)), .init("code", .string(code)), .init("description", .string(description)),
    ])
    return try answer("onStatus", 0, [.null, information], streamID)
  }

  private func answer(_ name: String, _ transaction: Double, _ values: [AMF0Value], _ streamID: UInt32 = 0) throws(ParseError) -> [UInt8] {
    let payload = try AMF0Value.encode([.string(name), .number(transaction)] + values)
    return try writer.chunks(RTMPMessage(kind: RTMPMessage.Kind.command, streamID: streamID, payload: payload), on: Self.commandStream)
  }

  private func control(_ kind: UInt8, _ value: UInt32) throws(ParseError) -> [UInt8] {
    var payload = ByteWriter()
    payload.writeUInt32(value)
    return try writer.chunks(RTMPMessage(kind: kind, payload: payload.bytes), on: Self.protocolStream)
  }
}
