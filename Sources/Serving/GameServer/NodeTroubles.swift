import GameStore

/// The failures of a node's background work, and which of them the operator has been told about.
struct NodeTroubles {
  /// A kind of failure, in words for the operator.
  enum Kind: String {
    case listening = "this node hears late of what others do"
    case leading = "this node cannot take the lead"
    case catchingUp = "this node may lead, but cannot read what is stored"
    case outcomes = "this node cannot tell others that what they asked for is done"
    case leases = "this node cannot say which host leads"
    case consoles = "a host here may lead although another one does on another node"
    case forgotten = "this node does not know which games are forgotten"
  }

  private var known: Set<Kind> = []

  /// Records an outcome, and returns the message for the operator: a failure is reported once, and again only after a success.
  ///
  /// - Parameter failure: `nil` for a success. The operator is not told that a client has written something unfit.
  mutating func note(_ kind: Kind, _ failure: StoreError?) -> String? {
    guard let failure, !failure.isRefusal else {
      known.remove(kind)
      return nil
    }
    return known.insert(kind).inserted ? "\(kind.rawValue): \(failure)" : nil
  }
}
