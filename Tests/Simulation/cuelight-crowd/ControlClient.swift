import Basics
import NIOCore

/// Asks the server which game there is, how far it has come and what it has recorded. The calling thread waits for the answers.
struct ControlClient: Sendable {
  /// An answer that is not the one that was wanted.
  struct Refusal: Error, CustomStringConvertible, Sendable {
    /// The status; `nil` where there was no whole response.
    var status: Int?
    var description: String

    /// Whether it may be another one later.
    var isPassing: Bool { status.map { $0 == 429 || $0 >= 500 } ?? true }
  }

  private let connection: NIOLoopBound<ControlConnection>
  private let server: ServerAddress

  init(_ server: ServerAddress, _ address: SocketAddress, on loop: any EventLoop) throws(CrowdFailure) {
    self.server = server
    connection = try loop.waiting { NIOLoopBound(ControlConnection(loop, address), eventLoop: loop) }
  }

  /// The object at a path.
  func object(_ path: String, token: String? = nil) throws(Refusal) -> JSONObject {
    let body = try get(path, token, .seconds(10), nil)
    guard let object = (try? JSONValue(parsing: body.readableBytesUInt8Span))?.object else {
      throw Refusal(description: "\(path): the response is no JSON object")
    }
    return object
  }

  /// Gives a long body to a function piece by piece; it is called on another thread.
  func stream(_ path: String, token: String, _ take: @escaping @Sendable (ByteBuffer) -> Void) throws(Refusal) {
    // The server may have to collect it first.
    _ = try get(path, token, .seconds(120), take)
  }

  private func get(
    _ path: String, _ token: String?, _ patience: TimeAmount, _ take: (@Sendable (ByteBuffer) -> Void)?
  ) throws(Refusal) -> ByteBuffer {
    let request = RequestWriter.get(path, from: server, token: token)
    let answer: ControlConnection.Answer
    do {
      answer = try connection.eventLoop.flatSubmit { [connection] in
        connection.value.ask(request, patience: patience, take: take)
      }.wait()
    } catch {
      throw Refusal(description: "\(path): \(error)")
    }
    guard answer.status == 200 else {
      let problem = (try? JSONValue(parsing: answer.body.readableBytesUInt8Span))?.object
      let detail = problem?["detail"]?.string.map { ": \($0.visible(.text))" } ?? ""
      throw Refusal(status: answer.status, description: "\(path): status \(answer.status)\(detail)")
    }
    return answer.body
  }
}
