import Testing

@testable import GameServer

/// E-mail addresses, as forms of HTML take them.
@Suite struct EmailAddressTests {
  @Test(arguments: [
    "ann@example.org", "a@b", "Ann.Lee+quiz@mail.example.co.uk", "!#$%&'*+/=?^_`{|}~-.@x", "..a..@example.org", "a@1-2.3",
    "a@" + String(repeating: "x", count: 63),
  ]) func valid(text: String) { #expect(EmailAddress.isValid(text)) }

  @Test(arguments: [
    "", "nonsense", "@", "a@", "@b", "a@b@c", "a b@c", "a@b c", "a@-b", "a@b-", "a@b..c", "a@.b", "a@b.", "a@b_c", "\u{E9}@b", "a@\u{E9}",
    "a@b\n",
    "\"a b\"@c", "a@[127.0.0.1]", "a,b@c", "a@" + String(repeating: "x", count: 64),
  ]) func invalid(text: String) { #expect(!EmailAddress.isValid(text)) }
}
