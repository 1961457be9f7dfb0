import HTTPClient

/// Why an origin has not taken something.
enum PushFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The status of its answer, and the name of the error if it gave one.
  case status(Int, name: String?)
  case network(NetworkInputError.Reason)

  /// Whether the origin does not want what was sent, as opposed to being unable to take it now.
  var isRefusal: Bool {
    switch self {
    case .status(let status, _): !NetworkInputError(url: "", reason: .init(status: status)).isWorthRetrying
    case .network(let reason): !NetworkInputError(url: "", reason: reason).isWorthRetrying && reason != .interrupted
    }
  }

  var description: String {
    switch self {
    case .status(let status, let name):
      "\(NetworkInputError.Reason(status: status))" + (name.map { ": \($0)" } ?? "")
    case .network(let reason): "\(reason)"
    }
  }
}
