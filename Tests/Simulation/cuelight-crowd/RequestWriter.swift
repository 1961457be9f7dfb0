import Basics
import NIOCore

/// Writes requests: the bytes that are the same for all are made once.
struct RequestWriter: Sendable {
  private let game: String
  private let authority: String
  /// A request with an answer up to the length of its body, and from there to the token.
  private let answerStart: ByteBuffer
  private let authorization = ByteBuffer(string: "\r\nAuthorization: Bearer ")
  private let headEnd = ByteBuffer(string: "\r\n\r\n")
  private let timeKey = ByteBuffer(string: ",\"at\":")
  private let bodyEnd = ByteBuffer(string: "}]}")

  /// How many decimals times have: with six, the same tick is read back.
  private static let decimals = 6

  /// - Parameter game: The game's name, as it is in paths.
  init(_ server: ServerAddress, game: String) {
    (self.game, authority) = (game, server.authority)
    answerStart = ByteBuffer(
      string: "POST /v1/games/\(game)/answers HTTP/1.1\r\nHost: \(server.authority)\r\nContent-Type: application/json\r\nContent-Length: ")
  }

  /// Whether a text can stand in a header as a token.
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 4_096 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// A request without a body.
  static func get(_ path: String, from server: ServerAddress, token: String?) -> ByteBuffer {
    let authorization = token.map { "\r\nAuthorization: Bearer \($0)" } ?? ""
    return ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: \(server.authority)\(authorization)\r\n\r\n")
  }

  func join(nickname: String, key: String, into buffer: inout ByteBuffer) {
    let body = "{\"nickname\":\(JSONValue.string(nickname).text)}"
    buffer.writeString("PUT /v1/games/\(game)/players/\(key) HTTP/1.1\r\nHost: \(authority)\r\nContent-Type: application/json\r\n")
    buffer.writeString("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// The body of an answer to a question, up to the answer.
  static func answerStart(question: String) -> ByteBuffer {
    ByteBuffer(string: "{\"answers\":[{\"question\":\(JSONValue.string(question).text),\"answer\":")
  }

  /// - Parameters:
  ///   - start: The body up to the answer.
  ///   - answer: As JSON.
  ///   - time: Not below 0.
  func answer(_ start: ByteBuffer, _ answer: ByteBuffer, at time: MediaTime, token: String, into buffer: inout ByteBuffer) {
    let (seconds, ticks) = time.ticks.quotientAndRemainder(dividingBy: MediaTime.ticksPerSecond)
    let microseconds = (ticks * 1_000_000 + MediaTime.ticksPerSecond / 2) / MediaTime.ticksPerSecond
    let timeLength = seconds.decimalWidth + 1 + Self.decimals
    buffer.writeImmutableBuffer(answerStart)
    buffer.writeDecimal(Int64(start.readableBytes + answer.readableBytes + timeKey.readableBytes + timeLength + bodyEnd.readableBytes))
    buffer.writeImmutableBuffer(authorization)
    buffer.writeString(token)
    buffer.writeImmutableBuffer(headEnd)
    buffer.writeImmutableBuffer(start)
    buffer.writeImmutableBuffer(answer)
    buffer.writeImmutableBuffer(timeKey)
    buffer.writeDecimal(seconds)
    buffer.writeInteger(UInt8(ascii: "."))
    buffer.writeDecimal(microseconds, width: Self.decimals)
    buffer.writeImmutableBuffer(bodyEnd)
  }
}

extension Int64 {
  /// How many decimal digits a number has that is not negative.
  fileprivate var decimalWidth: Int {
    var (rest, width) = (self, 1)
    while rest >= 10 {
      rest /= 10
      width += 1
    }
    return width
  }
}

extension ByteBuffer {
  /// Writes a number that is not negative, with zeros in front up to a width. A string would be made and thrown away for each.
  fileprivate mutating func writeDecimal(_ value: Int64, width: Int = 1) {
    var divisor: Int64 = 1
    for _ in 1..<Swift.max(value.decimalWidth, width, 1) { divisor *= 10 }
    while divisor > 0 {
      writeInteger(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }
}
