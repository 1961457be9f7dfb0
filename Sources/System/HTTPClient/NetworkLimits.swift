/// Limits of time and bytes for a request.
package struct NetworkLimits: Equatable, Sendable {
  /// The maximum number of bytes of the resource. Bytes before the requested range, which a server may send, count.
  package var bytes: Int
  /// The maximum time from the first connection to the last byte.
  package var time: Duration
  /// How long the server may be silent after the request.
  package var silence: Duration
  /// How long connecting may take, the look-up of the name and TLS included, for each redirection separately.
  package var connecting: Duration
  /// How many redirections are followed.
  package var redirects: Int
  /// How long it may take until the head of the response has arrived, redirections included; ``time`` applies as well.
  package var headTime = Duration.seconds(60)
  /// The maximum number of bytes in the header fields of a response, including interim responses and trailers.
  package var headSize = 64 << 10

  /// Limits; the defaults suit the segments of a broadcast.
  package init(
    bytes: Int = 256 << 20, time: Duration = .seconds(60), silence: Duration = .seconds(10), connecting: Duration = .seconds(10),
    redirects: Int = 8
  ) {
    (self.bytes, self.time, self.silence, self.connecting, self.redirects) = (bytes, time, silence, connecting, redirects)
  }
}
