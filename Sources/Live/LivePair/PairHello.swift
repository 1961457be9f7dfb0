import Basics

/// What a node of a pair says of itself before anything else.
package struct PairHello: Equatable, Sendable {
  /// What a node does.
  package enum Phase: String, Equatable, Sendable {
    /// It has begun, and does not know yet which of both leads.
    case undecided
    /// It has followed until now, and is about to lead.
    case succeeding
    /// It keeps what the other one decides.
    case following
    /// It decides.
    case leading
  }

  /// The stream's name, and that of its game: those of another one are a mistake of the operator.
  package var stream: String
  package var game: String
  /// The node's name, which no other one has.
  package var node: String
  package var phase: Phase
  /// How often a node has begun to lead, as far as this one's journal knows.
  package var term: Int
  /// Whether its input comes.
  package var isInputUp = false
  /// The number of bytes in its journal, and the digest of the last of them.
  package var length: Int
  package var digest: String
  /// A token to publish; `nil` where none is needed.
  package var token: String?

  package init(stream: String, game: String, node: String, phase: Phase, term: Int, length: Int, digest: String, token: String? = nil) {
    (self.stream, self.game, self.node, self.phase) = (stream, game, node, phase)
    (self.term, self.length, self.digest, self.token) = (term, length, digest, token)
  }

  /// The version of what nodes say to each other. Both have the same.
  static let version = 1

  /// Whether this node leads where neither follows the other: who has an input, then who knows more, and at last a name that both know. Both nodes come to
  /// the same answer.
  package func leads(over other: PairHello) -> Bool {
    if isInputUp != other.isInputUp, phase == .leading, other.phase == .leading { return isInputUp }
    if term != other.term { return term > other.term }
    if length != other.length { return length > other.length }
    return other.node.hasSmallerBytes(than: node)
  }

  /// The digest of the end of a journal. Journals that differ never become the same again: their lines have dates and identifiers.
  package static func digest(_ journal: ArraySlice<UInt8>) -> String {
    SHA256.hash(Array(journal.suffix(digestedBytes))).prefix(16).map { $0.digits(2, radix: 16, uppercase: false) }.joined()
  }

  private static let digestedBytes = 16 << 10
}

extension PairHello {
  var object: JSONObject {
    var object = JSONObject()
    object.append("version", Self.version)
    object.append("stream", stream)
    object.append("game", game)
    object.append("node", node)
    object.append("phase", phase.rawValue)
    object.append("term", term)
    object.append("input", isInputUp)
    object.append("length", length)
    object.append("digest", digest)
    if let token { object.append("token", token) }
    return object
  }

  init?(_ object: JSONObject) {
    guard object["version"]?.int == Self.version, let stream = object["stream"]?.string, let game = object["game"]?.string,
      let node = object["node"]?.string, let phase = object["phase"]?.string.flatMap({ Phase(rawValue: $0) }),
      let term = object["term"]?.int, let isInputUp = object["input"]?.bool, let length = object["length"]?.int, length >= 0,
      let digest = object["digest"]?.string
    else { return nil }
    self.init(
      stream: stream, game: game, node: node, phase: phase, term: term, length: length, digest: digest, token: object["token"]?.string)
    self.isInputUp = isInputUp
  }
}
