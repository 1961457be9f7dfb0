package import Webhooks

extension WebhookSecret {
  /// The secret in a file that only its owner may read.
  ///
  /// - Throws: If the file cannot be read, others may read it, or it has no secret.
  package init(file path: String) throws(CommandFailure) {
    let text = String(decoding: try SmallFile(path: path).secret(limit: 4_096, ("this secret", "it")), as: UTF8.self)
    self = try orFail(WebhookSecret(parsing: text)) { (error: Mistake) in CommandFailure(invalid: "\(path): \(error)") }
  }
}
