import Basics

/// The secret that the messages of a webhook are signed with, in the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64.
package struct WebhookSecret: Equatable, Sendable, CustomStringConvertible {
  private let key: [UInt8]

  private static let prefix = "whsec_"
  private static let lengths = 24...64
  /// The first part of every signature: HMAC with SHA-256.
  private static let version = "v1"

  /// It is never printed.
  package var description: String { "a secret" }

  /// Why a text is no secret. It does not contain the text.
  package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// The secret of a text. Blanks and line ends around it are ignored.
  ///
  /// - Throws: ``Mistake``.
  package init(parsing text: String) throws(Mistake) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 1, let word = words.first, word.hasPrefix(Self.prefix) else {
      throw Mistake(description: "a webhook's secret begins with \(Self.prefix), which Base64 follows; openssl rand -base64 32 makes some")
    }
    guard let key = Base64.decode(Array(word.utf8.dropFirst(Self.prefix.utf8.count))) else {
      throw Mistake(description: "what follows \(Self.prefix) is not Base64")
    }
    guard Self.lengths.contains(key.count) else {
      throw Mistake(description: "a webhook's secret has 24 to 64 bytes in Base64, not \(key.count)")
    }
    self.key = key
  }

  /// The signature of a message, as the field webhook-signature has it.
  ///
  /// - Parameter timestamp: When it is sent, in seconds since 1970.
  package func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
    let code = SHA256.authenticationCode(of: Array("\(id).\(timestamp).".utf8) + body, key: key)
    return "\(Self.version),\(Base64.encode(code))"
  }

  /// Why a message is not to be believed.
  package enum Doubt: Error, Equatable, Sendable {
    /// No signature is that of the message under this secret.
    case signature
    /// The message is older or newer than the tolerance, by this many seconds.
    case time(difference: Int64)
  }

  /// Checks the signature of a received message, and then its age.
  ///
  /// - Parameters:
  ///   - signatures: The field webhook-signature: signatures with blanks between them, one of which must be right.
  ///   - tolerance: By how many seconds the message may be older or newer than `now`.
  ///   - now: Seconds since 1970.
  /// - Throws: ``Doubt``.
  package func verify(
    id: String, timestamp: Int64, body: [UInt8], signatures: String, tolerance: Int64, now: Int64
  ) throws(Doubt) {
    let right = Array(signature(id: id, timestamp: timestamp, body: body).utf8)
    // All of them are compared, so that the time does not reveal which one is right.
    let matches = signatures.split(separator: " ").filter { Array($0.utf8).isSecretlyEqual(to: right) }
    guard !matches.isEmpty else { throw .signature }
    let (difference, overflows) = now.subtractingReportingOverflow(timestamp)
    guard !overflows, (-tolerance...tolerance).contains(difference) else { throw .time(difference: overflows ? .max : difference) }
  }
}
