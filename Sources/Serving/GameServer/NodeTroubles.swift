import GameStore

/// What goes wrong on a node that nobody has called for, and what the operator knows of it.
struct NodeTroubles {
  /// What goes wrong, in words for the operator.
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

  /// Notes how something went, and gives what to tell the operator: a trouble once, and again only after it went well.
  ///
  /// - Parameter failure: `nil` if it went well. That a client has written something unfit is nothing for the operator.
  mutating func note(_ kind: Kind, _ failure: StoreError?) -> String? {
    guard let failure, !failure.isRefusal else {
      known.remove(kind)
      return nil
    }
    return known.insert(kind).inserted ? "\(kind.rawValue): \(failure)" : nil
  }
}
