import Basics
import LiveInterface
import Synchronization

/// The tokens of a server, which may be read again while it runs.
package final class CurrentTokens: Sendable {
  private let tokens: Mutex<Tokens>

  package init(_ tokens: Tokens) { self.tokens = Mutex(tokens) }

  /// The tokens that are valid now.
  package var now: Tokens { tokens.withLock { $0 } }

  /// Replaces the tokens.
  package func replace(by tokens: Tokens) { self.tokens.withLock { $0 = tokens } }
}

/// The rights of clients: a token for each scope, or, without tokens, rights only for programs on this machine.
package struct Tokens: Equatable, Sendable {
  private struct Token: Equatable, Sendable {
    var scope: Endpoint.Scope
    var text: String
  }

  private var tokens: [Token] = []
  /// Whether every client needs a token. Otherwise programs on this machine may do everything.
  package private(set) var areRequired = false

  /// A mistake in a file of tokens. It does not contain the text, which may be secret.
  package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1.
    package var line: Int
    /// What is wrong, in words.
    package var reason: String
    /// The mistake in words, with its line.
    package var description: String { "line \(line): \(reason)" }
  }

  /// No tokens.
  package init() {}

  /// A publish token that the operator did not ask for: programs on this machine need none.
  package init(making text: String) { tokens = [Token(scope: .publish, text: text)] }

  /// The same tokens, which programs on this machine do not need.
  package var asMade: Tokens {
    var made = self
    made.areRequired = false
    return made
  }

  /// The publish token that was made; `nil` if the operator has given the tokens.
  package var madeToken: String? { areRequired ? nil : publishToken }

  /// Reads a file of tokens: lines of a scope (`manage`, `publish`, `read` or `view`), blanks, and a token of at least 16 characters. Empty lines
  /// and lines that begin with `#` are ignored.
  ///
  /// - Throws: ``Mistake`` for the first invalid line.
  package init(fileContents: [UInt8]) throws(Mistake) {
    guard let text = String(validating: fileContents, as: UTF8.self) else { throw Mistake(line: 1, reason: "the file is not UTF-8") }
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard let first = words.first, first.first != "#" else { continue }
      guard let scope = Endpoint.Scope(rawValue: String(first)) else {
        throw Mistake(line: index + 1, reason: "a line begins with manage, publish, read or view")
      }
      guard words.count == 2 else { throw Mistake(line: index + 1, reason: "a line has a scope and one token") }
      guard words[1].utf8.count >= Self.shortest, words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw Mistake(line: index + 1, reason: "a token has at least \(Self.shortest) letters, digits and signs of ASCII")
      }
      tokens.append(Token(scope: scope, text: String(words[1])))
    }
    guard !tokens.isEmpty else { throw Mistake(line: 1, reason: "the file has no token; write a line such as publish TOKEN") }
    areRequired = true
  }

  private static let shortest = 16

  /// A publish token, for a node that connects to another one with the same tokens; `nil` if there is none. A token that may manage is never sent.
  var publishToken: String? { tokens.first { $0.scope == .publish }?.text }

  /// The tokens that only allow to watch, which players show once for a pass; none if everybody may watch.
  var viewTokens: [String] { areRequired ? tokens.filter { $0.scope == .view }.map(\.text) : [] }

  /// Whether a client may publish a stream with this key, which is a token that may publish.
  package func mayPublish(_ key: String, isLocal: Bool) -> Bool { decide(.publish, token: key, isLocal: isLocal) == .allowed }

  /// The decision about a request.
  enum Decision: Equatable {
    case allowed
    /// The request has no token, or an unknown one.
    case unauthorized
    case forbidden
  }

  /// Decides whether a request may do what needs a scope.
  ///
  /// - Parameters:
  ///   - token: The token in the request; `nil` if it has none.
  ///   - isLocal: Whether the request comes from this machine.
  func decide(_ scope: Endpoint.Scope, token: String?, isLocal: Bool) -> Decision {
    // If the file has no view token, everybody may view.
    let isOpen = !areRequired || !tokens.contains { $0.scope == .view }
    if scope == .view, isOpen { return .allowed }
    if isLocal, !areRequired { return .allowed }
    guard let token, !tokens.isEmpty else { return areRequired ? .unauthorized : .forbidden }
    return largestScope(of: token).map { $0 >= scope ? .allowed : .forbidden } ?? .unauthorized
  }

  /// The largest scope of a token; `nil` for an unknown one. All tokens are compared, so that the time does not reveal which one matches.
  private func largestScope(of token: String) -> Endpoint.Scope? {
    tokens.filter { Array($0.text.utf8).isSecretlyEqual(to: Array(token.utf8)) }.map(\.scope).max()
  }
}
