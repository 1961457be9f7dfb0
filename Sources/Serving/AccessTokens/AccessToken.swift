import Basics
package import LibCrypto

/// What the bearer of a token may do. A token is a JSON Web Token (RFC 7519) signed with HMAC-SHA-256.
package struct AccessToken: Equatable, Sendable {
  /// The kind of bearer.
  package enum Role: String, Sendable {
    case player, host, account
  }

  /// The kind of bearer.
  package var role: Role
  /// The game; empty for an account.
  package var game: String
  /// The player's place in the roster, or the account's number; 0 for a host.
  package var subject: Int
  /// Tells apart several hosts or log-ins; for a player, ties the token to the client.
  package var session: String
  /// How many times the access of the game's host had been renewed; only for hosts of a game.
  package var generation: Int
  /// When it ends, in seconds since 1970.
  package var expires: Int64

  package init(role: Role, game: String = "", subject: Int = 0, session: String = "", generation: Int = 0, expires: Int64) {
    (self.role, self.game, self.subject, self.session, self.expires) = (role, game, subject, session, expires)
    self.generation = generation
  }

  /// Why a text is not a token.
  package enum Mistake: Error, Equatable, Sendable {
    case unknown
    case expired
  }
}

/// Makes and checks tokens.
package struct TokenKey: Sendable {
  private let code: HMACSHA256
  /// The first part of every token.
  private let header: String

  /// The maximum size of a token in bytes.
  package static let largest = 512

  /// The longest time until a token ends, in seconds: that of a player's token for a game that begins in two years.
  package static let longestLife: Int64 = 2 * 366 * 86_400 + 2 * 86_400

  /// - Parameter secret: 32 bytes.
  /// - Throws: `LibCryptoError` if libcrypto is missing.
  package init(secret: [UInt8]) throws(LibCryptoError) {
    code = try HMACSHA256(key: secret)
    header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
  }

  /// The text of a token.
  package func text(_ token: AccessToken) -> String {
    let claims = JSONObject(fields: ["role": token.role.rawValue]).with("game", token.game.isEmpty ? nil : token.game)
      .with("sub", token.subject).with("sid", token.session.isEmpty ? nil : token.session)
      .with("gen", token.generation == 0 ? nil : token.generation).with("exp", Int(token.expires))
    let signed = "\(header).\(Base64URL.encode(Array(claims.text.utf8)))"
    return "\(signed).\(Base64URL.encode(code.code(of: Array(signed.utf8)) ?? []))"
  }

  /// The token of a text.
  ///
  /// - Parameter now: Seconds since 1970.
  /// - Throws: ``AccessToken/Mistake``.
  package func token(_ text: String, now: Int64) throws(AccessToken.Mistake) -> AccessToken {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.largest, let last = bytes.lastIndex(of: UInt8(ascii: ".")) else { throw .unknown }
    // Accepts only the header that this server writes, so that a client cannot choose an algorithm.
    guard bytes.starts(with: header.utf8), bytes.count > header.utf8.count, bytes[header.utf8.count] == UInt8(ascii: "."),
      last > header.utf8.count
    else { throw .unknown }
    guard let given = Base64URL.decode(bytes[(last + 1)...]), let right = code.code(of: Array(bytes[..<last])),
      given.isSecretlyEqual(to: right),
      let claims = Base64URL.decode(bytes[(header.utf8.count + 1)..<last]), let object = (try? JSONValue(parsing: claims))?.object,
      let role = object["role"]?.string.flatMap({ AccessToken.Role(rawValue: $0) }), let subject = object["sub"]?.int(in: .counts),
      let expires = object["exp"]?.int(in: .exact)
    else { throw .unknown }
    // A token that is valid for longer was made by a version that set no limit.
    guard (1...Self.longestLife).contains(Int64(expires) - now) else { throw .expired }
    return AccessToken(
      role: role, game: object["game"]?.string ?? "", subject: subject, session: object["sid"]?.string ?? "",
      generation: object["gen"]?.int(in: .counts) ?? 0, expires: Int64(expires))
  }
}

/// Base64 with the alphabet for URLs, without padding (RFC 4648, 5).
enum Base64URL {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }()

  static func encode(_ bytes: [UInt8]) -> String {
    let letters = Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }.map { letter in
      switch letter {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: letter
      }
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// The bytes; `nil` for a text that ``encode(_:)`` cannot have produced.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var (buffer, bits) = (UInt32(0), UInt32(0))
    for letter in text {
      let value = values[Int(letter)]
      guard value < 64 else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    guard bits < 6, buffer & (1 << bits - 1) == 0 else { return nil }
    return bytes
  }
}
