import Basics
import LibCrypto
import Testing

@testable import AccessTokens

/// What the bearer of a text may do.
@Suite struct TokenKeyTests {
  private static let secret = (0..<32).map { UInt8($0) * 7 }
  private static let header = #"{"alg":"HS256","typ":"JWT"}"#
  private static let now: Int64 = 1_800_000_000

  private let key: TokenKey

  init() throws { key = try TokenKey(secret: Self.secret) }

  private static let tokens = [
    AccessToken(role: .player, game: "abcdefghjkmn", subject: 999_999, expires: now + 1),
    AccessToken(role: .host, game: "g", session: "abcdefgh01234567", expires: now + 3_600),
    AccessToken(role: .host, game: "g", session: "s", generation: 7, expires: now + 1),
    AccessToken(role: .host, session: "s", expires: now + 3_600),
    AccessToken(role: .account, subject: 7, session: "x", expires: now + TokenKey.longestLife),
    AccessToken(role: .player, game: "\"\\\u{1F600}\n", subject: 1 << 53, session: "é", expires: now + 5),
  ]

  /// A text that is signed as it should be, whatever it says.
  private func signed(_ header: String, _ claims: String, secret: [UInt8] = TokenKeyTests.secret) throws -> String {
    let text = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
    let code = try #require(try HMACSHA256(key: secret).code(of: Array(text.utf8)))
    return "\(text).\(Base64URL.encode(code))"
  }

  private func mistake(_ text: String, now: Int64 = TokenKeyTests.now) -> AccessToken.Mistake? {
    do throws(AccessToken.Mistake) {
      _ = try key.token(text, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test func everythingComesBack() throws {
    for token in Self.tokens {
      let text = key.text(token)
      #expect(text.utf8.count <= TokenKey.largest)
      #expect(try key.token(text, now: Self.now) == token)
      // It is the same text every time, and another key of the same secret reads it.
      #expect(key.text(token) == text)
      #expect(try TokenKey(secret: Self.secret).token(text, now: Self.now) == token)
    }
  }

  /// Other programs can make and read it, too: this is what RFC 7515 says.
  @Test func theText() throws {
    let player = AccessToken(role: .player, game: "g", subject: 3, expires: 1_900_000_000)
    let playerText = try signed(Self.header, #"{"role":"player","game":"g","sub":3,"exp":1900000000}"#)
    #expect(key.text(player) == playerText)
    let host = AccessToken(role: .host, session: "s", expires: 1_900_000_000)
    let hostText = try signed(Self.header, #"{"role":"host","sub":0,"sid":"s","exp":1900000000}"#)
    #expect(key.text(host) == hostText)
    let renewed = AccessToken(role: .host, game: "g", session: "s", generation: 2, expires: 1_900_000_000)
    let renewedText = try signed(Self.header, #"{"role":"host","game":"g","sub":0,"sid":"s","gen":2,"exp":1900000000}"#)
    #expect(key.text(renewed) == renewedText)
    // What Python's library makes of it.
    #expect(
      playerText == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb2xlIjoicGxheWVyIiwiZ2FtZSI6ImciLCJzdWIiOjMsImV4cCI6MTkwMDAwMDAwMH0"
        + ".RTtUs4EJ86jqAYdDyk2v5qIOeGKhfX4fpzhfsW7EG4I")
  }

  @Test func expired() {
    for token in Self.tokens {
      let text = key.text(token)
      #expect(mistake(text, now: token.expires - 1) == nil)
      #expect(mistake(text, now: token.expires) == .expired && mistake(text, now: .max) == .expired)
    }
    // None holds for ever, whatever a version of before has made.
    for expires in [Self.now + TokenKey.longestLife + 1, 1 << 53] {
      #expect(mistake(key.text(AccessToken(role: .account, subject: 7, expires: expires))) == .expired)
    }
    // No number is calculated with that other programs have not exactly.
    #expect(mistake(key.text(AccessToken(role: .account, subject: 7, expires: .max)), now: .min) == .unknown)
    // Who has changed an expired one learns nothing of it.
    let text = key.text(Self.tokens[0])
    #expect(mistake(String(text.dropLast()), now: .max) == .unknown)
    #expect(mistake(key.text(AccessToken(role: .host, expires: -5)), now: -6) == nil)
  }

  @Test func cutAtEveryLength() {
    for token in Self.tokens {
      let text = key.text(token)
      for count in 0..<text.count { #expect(mistake(String(text.prefix(count))) == .unknown, "\(count) characters") }
      for end in ["A", "=", ".", " ", "\n", "\0"] {
        #expect(mistake(text + end) == .unknown)
        #expect(mistake(end + text) == .unknown)
      }
    }
  }

  @Test func eachBitChanged() {
    let text = Array(key.text(Self.tokens[1]).utf8)
    for place in text.indices {
      for bit in UInt8(0)..<8 {
        var changed = text
        changed[place] ^= 1 << bit
        #expect(mistake(String(decoding: changed, as: UTF8.self)) == .unknown, "bit \(bit) of byte \(place)")
      }
    }
  }

  @Test func anotherSecret() throws {
    for place in Self.secret.indices {
      var secret = Self.secret
      secret[place] ^= 1
      let other = try TokenKey(secret: secret)
      #expect(mistake(other.text(Self.tokens[0])) == .unknown)
    }
  }

  /// Nobody can choose how a text is checked: not even one that is signed as its header says.
  @Test(
    arguments: [
      #"{"alg":"none"}"#, #"{"alg":"none","typ":"JWT"}"#, #"{"typ":"JWT","alg":"HS256"}"#, #"{"alg":"HS256"}"#,
      #"{"alg":"HS256","typ":"JWT","kid":"1"}"#, #"{"alg":"HS512","typ":"JWT"}"#, #"{"alg":"RS256","typ":"JWT"}"#,
      #" {"alg":"HS256","typ":"JWT"}"#, "{}", "",
    ]) func otherHeaders(header: String) throws
  {
    let claims = #"{"role":"host","sub":0,"exp":1900000000}"#
    let text = try signed(header, claims)
    #expect(mistake(text) == .unknown)
    // Without a signature.
    let end = text.lastIndex(of: ".") ?? text.startIndex
    #expect(mistake(String(text[...end])) == .unknown)
    // With the right header it is a token.
    let right = try signed(Self.header, claims)
    #expect(mistake(right, now: 1_900_000_000 - 60) == nil)
  }

  /// What is signed and says too little, or something else.
  @Test(
    arguments: [
      "", "{}", "[]", "5", "null", #"{"role":"host","sub":0}"#, #"{"role":"host","exp":1900000000}"#, #"{"sub":0,"exp":1900000000}"#,
      #"{"role":"admin","sub":0,"exp":1900000000}"#, #"{"role":"HOST","sub":0,"exp":1900000000}"#, #"{"role":1,"sub":0,"exp":1900000000}"#,
      #"{"role":"host","sub":"0","exp":1900000000}"#, #"{"role":"host","sub":0.5,"exp":1900000000}"#,
      #"{"role":"host","sub":0,"exp":"1900000000"}"#, #"{"role":"host","sub":0,"exp":1900000000.5}"#,
      #"{"role":"host","sub":0,"exp":1e30}"#,
      #"{"role":"host","sub":0,"exp":null}"#, #"{"role":"host","sub":0,"exp":1900000000"#,
      #"{"role":"host","role":"host","sub":0,"exp":1900000000}"#,
    ]) func otherClaims(claims: String) throws
  {
    let text = try signed(Self.header, claims)
    #expect(mistake(text) == .unknown)
  }

  /// Of a text that is too long not even the signature is looked at.
  @Test func tooLong() {
    var lengths: Set<Bool> = []
    for count in 200...400 {
      let token = AccessToken(role: .player, game: String(repeating: "g", count: count), subject: 1, expires: 1_850_000_000)
      let text = key.text(token)
      let fits = text.utf8.count <= TokenKey.largest
      lengths.insert(fits)
      let expected: AccessToken.Mistake? = fits ? nil : .unknown
      #expect(mistake(text) == expected, "\(text.utf8.count) bytes")
    }
    #expect(lengths.count == 2 && TokenKey.largest == 512)
  }

  @Test func garbage() throws {
    let header = Base64URL.encode(Array(Self.header.utf8))
    let parts = [
      "", ".", "..", "...", header, "é", "{}", "AAAA", String(repeating: ".", count: 512), String(repeating: "A", count: 513), "\0",
    ]
    for first in parts {
      for second in parts {
        for text in [first + second, "\(first).\(second)", "\(header).\(first).\(second)", "\(first).\(header).\(second)"] {
          #expect(mistake(text) == .unknown, "\(text)")
        }
      }
    }
  }

  /// Pieces of texts put together again in other ways.
  @Test(arguments: 0..<UInt64(4)) func pieces(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let texts = Self.tokens.map { Array(key.text($0).utf8) }
    let whole = Set(texts)
    for _ in 0..<1_000 {
      var text = texts[numbers.below(texts.count)]
      for _ in 0...numbers.below(3) {
        let other = texts[numbers.below(texts.count)]
        let (start, end) = (numbers.below(other.count), numbers.below(other.count))
        let place = numbers.below(text.count + 1)
        let piece = other[min(start, end)..<max(start, end)]
        if numbers.below(2) == 0 {
          text.insert(contentsOf: piece, at: place)
        } else {
          text.replaceSubrange(place..<min(place + piece.count, text.count), with: piece)
        }
      }
      guard !whole.contains(text) else { continue }
      #expect(mistake(String(decoding: text, as: UTF8.self)) == .unknown)
    }
  }
}
