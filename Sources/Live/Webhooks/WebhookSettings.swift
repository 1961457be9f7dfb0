import Basics
import HLSPlaylist

/// Where messages go, and which.
package struct WebhookSettings: Equatable, Sendable {
  /// A URL of http or https.
  package var url: String
  package var secret: WebhookSecret
  package var events: Set<WebhookEvent>

  /// Why a text is no address of a webhook, in words.
  package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// - Throws: ``Mistake`` if the URL is not one of http or https with a server.
  package init(url: String, secret: WebhookSecret, events: Set<WebhookEvent> = Set(WebhookEvent.allCases)) throws(Mistake) {
    if let mistake = Self.mistake(inURL: url) { throw mistake }
    (self.url, self.secret, self.events) = (url, secret, events)
  }

  /// Why a text is no URL of a webhook: it has to be one of http or https with a server. `nil` if it is one.
  package static func mistake(inURL url: String) -> Mistake? {
    let reference = URIReference(url)
    guard ["http", "https"].contains(reference.scheme?.lowercased()), let authority = reference.authority, !authority.isEmpty,
      !authority.utf8.contains(UInt8(ascii: "@")), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return Mistake(description: "a webhook is a URL such as https://ops.example/hook, without a user") }
    return nil
  }

  /// A name of the webhook that files may have: the URL may contain what is secret.
  var key: String { SHA256.hash(Array(url.utf8)).prefix(8).hexadecimal }

  /// The name of the webhook in messages for the operator: its URL without a query.
  package var name: String {
    var reference = URIReference(url)
    (reference.query, reference.fragment) = (nil, nil)
    return reference.text
  }
}
