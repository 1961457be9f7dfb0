/// How something is asked for, and how much is put up with.
public struct TransferOptions: Sendable {
  /// The bytes to ask for; `nil` for all.
  public var range: ClosedRange<UInt64>?
  /// When to give up, wherever the transfer is.
  public var deadline: ContinuousClock.Instant
  /// How long the server may be silent once it was asked.
  public var silence: Duration
  /// How long connecting may take, the look-up of the name and TLS included, for each redirection anew.
  public var connecting: Duration
  /// How many redirections are followed.
  public var redirects: Int
  /// How many bytes the header fields of an answer may have, with those of interim answers before it and trailers behind it.
  public var headSize: Int
  /// A file of PEM certificates to be trusted instead of the system's authorities.
  public var authorities: String?

  /// All of a resource, with the system's authorities.
  public init(
    range: ClosedRange<UInt64>? = nil, deadline: ContinuousClock.Instant, silence: Duration, connecting: Duration, redirects: Int,
    headSize: Int, authorities: String? = nil
  ) {
    self.range = range
    self.deadline = deadline
    self.silence = silence
    self.connecting = connecting
    self.redirects = redirects
    self.headSize = headSize
    self.authorities = authorities
  }
}
