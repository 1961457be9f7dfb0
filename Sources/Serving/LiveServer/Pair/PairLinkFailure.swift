import Foundation
import NIOCore
import NIOPosix

/// Why a connection to the other node of a pair could not be made.
struct PairLinkFailure: Equatable, Sendable {
  /// The reason in words.
  let reason: String
  /// Whether a machine answered that no program listens at the port.
  let isRefusal: Bool
  /// Whether the reason lies on this machine, such as a forbidden socket option. Then the state of the other node is unknown.
  let isLocal: Bool

  init(_ error: any Error) {
    let causes = Self.causes(of: error)
    let codes = causes.compactMap { ($0 as? IOError)?.errnoCode }
    isRefusal = !causes.isEmpty && codes.count == causes.count && codes.allSatisfy { $0 == ECONNREFUSED }
    isLocal = codes.contains { !Self.ofNetwork.contains($0) }
    reason = causes.first.map(Self.text) ?? "\(error)"
  }

  /// Errors that networks and other machines cause.
  private static let ofNetwork = [
    ECONNREFUSED, ECONNRESET, ECONNABORTED, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ENETRESET, EPIPE,
  ]

  /// The errors for each address of a host.
  private static func causes(of error: any Error) -> [any Error] {
    guard let error = error as? NIOConnectionError else { return [error] }
    let resolving = [error.dnsAError, error.dnsAAAAError].compactMap { $0 }
    return error.connectionErrors.isEmpty ? resolving : error.connectionErrors.map(\.error)
  }

  private static func text(_ cause: any Error) -> String {
    if let error = cause as? IOError {
      return POSIXErrorCode(rawValue: error.errnoCode).map { POSIXError($0).localizedDescription } ?? "\(error)"
    }
    if case .connectTimeout? = cause as? ChannelError { return "no answer in time" }
    return "\(cause)"
  }
}
