import Testing

@testable import AccessTokens

/// What players carry on in the paths that they ask for.
@Suite struct ViewPassTests {
  private static let token = "view-0123456789abcdef"
  private static let now: Int64 = 1_800_000_000

  private func mistake(_ text: String, stream: String = "live", tokens: [String] = [token], now: Int64 = now) -> ViewPass.Mistake? {
    do throws(ViewPass.Mistake) {
      try ViewPass.check(text, stream: stream, tokens: tokens, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test func passes() {
    let pass = ViewPass.text(stream: "live", token: Self.token, now: Self.now)
    #expect(mistake(pass) == nil && mistake(pass, tokens: ["publish-0123456789", Self.token]) == nil)
    // A part of a path as it is, and no part of the token.
    #expect(
      pass.utf8.allSatisfy {
        $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
          || (0x30...0x7A).contains($0)
      })
    #expect(!pass.contains(Self.token) && pass.utf8.count < 64)
  }

  /// A pass is for its stream, and ends with its token.
  @Test func others() {
    let pass = ViewPass.text(stream: "live", token: Self.token, now: Self.now)
    #expect(mistake(pass, stream: "other") == .unknown && mistake(pass, tokens: []) == .unknown)
    #expect(mistake(pass, tokens: [Self.token + "x", String(Self.token.dropLast())]) == .unknown)
  }

  /// A day, and up to an hour more, with the same pass for all who come within an hour.
  @Test func expiry() {
    let hour = Self.now / 3_600 * 3_600
    let texts = Set([1, 2, 1_800, 3_600].map { ViewPass.text(stream: "live", token: Self.token, now: hour + $0) })
    #expect(texts.count == 1 && texts != [ViewPass.text(stream: "live", token: Self.token, now: hour)])
    for pass in texts {
      #expect(mistake(pass, now: hour + 3_600 + 86_399) == nil && mistake(pass, now: hour + 3_600 + 86_400) == .expired)
    }
  }

  @Test func changes() {
    let pass = ViewPass.text(stream: "live", token: Self.token, now: Self.now)
    let later = pass.replacing("~18", with: "~19")
    #expect(later != pass && mistake(later) == .unknown)
    let bytes = Array(pass.utf8)
    for index in bytes.indices {
      var other = bytes
      other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(mistake(String(decoding: other, as: UTF8.self)) != nil)
      #expect(mistake(String(decoding: bytes[..<index], as: UTF8.self)) == .unknown)
    }
    for text in ["", "~", "~.", "~..", pass + ".", pass + "A", "~+" + pass.dropFirst(), "~0" + pass.dropFirst(), String(pass.dropFirst())] {
      #expect(mistake(text) == .unknown, "\(text)")
    }
  }
}
