internal import CLibAV

/// The owner of a TCP connection to a server, with or without TLS.
///
/// libavformat connects, encrypts and waits; what is said over the connection is the caller's business. The HTTP of libavformat 5.1 is not used:
/// it takes a chunked answer that was cut off between two chunks for a whole one, and a whole answer without a length for a broken one.
@safe
public struct ServerConnection: ~Copyable {
  // Unsafe: opened in `init`, closed in `deinit`, and never handed out.
  private let context: UnsafeMutablePointer<AVIOContext>
  private let patience: Patience
  /// The server's name or address and the port, for messages.
  public let name: String

  /// How a connection is protected.
  public enum Security: Equatable, Sendable {
    /// Not at all.
    case none
    /// By TLS: the server's certificate must be valid for the host and vouched for by the system's trusted authorities, or by those in the
    /// file of PEM certificates at `authorities`.
    case tls(authorities: String? = nil)
  }

  /// Connects.
  ///
  /// - Parameters:
  ///   - host: A name, an IPv4 address, or an IPv6 address in brackets, of letters, digits and `-._:[]` only.
  ///   - deadline: When to give up. Looking up a name is the system's business, which neither this nor `isInterrupted` can shorten.
  ///   - isInterrupted: Asked ten times a second and more while this or a later call waits; `true` ends the work.
  /// - Throws: `ConnectionError`, also where the server's certificate is not in order.
  public init(
    host: String, port: UInt16, security: Security = .none, until deadline: ContinuousClock.Instant,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(ConnectionError) {
    quietLibrary
    name = "\(host):\(port)"
    let operation = "connecting to \(name)"
    // What follows a question mark would be options of libavformat's.
    guard host.utf8.allSatisfy(Self.isAllowed) else {
      throw .failed(AVError(code: cuelight_error_of_errno(EINVAL), operation: operation))
    }
    let patience = Patience(isInterrupted, deadline)
    // A proxy is taken from the environment by libavformat's TLS.
    var settings = [("protocol_whitelist", "tcp,tls,httpproxy")]
    var scheme = "tcp"
    if case .tls(let authorities) = security {
      scheme = "tls"
      settings.append(("tls_verify", "1"))
      if let authorities { settings.append(("ca_file", authorities)) }
    }
    var options: OpaquePointer?
    defer { unsafe av_dict_free(&options) }
    for (name, value) in settings {
      let code = unsafe av_dict_set(&options, name, value, 0)
      guard code >= 0 else { throw .failed(AVError(code: code, operation: operation)) }
    }
    var interruption = unsafe patience.callback
    var opened: UnsafeMutablePointer<AVIOContext>?
    let flags = AVIO_FLAG_READ_WRITE | AVIO_FLAG_DIRECT
    // The callback is copied; `patience` outlives the context. What is not understood stays in the options.
    let code = unsafe avio_open2(&opened, "\(scheme)://\(name)", flags, &interruption, &options)
    guard code >= 0, let context = unsafe opened else {
      // A name that cannot be looked up and a certificate that is not in order give no better code.
      let isUnclear = code == cuelight_error_of_errno(EIO)
      let failure: ConnectionError =
        isUnclear ? .notFound(name, isSecure: security != .none) : .failed(AVError(code: code, operation: operation))
      throw patience.verdict ?? failure
    }
    guard unsafe av_dict_get(options, "tls_verify", nil, 0) == nil else {
      unsafe avio_closep(&opened)
      throw .failed(AVError(code: cuelight_error_not_implemented, operation: operation))
    }
    unsafe self.context = context
    self.patience = patience
  }

  deinit {
    // TLS would wait for the server to take its leave.
    patience.end()
    withExtendedLifetime(patience) {
      var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
      unsafe avio_closep(&context)
    }
  }

  /// Sends bytes, all of them.
  ///
  /// - Throws: `ConnectionError`.
  public mutating func send(_ bytes: Span<UInt8>, until deadline: ContinuousClock.Instant) throws(ConnectionError) {
    try patience.begin(until: deadline)
    // Unsafe: the bytes are read for the length of the call. More than an Int32 can count is no request.
    unsafe bytes.withUnsafeBufferPointer { raw in unsafe avio_write(context, raw.baseAddress, Int32(clamping: raw.count)) }
    unsafe avio_flush(context)
    try check(unsafe context.pointee.error, "sending to")
  }

  /// Waits for bytes and puts them into the buffer from `start` on, as many as there are and fit.
  ///
  /// - Returns: How many came; 0 where the server has closed the connection, or nothing fits. (Whether a server closed a connection with TLS
  ///   properly cannot be told.)
  /// - Throws: `ConnectionError`, also where the connection broke.
  public mutating func receive(
    into buffer: inout [UInt8], from start: Int = 0, until deadline: ContinuousClock.Instant
  ) throws(ConnectionError) -> Int {
    try patience.begin(until: deadline)
    guard buffer.indices.contains(start) else { return 0 }
    // Unsafe: at most what is left of the buffer is written; `start` is within it, and nothing else refers to it meanwhile.
    let code = unsafe buffer.withUnsafeMutableBufferPointer { raw in
      let rest = raw.extracting(start...)
      return unsafe avio_read_partial(context, rest.baseAddress, Int32(clamping: rest.count))
    }
    if code == cuelight_error_end_of_file { return 0 }
    try check(code, "receiving from")
    return Int(code)
  }

  private func check(_ code: Int32, _ operation: String) throws(ConnectionError) {
    guard code < 0 else { return }
    throw patience.verdict ?? .failed(AVError(code: code, operation: "\(operation) \(name)"))
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "-._:[]".utf8.contains(byte)
    }
  }
}

/// Why a connection was not made or did not last.
public enum ConnectionError: Error, Equatable, Sendable {
  /// The caller's interrupt check asked for the end of the work.
  case interrupted
  /// The caller's deadline has passed.
  case timedOut
  /// The host's name is not known; or, where TLS was asked for, the server does not speak it, or its certificate is not in order.
  case notFound(String, isSecure: Bool)
  /// libavformat failed.
  case failed(AVError)
}

extension ConnectionError: CustomStringConvertible {
  /// The error in words.
  public var description: String {
    switch self {
    case .interrupted: "interrupted"
    case .timedOut: "timed out"
    case .notFound(let name, isSecure: false): "connecting to \(name): there is no host of this name"
    case .notFound(let name, isSecure: true):
      "connecting to \(name): there is no host of this name, or its certificate is not valid and trusted"
    case .failed(let error): "\(error)"
    }
  }
}

/// How long to wait. A class, because libavformat holds a pointer to it for as long as the connection is open.
private final class Patience {
  private let isInterrupted: @Sendable () -> Bool
  private var deadline: ContinuousClock.Instant
  /// Why the wait was ended.
  private(set) var verdict: ConnectionError?

  init(_ isInterrupted: @escaping @Sendable () -> Bool, _ deadline: ContinuousClock.Instant) {
    self.isInterrupted = isInterrupted
    self.deadline = deadline
  }

  /// Starts anew, for one call.
  func begin(until deadline: ContinuousClock.Instant) throws(ConnectionError) {
    self.deadline = deadline
    verdict = nil
    if isExhausted() { throw verdict ?? .timedOut }
  }

  /// Waits for nothing any more.
  func end() { verdict = .interrupted }

  private func isExhausted() -> Bool {
    if verdict == nil {
      verdict = isInterrupted() ? .interrupted : ContinuousClock.now >= deadline ? .timedOut : nil
    }
    return verdict != nil
  }

  var callback: AVIOInterruptCB {
    // Unsafe: the pointer is not retained; `ServerConnection` keeps the object until the context is closed.
    unsafe AVIOInterruptCB(
      callback: { opaque in
        guard let opaque = unsafe opaque else { return 0 }
        return unsafe Unmanaged<Patience>.fromOpaque(opaque).takeUnretainedValue().isExhausted() ? 1 : 0
      }, opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}
