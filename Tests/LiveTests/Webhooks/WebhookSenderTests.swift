import Basics
import Foundation
import HTTPClient
import LiveSession
import Synchronization
import TestSupport
import Testing

@testable import Webhooks

@Suite(.enabled(if: HostileServer.isAvailable)) struct WebhookSenderTests {
  private static let secretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  /// A request that a receiver has got.
  private struct Received: Equatable {
    var id: String
    var body: String
  }

  private static func hook(_ url: String, _ events: Set<WebhookEvent> = [.input, .game]) throws -> WebhookSettings {
    try WebhookSettings(url: url, secret: WebhookSecret(parsing: secretText), events: events)
  }

  private static func number(_ number: Int) -> JSONObject { JSONObject(fields: ["number": number]) }

  /// The requests that a server has got, each of which is signed.
  private static func received(_ server: HostileServer) throws -> [Received] {
    let answer = try WebAnswer(to: WebRequest(url: server.url("/-/sent")), limits: NetworkLimits())
    let secret = try WebhookSecret(parsing: secretText)
    return try String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map { line in
      let parts = line.components(separatedBy: " | ")
      func field(_ name: String) throws -> String {
        try #require(parts.first { $0.hasPrefix("\(name): ") }).components(separatedBy: ": ").dropFirst().joined(separator: ": ")
      }
      let (id, body, time) = (try field("webhook-id"), try #require(parts.last), try #require(Int64(field("webhook-timestamp"))))
      #expect(try field("Content-Type") == "application/json")
      try secret.verify(
        id: id, timestamp: time, body: Array(body.utf8), signatures: field("webhook-signature"), tolerance: 0, now: time)
      return Received(id: id, body: body)
    }
  }

  /// Waits for so many requests.
  private static func received(_ server: HostileServer, _ count: Int) async throws -> [Received] {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      let received = try received(server)
      if received.count >= count || .now > end { return received }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private static func numbers(_ received: [Received]) -> [Int?] {
    received.map { (try? JSONValue(parsing: $0.body))?.object?["data"]?.object?["number"]?.int(in: .counts) }
  }

  /// Only what a webhook wants, in order.
  @Test func delivery() async throws {
    let server = try HostileServer()
    let sender = try WebhookSender([Self.hook(server.url("/bytes/0"))], folder: nil) { _ in }
    sender.start()
    for number in 0..<20 { sender.note(number % 2 == 0 ? .input : .disk, stream: "s", Self.number(number)) }
    let received = try await Self.received(server, 10)
    sender.stop()
    #expect(Self.numbers(received) == stride(from: 0, to: 20, by: 2).map { $0 } && Set(received.map(\.id)).count == 10)
    let message = try #require(received.first)
    let first = try #require(try JSONValue(parsing: message.body).object)
    #expect(first["type"] == .string("input") && first["stream"] == .string("s") && first["timestamp"]?.string != nil)
  }

  /// A receiver that fails gets the same message again, with the same identifier, and only then the next one. The operator hears of it once.
  @Test func failure() async throws {
    let server = try HostileServer()
    let said = Notes()
    let sender = try WebhookSender([Self.hook(server.url("/bytes/0?status=500&times=1"))], folder: nil) { said.add($0) }
    sender.start()
    for number in 0..<3 { sender.note(.input, stream: "s", Self.number(number)) }
    let received = try await Self.received(server, 4)
    sender.stop()
    #expect(Self.numbers(received) == [0, 0, 1, 2])
    #expect(received.first == received.dropFirst().first)
    let name = server.url("/bytes/0")
    #expect(
      said.all == [
        "the webhook \(name) does not take messages: HTTP 500; they are tried again for a day", "the webhook \(name) takes messages again",
      ])
  }

  /// What was not taken before the end is sent after the next start.
  @Test func restart() async throws {
    let (server, folder) = (try HostileServer(), try Workshop.newFolder())
    let hook = try Self.hook(server.url("/bytes/0?hang=1&times=1"))
    let first = try WebhookSender([hook], folder: folder) { _ in }
    first.start()
    for number in 0..<3 { first.note(.input, stream: "s", Self.number(number)) }
    // However far the first sender has come, nothing was taken.
    first.stop()
    let second = try WebhookSender([hook], folder: folder) { _ in }
    #expect(second.waitingCount == 3)
    second.start()
    second.note(.input, stream: "s", Self.number(3))
    var received = try await Self.received(server, 4)
    while !Self.numbers(received).contains(3) { received = try await Self.received(server, received.count + 1) }
    second.stop()
    // A message that was tried before the end comes again.
    var numbers = Self.numbers(received)
    if numbers.starts(with: [0, 0]) { numbers.removeFirst() }
    #expect(numbers == [0, 1, 2, 3])
    #expect(try WebhookSender([hook], folder: folder) { _ in }.waitingCount == 0)
  }

  /// A receiver that does not answer holds up neither the end nor another receiver.
  @Test func silence() async throws {
    let (silent, server, folder) = (try HostileServer(), try HostileServer(), try Workshop.newFolder())
    let hooks = [try Self.hook(silent.url("/bytes/0?hang=1")), try Self.hook(server.url("/bytes/0"))]
    let sender = try WebhookSender(hooks, folder: folder) { _ in }
    sender.start()
    for number in 0..<3 { sender.note(.input, stream: "s", Self.number(number)) }
    #expect(Self.numbers(try await Self.received(server, 3)) == [0, 1, 2])
    let begin = ContinuousClock.now
    sender.stop()
    #expect(ContinuousClock.now - begin < .seconds(8))
    #expect(try WebhookSender(hooks, folder: folder) { _ in }.waitingCount == 3)
  }

  /// Two webhooks of one URL are one: it gets what either of them wants, once, and nothing stays behind.
  @Test func repeatedURL() async throws {
    let (server, folder) = (try HostileServer(), try Workshop.newFolder())
    let hooks = [try Self.hook(server.url("/bytes/0")), try Self.hook(server.url("/bytes/0"), [.input, .disk])]
    let sender = try WebhookSender(hooks, folder: folder) { _ in }
    sender.start()
    for number in 0..<6 { sender.note(number % 2 == 0 ? .input : .disk, stream: "s", Self.number(number)) }
    let received = try await Self.received(server, 6)
    sender.stop()
    #expect(Self.numbers(received) == [0, 1, 2, 3, 4, 5])
    #expect(try WebhookSender(hooks, folder: folder) { _ in }.waitingCount == 0)
  }

  /// A webhook that is not named any more gets nothing, and its messages do not stay.
  @Test func removedWebhook() async throws {
    let (server, folder, said) = (try HostileServer(), try Workshop.newFolder(), Notes())
    let first = try WebhookSender([Self.hook(server.url("/bytes/0?status=500"))], folder: folder) { _ in }
    first.start()
    first.note(.input, stream: "s", Self.number(0))
    _ = try await Self.received(server, 1)
    first.stop()
    let second = try WebhookSender([Self.hook(server.url("/bytes/0"))], folder: folder) { said.add($0) }
    #expect(second.waitingCount == 0)
    #expect(said.all == ["\(folder): messages for webhooks that are not named any more, and are left out: 1"])
  }
}
