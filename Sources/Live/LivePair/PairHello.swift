import Basics

/// What a node of a pair says about itself first.
package struct PairHello: Equatable, Sendable {
  /// The role of a node.
  package enum Phase: String, Equatable, Sendable {
    /// It has begun, and does not know which node leads.
    case undecided
    /// It has followed until now, and is about to lead.
    case succeeding
    /// It keeps a copy of what the other node decides.
    case following
    /// It decides.
    case leading
  }

  /// The names of the stream and of its game. If they differ from those of the other node, the operator has made a mistake.
  package var stream: String
  package var game: String
  /// The node's unique name.
  package var node: String
  package var phase: Phase
  /// The latest term in this node's journal.
  package var term: Int
  /// Whether its input is up.
  package var isInputUp = false
  /// The number of bytes in its journal, and the digest of its end.
  package var length: Int
  package var digest: String
  /// A token to publish; `nil` if none is needed.
  package var token: String?

  package init(stream: String, game: String, node: String, phase: Phase, term: Int, length: Int, digest: String, token: String? = nil) {
    (self.stream, self.game, self.node, self.phase) = (stream, game, node, phase)
    (self.term, self.length, self.digest, self.token) = (term, length, digest, token)
  }

  /// The version of the protocol, which both nodes must have.
  static let version = 1

  /// Whether this node leads if neither follows the other. An input decides, then the longer journal, then the names. Both nodes come to the same answer.
  package func leads(over other: PairHello) -> Bool {
    if isInputUp != other.isInputUp, phase == .leading, other.phase == .leading { return isInputUp }
    if term != other.term { return term > other.term }
    if length != other.length { return length > other.length }
    return other.node.hasSmallerBytes(than: node)
  }

  /// The digest of the end of a journal. Journals that differ once differ for ever, since their lines have dates and identifiers.
  package static func digest(_ journal: ArraySlice<UInt8>) -> String {
    SHA256.hash(Array(journal.suffix(digestedBytes))).prefix(16).hexadecimal
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
