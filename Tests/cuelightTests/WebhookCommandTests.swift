import Foundation
import Testing

/// `cuelight webhook verify`, with the example of the libraries of Standard Webhooks.
@Suite struct WebhookCommandTests {
  private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  private static let body = #"{"test": 2432232314}"#

  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", to: "hook.key", permissions: 0o600)
    _ = try scratch.write(Self.body, to: "body.json")
  }

  private func verify(_ arguments: String..., key: String = "hook.key", signature: String = signature, input: String = "") throws
    -> Command.Outcome
  {
    let fields = [
      "webhook", "verify", "--secret-file", key, "--id", "msg_p5jXN8AQM9LWM0D4loKWxJek", "--timestamp", "1614265330", "--signature",
      signature,
    ]
    return try Command.run(Command.executable, fields + arguments, input: Data(input.utf8), in: scratch.folder)
  }

  @Test func right() throws {
    let right = Command.Outcome(status: 0, output: "the signature is right\n", errors: "")
    #expect(try verify("--tolerance", "315360000", "body.json") == right)
    #expect(try verify("--tolerance", "315360000", input: Self.body) == right)
  }

  @Test func wrong() throws {
    let wrong = Command.Outcome(status: 1, output: "the signature is not that of this message under this secret\n", errors: "")
    #expect(try verify("--tolerance", "315360000", input: Self.body + "\n") == wrong)
    #expect(try verify("body.json", signature: "v1,AAAA") == wrong)
    let old = try verify("body.json")
    #expect(old.status == 1 && old.output.hasPrefix("the signature is right, but the message is ") && old.output.hasSuffix(" s old\n"))
  }

  /// What cannot be checked is not right: the secret is missing, none, or everybody's.
  @Test func mistakes() throws {
    _ = try scratch.write("whsec_AAAA", to: "short.key", permissions: 0o600)
    _ = try scratch.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", to: "open.key", permissions: 0o644)
    for (key, status, words) in [
      ("none.key", Int32(66), "none.key"), ("short.key", 65, "24 to 64 bytes"), ("open.key", 65, "others may read this secret"),
    ] {
      let outcome = try verify("body.json", key: key)
      #expect(outcome.status == status && outcome.errors.contains(words) && !outcome.errors.contains("MfKQ"), "\(key): \(outcome.errors)")
    }
    #expect(try verify("none.json").status == 66 && verify("--tolerance", "-1", "body.json").status == 64)
  }
}
