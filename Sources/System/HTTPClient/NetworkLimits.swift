/// How much of a server's time and bytes is accepted.
package struct NetworkLimits: Equatable, Sendable {
  /// How many bytes of the resource may come. Those before a part that a server sends unasked count.
  package var bytes: Int
  /// How long all of it may take, from the first connection to the last byte.
  package var time: Duration
  /// How long the server may be silent once it was asked.
  package var silence: Duration
  /// How long connecting may take, the look-up of the name and TLS included, for each redirection anew.
  package var connecting: Duration
  /// How many redirections are followed.
  package var redirects: Int
  /// How long it may take until the answer's header has come, redirections included; the time for all of it counts as well.
  package var headTime = Duration.seconds(60)
  /// How many bytes the header fields of an answer may have, with those of interim answers before it and trailers behind it.
  package var headSize = 64 << 10

  /// Limits; those that are left out suit the segments of a broadcast.
  package init(
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
