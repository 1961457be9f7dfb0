import Basics
import Testing

@testable import LiveSession
@testable import Webhooks

@Suite struct WebhookTranslationTests {
  private func text(_ event: String, _ data: String, tellsGames: Bool = true) -> String? {
    WebhookTranslation.data(of: LiveFeed.Message(id: 1, event: event, data: data), tellsGames: tellsGames)
      .map { "\($0.rawValue) \($1.text)" }
  }

  @Test func messages() {
    #expect(text("input", #"{"input":"down","name":"udp://h:1"}"#) == #"input {"input":"down","name":"udp://h:1"}"#)
    #expect(text("lost", #"{"guid":"g","event":"askQuestion","reason":"r"}"#) == #"lost {"guid":"g","event":"askQuestion","reason":"r"}"#)
    #expect(text("placed", #"{"guid":"g","event":"startGame"}"#) == #"game {"state":"began","guid":"g"}"#)
    #expect(text("placed", #"{"guid":"g","event":"endGame"}"#) == #"game {"state":"ended","guid":"g"}"#)
    #expect(text("placed", #"{"guid":"g","event":"endGame"}"#, tellsGames: false) == nil)
    #expect(text("placed", #"{"guid":"g","event":"askQuestion"}"#) == nil && text("notice", #"{"notice":"n"}"#) == nil)
    #expect(text("input", "no JSON") == nil)
  }

  /// Each change once, although the session tells of many.
  @Test func disk() {
    let (watch, told) = (DiskWatch(), Notes())
    for refusal in [nil, "full", "full", "still full", nil, nil] { watch.see(refusal) { told.add($0.text) } }
    for _ in 0..<2 { watch.seeEnd { told.add("end") } }
    #expect(told.all == [#"{"disk":"refused","reason":"full"}"#, #"{"disk":"writable"}"#, "end"])
  }

  @Test(arguments: [
    "", "ops.example", "ftp://ops.example", "https://", "https://user:word@ops.example/", "https://ops.example/a b", "https://é",
  ])
  func addresses(url: String) throws {
    let secret = try WebhookSecret(parsing: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    let mistake = #expect(throws: WebhookSettings.Mistake.self) { try WebhookSettings(url: url, secret: secret) }
    // The same is found without the secret.
    #expect(mistake != nil && WebhookSettings.mistake(inURL: url) == mistake)
  }

  @Test(arguments: ["https://ops.example", "HTTP://ops.example:8080/hook?key=value", "http://[::1]:1/"]) func rightAddresses(url: String)
    throws
  {
    #expect(WebhookSettings.mistake(inURL: url) == nil)
    #expect(try WebhookSettings(url: url, secret: WebhookSecret(parsing: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).url == url)
  }

  /// The query of an address may be secret.
  @Test func name() throws {
    let secret = try WebhookSecret(parsing: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    let settings = try WebhookSettings(url: "https://ops.example:8443/hook?key=secret", secret: secret)
    #expect(settings.name == "https://ops.example:8443/hook" && settings.key.count == 16 && !settings.key.contains("secret"))
  }
}
