import Basics
import LiveGame
import LiveSession
import NIOCore
import RTMP
import WebSupport

/// The connection of a publisher.
final class PublisherHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Connections that have not begun to publish after this time are closed, and so are those that publish but send nothing for this long.
  static let patience = TimeAmount.seconds(10)
  /// How often a connection is checked.
  private static let interval = TimeAmount.seconds(1)
  private static let crowdNotice = "there are too many connections to RTMP: the oldest that does not publish is closed"
  /// The maximum number of kinds of data that are reported to the operator.
  private static let mostTold = 16

  private let places: PublishedPlaces
  private let connections: PublisherConnections
  private let mayPublish: @Sendable (_ key: String, _ isLocal: Bool) -> Bool
  private var session = PublisherSession(seed: .random(in: .min ... .max))
  private var channel: (any Channel)?
  private var publication: (inbox: PublisherInbox, number: Int, program: PublishedProgram)?
  private var lastUse = NIODeadline.now()
  private var timer: Scheduled<Void>?
  private var isCounted = false
  private var isClosing = false
  /// The kinds of data that were reported, each once.
  private var told: [String] = []

  init(
    _ places: PublishedPlaces, _ connections: PublisherConnections,
    mayPublish: @escaping @Sendable (_ key: String, _ isLocal: Bool) -> Bool
  ) {
    (self.places, self.connections, self.mayPublish) = (places, connections, mayPublish)
  }

  // MARK: The connection

  func channelActive(context: ChannelHandlerContext) {
    channel = context.channel
    let (isOpen, closing) = connections.open(context.channel, from: context.remoteAddress?.ipAddress)
    isCounted = isOpen
    for channel in closing { channel.close(promise: nil) }
    if !closing.isEmpty || !isOpen { places.now.first?.tell(Self.crowdNotice) }
    guard isCounted else { return context.close(promise: nil) }
    lastUse = context.eventLoop.now
    watch(context)
    context.read()
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosing = true
    timer?.cancel()
    if isCounted { connections.close(context.channel) }
    finish()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { close(context) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    do throws(ParseError) {
      for action in try session.receive(bytes.span) {
        try perform(action, context)
        guard !isClosing else { return }
      }
      handOn(context)
    } catch {
      publication?.inbox.tell("a publisher breaks the protocol, and is cut off: \(error)")
      close(context)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.flush()
    readOn(context)
  }

  private func readOn(_ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    guard let publication else { return context.read() }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    publication.inbox.whenThereIsRoom { [loop = context.eventLoop] in
      loop.execute {
        let (handler, context) = bound.value
        if !handler.isClosing { context.read() }
      }
    }
  }

  private func watch(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: Self.interval) {
      let (handler, context) = bound.value
      guard context.eventLoop.now - handler.lastUse < Self.patience else { return handler.close(context) }
      handler.watch(context)
    }
  }

  private func close(_ context: ChannelHandlerContext) {
    isClosing = true
    finish()
    context.close(promise: nil)
  }

  // MARK: The stream

  private func perform(_ action: PublisherSession.Action, _ context: ChannelHandlerContext) throws(ParseError) {
    switch action {
    case .send(let bytes): send(bytes, context)
    case .publish(let request): try begin(request, context)
    case .media(let message):
      lastUse = context.eventLoop.now
      publication?.program.receive(message)
    case .metadata(let value): publication?.program.receive(metadata: value)
    case .data(let name, let values): receive(name, values, context)
    case .damagedData(let error): tell("data of a publisher cannot be read: \(error)")
    case .end: finish()
    }
  }

  private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
  }

  private func begin(_ request: PublishRequest, _ context: ChannelHandlerContext) throws(ParseError) {
    finish()
    let inboxes = places.now
    guard let inbox = inboxes.first(where: { $0.address.application.hasSameBytes(as: request.application) }) else {
      let known = inboxes.map(\.address.text).joined(separator: ", ")
      inboxes.first?.tell("a publisher was refused: there is no application \(request.application.visible(.text)), but \(known)")
      return try refuse(request, .unknownApplication, context)
    }
    guard mayPublish(request.key, context.remoteAddress?.isLocal ?? true) else {
      inbox.tell("a publisher with a wrong stream key was refused")
      return try refuse(request, .wrongKey, context)
    }
    guard let number = inbox.begin() else {
      inbox.tell("a second publisher was refused")
      return try refuse(request, .isPublished, context)
    }
    publication = (inbox, number, PublishedProgram(version: UInt8(truncatingIfNeeded: number)))
    connections.setPublishing(context.channel, true)
    lastUse = context.eventLoop.now
    send(try session.accept(request), context)
  }

  private func refuse(_ request: PublishRequest, _ refusal: PublishRefusal, _ context: ChannelHandlerContext) throws(ParseError) {
    isClosing = true
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(bytes: try session.refuse(request, refusal))))
      .whenComplete { _ in channel.close(promise: nil) }
  }

  /// Receives data of the publisher, which may be an event. The frames that arrived before are passed on first.
  private func receive(_ name: String, _ values: [AMF0Value], _ context: ChannelHandlerContext) {
    handOn(context)
    guard let publication, !isClosing else { return }
    do throws(ForeignEvent.DataProblem) {
      let event = try ForeignEvent(data: name, values)
      if !publication.inbox.add([], events: [event], of: publication.number) { close(context) }
    } catch {
      tell("\(error)")
    }
  }

  private func tell(_ notice: String) {
    guard told.count < Self.mostTold, !told.contains(notice) else { return }
    told.append(notice)
    publication?.inbox.tell(notice)
  }

  /// Passes on the frames that were read. A publisher that another one has replaced is disconnected.
  private func handOn(_ context: ChannelHandlerContext) {
    guard let (inbox, number) = publication.map({ ($0.inbox, $0.number) }) else { return }
    let packets = publication?.program.take() ?? []
    let notices = (publication?.program.takeNotices() ?? []).map { "\($0)" }
    guard !packets.isEmpty || !notices.isEmpty else { return }
    if !inbox.add(packets, notices: notices, of: number) { close(context) }
  }

  private func finish() {
    guard let (inbox, number, last) = publication.take() else { return }
    channel.map { connections.setPublishing($0, false) }
    var program = last
    program.finish()
    _ = inbox.add(program.take(), of: number)
    inbox.end(number)
  }
}
