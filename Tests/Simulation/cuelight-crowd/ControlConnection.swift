import NIOCore

/// A keep-alive connection for what no player asks, one request at a time. A request that fails is not tried again: whoever asks knows better.
final class ControlConnection: ResponseReceiver {
  /// A response with its body.
  struct Answer: Sendable {
    var status: Int
    var body: ByteBuffer
  }

  /// What is asked, and who waits for it.
  private struct Pending {
    var request: ByteBuffer
    var promise: EventLoopPromise<Answer>
    /// How long the server may say nothing.
    var patience: TimeAmount
    /// Takes the body of a response of status 200 piece by piece, where it is too long to be kept.
    var take: (@Sendable (ByteBuffer) -> Void)?
    var status = 0
    var body = ByteBuffer()
  }

  private let loop: any EventLoop
  private let address: SocketAddress
  private var handler: ResponseHandler?
  private var isOpening = false
  private var pending: Pending?
  private var closes = false
  private var timer: Scheduled<Void>?

  private static let bufferSize = 64 << 10
  private static let largestBody = 1 << 20

  init(_ loop: any EventLoop, _ address: SocketAddress) { (self.loop, self.address) = (loop, address) }

  /// Sends a request.
  func ask(_ request: ByteBuffer, patience: TimeAmount, take: (@Sendable (ByteBuffer) -> Void)?) -> EventLoopFuture<Answer> {
    let promise = loop.makePromise(of: Answer.self)
    guard pending == nil else {
      promise.fail(CrowdFailure("one request at a time"))
      return promise.futureResult
    }
    pending = Pending(request: request, promise: promise, patience: patience, take: take)
    wait()
    if let handler {
      handler.send(request)
    } else if !isOpening {
      isOpening = true
      ResponseHandler.connect(self, to: address, on: loop, bufferSize: Self.bufferSize)
    }
    return promise.futureResult
  }

  /// Begins to wait anew for a sign of the server.
  private func wait() {
    timer?.cancel()
    guard let patience = pending?.patience else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    timer = loop.scheduleTask(in: patience) { bound.value.fail("no response for \(patience.nanoseconds / 1_000_000_000) s") }
  }

  private func fail(_ reason: String) {
    handler?.close()
    handler = nil
    end(.failure(CrowdFailure(reason)))
  }

  private func end(_ result: Result<Answer, any Error>) {
    timer?.cancel()
    timer = nil
    let promise = pending?.promise
    pending = nil
    promise?.completeWith(result)
  }

  // MARK: The connection

  func connectionOpened(_ handler: ResponseHandler) {
    (self.handler, isOpening) = (handler, false)
    if let pending { handler.send(pending.request) }
  }

  func connectionFailed(_ reason: String) {
    isOpening = false
    end(.failure(CrowdFailure(reason)))
  }

  func connectionClosed(_ reason: String) {
    handler = nil
    end(.failure(CrowdFailure(reason)))
  }

  func received(_ piece: ResponseParser.Piece) {
    guard pending != nil else { return fail("a response that nobody has asked for") }
    switch piece {
    case .head(let head):
      pending?.status = head.status
      closes = head.closes
      wait()
    case .body(let bytes): receive(bytes)
    case .end:
      guard let pending else { return }
      if closes {
        handler?.close()
        handler = nil
      }
      end(.success(Answer(status: pending.status, body: pending.body)))
    }
  }

  private func receive(_ bytes: ByteBuffer) {
    wait()
    if pending?.status == 200, let take = pending?.take { return take(bytes) }
    guard (pending?.body.readableBytes ?? 0) + bytes.readableBytes <= Self.largestBody else { return fail("a response that is too long") }
    pending?.body.writeImmutableBuffer(bytes)
  }
}
