/// How much of a server's time and bytes is accepted.
public struct NetworkLimits: Equatable, Sendable {
  /// How many bytes of the resource may come. Those before a part that a server sends unasked count.
  public var bytes: Int
  /// How long all of it may take, from the first connection to the last byte.
  public var time: Duration
  /// How long the server may be silent.
  public var silence: Duration
  /// How long connecting may take, TLS included, for each redirection anew.
  public var connecting: Duration
  /// How many redirections are followed.
  public var redirects: Int

  /// The longest head of an answer, in bytes.
  public static let headSize = 64 << 10

  /// Limits; those that are left out suit the segments of a broadcast.
  public init(
    bytes: Int = 256 << 20, time: Duration = .seconds(60), silence: Duration = .seconds(10), connecting: Duration = .seconds(10),
    redirects: Int = 8
  ) {
    self.bytes = bytes
    self.time = time
    self.silence = silence
    self.connecting = connecting
    self.redirects = redirects
  }
}
