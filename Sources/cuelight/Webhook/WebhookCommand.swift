import ArgumentParser
import CommandSupport
import LibC
import Webhooks

struct WebhookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook",
    abstract: "Check messages that cuelight live and cuelight serve send to webhooks.",
    discussion: """
      Example:
        cuelight webhook verify --secret-file hook.key --id "$ID" \\
          --timestamp "$TIME" --signature "$SIGNATURE" body.json
      """, subcommands: [Verify.self])
}

extension WebhookCommand {
  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Say whether a received message is signed with a secret, and is new.",
      discussion: """
        The message is signed as Standard Webhooks says: HMAC with SHA-256 over its id, its time and its body, with dots between them. The exit \
        status is 1 if the signature is wrong, or the message is older than --tolerance.

        Example:
          cuelight webhook verify --secret-file hook.key --id "$ID" \\
            --timestamp "$TIME" --signature "$SIGNATURE" body.json
        """)

    @Argument(help: "The file with the body as it was received, byte by byte; - is standard input.")
    var body = "-"

    @Option(help: ArgumentHelp("A file with the webhook's secret; only its owner may read it.", valueName: "file"))
    var secretFile: String

    @Option(help: "The header field webhook-id.")
    var id: String

    @Option(help: ArgumentHelp("The header field webhook-timestamp: seconds since 1970.", valueName: "seconds"))
    var timestamp: Int64

    @Option(help: "The header field webhook-signature.")
    var signature: String

    @Option(help: ArgumentHelp("How many seconds the message may be older or newer than now.", valueName: "seconds"))
    var tolerance: Int64 = 300

    func validate() throws {
      try require((0...315_360_000).contains(tolerance), "--tolerance takes seconds from 0 on, not \(tolerance).")
    }

    func run() throws {
      let secret = try WebhookSecret(file: secretFile)
      let body = try SmallFile(path: body).bytes()
      do throws(WebhookSecret.Doubt) {
        try secret.verify(
          id: id, timestamp: timestamp, body: body, signatures: signature, tolerance: tolerance, now: WallClock.now / 1_000)
      } catch {
        switch error {
        case .signature: try StandardOutput.write(["the signature is not that of this message under this secret"])
        case .time(let difference):
          let words = difference < 0 ? "from \(difference.magnitude) s in the future" : "\(difference) s old"
          try StandardOutput.write(["the signature is right, but the message is \(words)"])
        }
        throw CommandFailure.checkFailed
      }
      try StandardOutput.write(["the signature is right"])
    }
  }
}
