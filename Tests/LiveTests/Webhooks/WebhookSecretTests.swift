import Testing

@testable import Webhooks

@Suite struct WebhookSecretTests {
  private static let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let (id, time) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", Int64(1_614_265_330))
  private static let body = Array(#"{"test": 2432232314}"#.utf8)
  private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

  private let secret: WebhookSecret

  init() throws { secret = try WebhookSecret(parsing: Self.text + "\n") }

  private func doubt(
    _ signatures: String, id: String = id, time: Int64 = time, body: [UInt8] = body, now: Int64 = time, tolerance: Int64 = 300
  ) -> WebhookSecret.Doubt? {
    do throws(WebhookSecret.Doubt) {
      try secret.verify(id: id, timestamp: time, body: body, signatures: signatures, tolerance: tolerance, now: now)
      return nil
    } catch {
      return error
    }
  }

  /// The example of the libraries of Standard Webhooks.
  @Test func example() {
    #expect(secret.signature(id: Self.id, timestamp: Self.time, body: Self.body) == Self.signature)
    #expect(doubt(Self.signature) == nil)
  }

  /// One right signature is enough: a receiver may change its secret.
  @Test func several() {
    #expect(doubt("v1,AAAA \(Self.signature) v1a,BBBB") == nil)
    #expect(doubt("v1,AAAA v1a,BBBB") == .signature && doubt("") == .signature && doubt(String(Self.signature.dropLast())) == .signature)
    #expect(doubt("v2" + Self.signature.dropFirst(2)) == .signature)
  }

  @Test func whatIsSigned() {
    #expect(doubt(Self.signature, id: "msg_p5jXN8AQM9LWM0D4loKWxJel") == .signature)
    #expect(doubt(Self.signature, time: Self.time + 1) == .signature)
    #expect(doubt(Self.signature, body: Self.body + [0x20]) == .signature)
    // The dots between the parts do not move.
    #expect(doubt(Self.signature, id: "\(Self.id).\(Self.time)", body: []) == .signature)
  }

  @Test func age() {
    #expect(doubt(Self.signature, now: Self.time + 300) == nil && doubt(Self.signature, now: Self.time - 300) == nil)
    #expect(doubt(Self.signature, now: Self.time + 301) == .time(difference: 301))
    #expect(doubt(Self.signature, now: Self.time - 301) == .time(difference: -301))
    let early = secret.signature(id: "a", timestamp: .min, body: [])
    #expect(doubt(early, id: "a", time: .min, body: [], now: .max) == .time(difference: .max))
  }

  @Test(arguments: [
    "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa*w",
    "whsec_MfKQ9r8GKYqrTwjU PD8ILPZIo2LaLaSw", "whsec_" + String(repeating: "A", count: 88),
  ])
  func mistakes(text: String) { #expect(throws: WebhookSecret.Mistake.self) { try WebhookSecret(parsing: text) } }

  /// Messages for the operator do not have it.
  @Test func isNotPrinted() { #expect("\(secret)" == "a secret") }
}
