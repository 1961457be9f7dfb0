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
    JSONObject(fields: [
      "version": Self.version, "stream": stream, "game": game, "node": node, "phase": phase.rawValue, "term": term, "input": isInputUp,
      "length": length, "digest": digest,
    ]).with("token", token)
  }

  init(_ object: JSONObject) throws(JSONFieldError) {
    _ = try object.int("version", in: Self.version...Self.version)
    self.init(
      stream: try object.string("stream"), game: try object.string("game"), node: try object.string("node"),
      phase: try object.require("phase") { $0.string.flatMap { Phase(rawValue: $0) } }, term: try object.int("term"),
      length: try object.int("length", in: .counts), digest: try object.string("digest"),
      token: try object.optional("token") { $0.string })
    isInputUp = try object.bool("input")
  }
}
