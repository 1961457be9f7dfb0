import Basics

/// What a player carries on instead of a view token, as a part of the paths that it asks for: `~EXPIRES.CODE`. It is for one stream, ends by itself, and
/// is made of a token without revealing it: it ends with its token, too.
package enum ViewPass {
  /// How long a player may go on with a pass, in seconds: a day, and at most an hour more.
  package static let life: Int64 = 86_400
  /// Passes end at full hours, so that all players that come within an hour have the same paths, and a cache in front has each file once for them.
  private static let step: Int64 = 3_600
  /// The first character, which no file of a presentation begins with.
  private static let sign = "~"
  /// How many bytes of the code are sent.
  private static let length = 16

  /// Why a pass is not accepted.
  package enum Mistake: Error, Equatable, Sendable {
    /// It was made of none of these tokens, or not for this stream.
    case unknown
    case expired
  }

  /// A new pass.
  ///
  /// - Parameters:
  ///   - stream: The stream's name.
  ///   - token: The view token that the player has shown.
  ///   - now: Seconds since 1970.
  package static func text(stream: String, token: String, now: Int64) -> String {
    let expires = (now + life + step - 1) / step * step
    return "\(sign)\(expires).\(Base64URL.encode(code(stream, token, expires)))"
  }

  /// Checks a pass.
  ///
  /// - Parameters:
  ///   - tokens: The tokens that are valid now.
  ///   - now: Seconds since 1970.
  /// - Throws: ``Mistake``.
  package static func check(_ text: String, stream: String, tokens: [String], now: Int64) throws(Mistake) {
    let parts = text.dropFirst(sign.count).split(separator: ".", omittingEmptySubsequences: false)
    guard text.hasPrefix(sign), parts.count == 2, let expires = Int64(parts[0], in: .counts), String(expires) == parts[0],
      let given = Base64URL.decode(Array(parts[1].utf8)[...])
    else { throw .unknown }
    // All tokens are tried, so that the time does not reveal which one it was.
    let matches = tokens.filter { given.isSecretlyEqual(to: code(stream, $0, expires)) }
    guard !matches.isEmpty else { throw .unknown }
    guard expires > now else { throw .expired }
  }

  private static func code(_ stream: String, _ token: String, _ expires: Int64) -> [UInt8] {
    let message = Array("cuelight view pass\n\(expires)\n\(stream)".utf8)
    return Array(SHA256.authenticationCode(of: message, key: Array(token.utf8)).prefix(length))
  }
}
