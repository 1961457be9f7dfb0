import Basics
import NIOCore

/// A keep-alive connection of a squad with one request in flight; its players wait in a queue.
///
/// Where the server closes it, it is opened again as soon as a player needs it.
final class PlayerConnection: ResponseReceiver {
  /// Its place in the squad.
  let index: Int
  /// Both live as long as the process: what a connection hears while it is closed at the end must still find its squad.
  private let squad: Squad
  private var handler: ResponseHandler?
  /// Whether it is being opened, or waits to be.
  private var isOpening = false
  /// How often in a row it could not be opened.
  private var failures = 0
  private var waiting = Queue<Sending>()
  /// The request whose turn it is.
  private var current: Sending?
  /// Whether its response is awaited.
  private var isWritten = false
  private var writtenAt = NIODeadline.now()
  private var request = ByteBuffer()
  private var head: ResponseHead?
  private var body: ByteBuffer?

  private static let mostFailures = 60
  private static let largestBody = 64 << 10
  /// How long a response may take.
  private static let patience = TimeAmount.seconds(30)

  init(index: Int, squad: Squad) { (self.index, self.squad) = (index, squad) }

  // MARK: Requests

  func add(_ sending: Sending) {
    waiting.append(sending)
    proceed()
  }

  private func proceed() {
    while !isWritten {
      if current == nil { current = waiting.popFirst() }
      guard let sending = current else { return }
      guard let handler else { return open() }
      let now = NIODeadline.now()
      request.clear()
      guard squad.write(sending, at: now, into: &request) else {
        current = nil
        continue
      }
      (writtenAt, isWritten) = (now, true)
      handler.send(request)
    }
  }

  /// Looks whether a response takes too long: then the connection is as good as closed.
  func check(_ now: NIODeadline) {
    guard isWritten, now - writtenAt > Self.patience else { return }
    abandon("no response for \(Self.patience.nanoseconds / 1_000_000_000) s")
  }

  /// Closes the connection for good.
  func stop() {
    handler?.close()
    handler = nil
  }

  private func abandon(_ reason: String) {
    handler?.close()
    connectionClosed(reason)
  }

  // MARK: The connection

  private func open() {
    guard !isOpening else { return }
    isOpening = true
    squad.open(self)
  }

  func connectionOpened(_ handler: ResponseHandler) {
    (self.handler, isOpening, failures) = (handler, false, 0)
    squad.openingEnded()
    proceed()
  }

  func connectionFailed(_ reason: String) {
    squad.openingEnded()
    squad.note(failure: reason)
    failures += 1
    guard failures >= Self.mostFailures else { return squad.openLater(self) }
    // Nobody is there: without an end to it, a run would never end.
    (isOpening, failures) = (false, 0)
    while let sending = current ?? waiting.popFirst() {
      current = nil
      squad.giveUp(sending)
    }
  }

  func connectionClosed(_ reason: String) {
    (handler, head, body) = (nil, nil, nil)
    squad.noteClosing(reason, isIdle: !isWritten)
    guard isWritten, var sending = current else { return proceed() }
    isWritten = false
    if sending.isResent {
      current = nil
      squad.giveUp(sending)
    } else {
      sending.isResent = true
      current = sending
      squad.noteResending(sending)
    }
    proceed()
  }

  // MARK: Responses

  func received(_ piece: ResponseParser.Piece) {
    switch piece {
    case .head(let head):
      guard isWritten else { return abandon("a response that nobody has asked for") }
      self.head = head
    case .body(var bytes):
      guard (body?.readableBytes ?? 0) + bytes.readableBytes <= Self.largestBody else { return abandon("a response that is too long") }
      if body == nil { body = bytes } else { body?.writeBuffer(&bytes) }
    case .end:
      guard let sending = current, let head else { return }
      let (elapsed, body) = (NIODeadline.now() - writtenAt, body)
      (current, isWritten, self.head, self.body) = (nil, false, nil, nil)
      if head.closes {
        handler?.close()
        handler = nil
      }
      squad.finish(sending, head.status, body, after: elapsed)
      proceed()
    }
  }
}
