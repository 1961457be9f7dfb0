import AccessTokens
import Basics
import GameStore
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import WebSupport

/// The short path of answers: takes them out of the connection before the web server's router sees them, which is three times as fast.
///
/// Everything else passes through. An answer that arrives while another request of the connection is being processed, as with pipelining, takes the
/// long path or waits, so that replies stay in order.
final class AnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let api: GameAPI
  private var state = AnswerState.passing(requests: 0)
  /// The part of the incoming answer's body that has arrived: its memory is reused.
  private var body: [UInt8] = []

  private static let prefix = Array("/v1/games/".utf8)
  private static let suffix = Array("/answers".utf8)

  init(_ api: GameAPI) { self.api = api }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    if !state.hold(part) { take(part, context) }
  }

  /// Stops reading while an answer waits, so that a client cannot fill the memory.
  func read(context: ChannelHandlerContext) { if !state.holdRead() { context.read() } }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed as ChannelEvent where state.holdEnd(): break
    case is ChannelShouldQuiesceEvent where state.makeLast(): break
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { if !state.hold(error) { context.fireErrorCaught(error) } }

  private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    switch part {
    case .head(let request):
      // A game that is not in memory may be in the store: that takes the long path.
      if state.isIdle, request.method == .post, Self.isAnswer(request.path), let game = game(of: request.path) {
        body.removeAll(keepingCapacity: true)
        return state.beginReading(AnswerState.Incoming(request: request, game: game))
      }
      state.pass()
    case .body(let bytes):
      if case .reading = state {
        if body.count + bytes.readableBytes <= AnswerReading.largestBody { body += bytes.readableBytesView } else { state.noteTooLarge() }
        return
      }
    case .end:
      if let incoming = state.endReading() { return answer(incoming, context) }
    }
    context.fireChannelRead(wrapInboundOut(part))
  }

  private static func isAnswer(_ path: String?) -> Bool {
    guard let path = path?.utf8 else { return false }
    return path.count > prefix.count + suffix.count && path.starts(with: prefix) && path.suffix(suffix.count).elementsEqual(suffix)
  }

  /// The game of a path of answers, if it is in memory.
  private func game(of path: String?) -> GameRunner? {
    guard let id = path?.utf8.dropFirst(Self.prefix.count).dropLast(Self.suffix.count) else { return nil }
    return String(id).flatMap { api.directory.game($0) }
  }

  private func answer(_ incoming: AnswerState.Incoming, _ context: ChannelHandlerContext) {
    let (request, game) = (incoming.request, incoming.game)
    do throws(Problem) {
      guard !incoming.isTooLarge else { throw .tooLarge(AnswerReading.largestBody) }
      let (requests, player) = try api.submission(try api.token(request.headerFields), body, game)
      state.beginStoring(isLast: incoming.isLast)
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      let loop = context.eventLoop
      @Sendable func finish(_ outcome: AnswerDesk.Outcome) {
        let (handler, context) = bound.value
        handler.finish(outcome, receipts: game.receipts(requests, of: player, outcome), request, context)
      }
      // Calls back at once if nothing had to be stored.
      game.desk.take(requests, of: player) { outcome in if loop.inEventLoop { finish(outcome) } else { loop.execute { finish(outcome) } } }
    } catch {
      write(error.answer, request, isLast: incoming.isLast, context)
    }
  }

  private func finish(_ outcome: AnswerDesk.Outcome, receipts: [JSONObject?], _ request: HTTPRequest, _ context: ChannelHandlerContext) {
    let held = state.endStoring()
    guard context.channel.isActive else { return }
    let answer: Answer
    do throws(Problem) { answer = try AnswerReading.answer(outcome, receipts: receipts) } catch { answer = error.answer }
    write(answer, request, isLast: held.isLast, context)
    // No further request is answered after the last reply.
    let parts = held.isLast ? [] : held.parts
    for (index, part) in parts.enumerated() {
      guard !state.holdAgain(held, from: index) else { return }
      take(part, context)
    }
    guard !state.holdAgain(held, from: parts.endIndex) else { return }
    if !parts.isEmpty { context.fireChannelReadComplete() }
    if let error = held.error { context.fireErrorCaught(error) }
    if held.hasEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    if held.wantsRead { context.read() }
  }

  private func write(_ answer: Answer, _ request: HTTPRequest, isLast: Bool, _ context: ChannelHandlerContext) {
    var fields = HTTPFields()
    fields[.contentType] = answer.contentType
    fields[.contentLength] = "\(answer.body.count)"
    for (name, value) in answer.headers { fields[name] = value }
    if let origin = request.headerFields[.origin] { fields.allowOrigin(origin) }
    let closes = isLast || request.headerFields[.connection]?.lowercased() == "close"
    if closes { fields[.connection] = "close" }
    context.write(wrapOutboundOut(.head(HTTPResponse(status: answer.status, headerFields: fields))), promise: nil)
    context.write(wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: answer.body))), promise: nil)
    let promise: EventLoopPromise<Void>? = closes ? context.eventLoop.makePromise() : nil
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    if closes {
      let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
      promise?.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
    }
  }

  // MARK: Replies

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { state.noteReply() }
    context.write(data, promise: promise)
  }
}

extension GameAPI {
  /// The token of a call; `nil` if it has none.
  ///
  /// - Throws: `Problem` if this server has not made the token, or if it has expired.
  func token(_ headers: HTTPFields) throws(Problem) -> AccessToken? {
    guard let text = headers.bearerToken else { return nil }
    do throws(AccessToken.Mistake) { return try tokens.token(text, now: Self.now) } catch {
      switch error {
      case .expired: throw .expired
      case .unknown: throw .unauthorized
      }
    }
  }
}
