import LiveInterface
import Testing

@testable import LiveServer

/// Who may do what.
@Suite struct TokensTests {
  private static let manager = "manage-0123456789ab"
  private static let publisher = "publish-0123456789"
  private static let reader = "read-0123456789ABCDEF"
  private static let viewer = "view-0123456789abcdef"

  private func tokens(_ text: String) throws -> Tokens { try Tokens(fileContents: Array(text.utf8)) }

  private func decisions(_ tokens: Tokens, _ token: String?, isLocal: Bool = false) -> [Tokens.Decision] {
    [.view, .read, .publish].map { tokens.decide($0, token: token, isLocal: isLocal) }
  }

  @Test func withoutTokens() {
    let tokens = Tokens()
    #expect(!tokens.areRequired)
    #expect(decisions(tokens, nil) == [.allowed, .forbidden, .forbidden])
    #expect(decisions(tokens, "anything") == [.allowed, .forbidden, .forbidden])
    #expect(decisions(tokens, nil, isLocal: true) == [.allowed, .allowed, .allowed])
  }

  /// A token that was made by the server opens it to others; programs on this machine need none.
  @Test func madeTokens() throws {
    for tokens in [Tokens(making: Self.publisher), try tokens("publish \(Self.publisher)").asMade] {
      #expect(!tokens.areRequired && tokens.madeToken == Self.publisher)
      #expect(decisions(tokens, nil) == [.allowed, .forbidden, .forbidden])
      #expect(decisions(tokens, "anything") == [.allowed, .unauthorized, .unauthorized])
      #expect(decisions(tokens, Self.publisher) == [.allowed, .allowed, .allowed])
      #expect(decisions(tokens, nil, isLocal: true) == [.allowed, .allowed, .allowed])
    }
    #expect(try tokens("publish \(Self.publisher)").madeToken == nil && Tokens().madeToken == nil)
  }

  @Test func scopes() throws {
    let tokens = try tokens("publish \(Self.publisher)\nread \(Self.reader)\nview \(Self.viewer)\n")
    #expect(tokens.areRequired)
    for isLocal in [false, true] {
      #expect(decisions(tokens, Self.publisher, isLocal: isLocal) == [.allowed, .allowed, .allowed])
      #expect(decisions(tokens, Self.reader, isLocal: isLocal) == [.allowed, .allowed, .forbidden])
      #expect(decisions(tokens, Self.viewer, isLocal: isLocal) == [.allowed, .forbidden, .forbidden])
      for wrong in [nil, "", Self.publisher.uppercased(), Self.publisher + "x", String(Self.publisher.dropLast()), Self.publisher + "\0"] {
        #expect(decisions(tokens, wrong, isLocal: isLocal) == [.unauthorized, .unauthorized, .unauthorized])
      }
    }
    // Where nobody needs a token to view, everybody may.
    let open = try self.tokens("publish \(Self.publisher)")
    #expect(decisions(open, nil) == [.allowed, .unauthorized, .unauthorized])
  }

  /// Who may publish, as an encoder with its stream key, may not change what the server reads and writes.
  @Test func managing() throws {
    let tokens = try tokens("publish \(Self.publisher)\nmanage \(Self.manager)\nread \(Self.reader)\nview \(Self.viewer)\n")
    for isLocal in [false, true] {
      #expect(decisions(tokens, Self.manager, isLocal: isLocal) == [.allowed, .allowed, .allowed])
      #expect(tokens.decide(.manage, token: Self.manager, isLocal: isLocal) == .allowed)
      for token in [Self.publisher, Self.reader, Self.viewer] {
        #expect(tokens.decide(.manage, token: token, isLocal: isLocal) == .forbidden)
      }
      for wrong in [nil, Self.manager + "x"] { #expect(tokens.decide(.manage, token: wrong, isLocal: isLocal) == .unauthorized) }
    }
    // A token that the server has made does not manage from elsewhere.
    for made in [Tokens(making: Self.publisher), Tokens()] {
      #expect(made.decide(.manage, token: nil, isLocal: true) == .allowed)
      #expect(made.decide(.manage, token: Self.publisher, isLocal: false) == .forbidden)
    }
  }

  /// A stream key is a token that may publish, or more.
  @Test func streamKeys() throws {
    let tokens = try tokens("manage \(Self.manager)\npublish \(Self.publisher)\nread \(Self.reader)\n")
    for isLocal in [false, true] {
      #expect(tokens.mayPublish(Self.manager, isLocal: isLocal) && tokens.mayPublish(Self.publisher, isLocal: isLocal))
      #expect(!tokens.mayPublish(Self.reader, isLocal: isLocal) && !tokens.mayPublish("", isLocal: isLocal))
    }
    // Another node gets no token that may manage.
    #expect(tokens.publishToken == Self.publisher && tokens.asMade.madeToken == Self.publisher)
    #expect(try self.tokens("manage \(Self.manager)").publishToken == nil)
  }

  @Test func files() throws {
    let text = "# who may do what\n\n  publish\t\(Self.publisher)  \r\n\t# later\n read \(Self.reader)"
    #expect(try tokens(text) == tokens("publish \(Self.publisher)\nread \(Self.reader)\n"))
  }

  /// Other tokens hold as soon as they are there.
  @Test func replaced() throws {
    let current = CurrentTokens(try tokens("publish \(Self.publisher)"))
    #expect(decisions(current.now, Self.publisher) == [.allowed, .allowed, .allowed])
    current.replace(by: try tokens("read \(Self.reader)"))
    #expect(decisions(current.now, Self.publisher) == [.allowed, .unauthorized, .unauthorized])
    #expect(decisions(current.now, Self.reader) == [.allowed, .allowed, .forbidden])
  }

  @Test func mistakes() {
    let begin = "a line begins with manage, publish, read or view"
    let two = "a line has a scope and one token"
    let weak = "a token has at least 16 letters, digits and signs of ASCII"
    let cases: [(String, Int, String)] = [
      ("", 1, "the file has no token; write a line such as publish TOKEN"),
      ("# a\n", 1, "the file has no token; write a line such as publish TOKEN"),
      ("publish \(Self.publisher)\nwrite \(Self.reader)", 2, begin), ("Publish \(Self.publisher)", 1, begin), (Self.publisher, 1, begin),
      ("\n\npublish", 3, two), ("read \(Self.reader) x", 1, two), ("read 012345678901234", 1, weak), ("view 0123456789éééééé", 1, weak),
    ]
    for (text, line, reason) in cases {
      #expect(throws: Tokens.Mistake(line: line, reason: reason), "\(text)") { try tokens(text) }
    }
    #expect(throws: Tokens.Mistake(line: 1, reason: "the file is not UTF-8")) { try Tokens(fileContents: [0xFF]) }
    // A message does not show what is secret.
    let mistake = #expect(throws: Tokens.Mistake.self) { try tokens("publish secret") }
    #expect(mistake?.description == "line 1: \(weak)")
  }
}
