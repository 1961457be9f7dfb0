import ArgumentParser
import CommandSupport
import Files
import LiveSession
import Webhooks

/// The options of `live` and `serve` for webhooks.
struct WebhookOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Tell this URL when the input goes away, an event is lost, the disk is full, or a game begins or ends; may be repeated.",
      valueName: "url"))
  var webhook: [String] = []

  @Option(
    help: ArgumentHelp("A file with the secret that webhooks are signed with: whsec_ and 24 to 64 bytes in Base64.", valueName: "file"))
  var webhookSecretFile: String?

  @Option(help: ArgumentHelp("Which of input, lost, disk and game webhooks are told, with commas between them.", valueName: "events"))
  var webhookEvents: String?

  func validate() throws {
    try require(webhook.isEmpty == (webhookSecretFile == nil), "--webhook and --webhook-secret-file need each other.")
    try require(webhookEvents == nil || !webhook.isEmpty, "--webhook-events is for --webhook.")
    try require(Set(webhook).count == webhook.count, "Each --webhook is another URL.")
    try require(
      events != nil, "--webhook-events takes some of \(WebhookEvent.names), with commas between them, not \(webhookEvents ?? "").")
  }

  /// The events that webhooks are told; `nil` if the option names another one.
  private var events: Set<WebhookEvent>? {
    guard let webhookEvents else { return Set(WebhookEvent.allCases) }
    let events = webhookEvents.split(separator: ",", omittingEmptySubsequences: false).map { WebhookEvent(rawValue: String($0)) }
    return events.contains(nil) ? nil : Set(events.compactMap(\.self))
  }

  /// The sender of the webhooks; `nil` if there are none.
  ///
  /// - Parameter folder: Where messages wait; `nil` to keep them in memory.
  func sender(folder: String?, say: @escaping @Sendable (String) -> Void) throws(CommandFailure) -> WebhookSender? {
    guard let webhookSecretFile, let events else { return nil }
    let secret = try WebhookSecret(file: webhookSecretFile)
    let hooks = try webhook.map { (url) throws(CommandFailure) in
      try orFail(WebhookSettings(url: url, secret: secret, events: events)) { (error: WebhookSettings.Mistake) in
        CommandFailure("--webhook: \(error)", status: CommandFailure.wrongUsage)
      }
    }
    return try orFail(WebhookSender(hooks, folder: folder, say: say)) { (error: FileSinkError) in CommandFailure(error) }
  }
}

extension WebhookSender? {
  /// Sends messages while a server runs, and stops afterwards, whether the server has failed or not.
  func sending(while server: () async throws -> Void) async throws {
    self?.start()
    do { try await server() } catch {
      await self?.stopWaiting()
      throw error
    }
    await self?.stopWaiting()
  }
}
