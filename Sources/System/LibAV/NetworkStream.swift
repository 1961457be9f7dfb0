import Basics
internal import CLibAV

/// Bytes over a network by one of libavformat's protocols: UDP or SRT. No muxer and no demuxer touches them.
@safe
package struct NetworkStream: ~Copyable {
  /// The direction of the bytes.
  package enum Direction: Sendable {
    /// From the network to this program.
    case receiving
    /// From this program to the network.
    case sending
  }

  // Unsafe: opened in `init`, closed in `deinit`, and lent to C only for the length of a call.
  private var context: UnsafeMutablePointer<AVIOContext>?
  private let libav: LibAVFunctions
  private let interruption: Interruption
  private let address: String
  private var buffer: [UInt8]

  /// The maximum number of bytes that are received at once.
  private static let bufferSize = 64 << 10
  /// The size of a datagram: seven packets.
  private static let datagramSize = "1316"

  /// Opens an address, and waits for the other side if its protocol has one.
  ///
  /// - Parameters:
  ///   - address: A URL of the schemes `udp` or `srt`, with libavformat's options in its query.
  ///   - isInterrupted: Asked often while libavformat waits; `true` ends the waiting.
  /// - Throws: `RemuxError`.
  package init(
    _ address: String, _ direction: Direction, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(RemuxError) {
    let operation = "opening \(address.withoutSecrets)"
    let libav = try LibAVFunctions.found(for: operation)
    _ = libav.avformat_network_init()
    let interruption = Interruption(isInterrupted)
    var callback = unsafe interruption.callback
    var options: OpaquePointer?
    // Options in the query of the address override these.
    for (key, value) in Self.options(address, direction) { _ = unsafe libav.av_dict_set(&options, key, value, 0) }
    defer { unsafe libav.av_dict_free(&options) }
    var opened: UnsafeMutablePointer<AVIOContext>?
    let flags = direction == .receiving ? AVIO_FLAG_READ : AVIO_FLAG_WRITE
    try check(unsafe libav.avio_open2(&opened, address, flags, &callback, &options), operation)
    (self.libav, self.interruption, self.address) = (libav, interruption, address.withoutSecrets)
    buffer = direction == .receiving ? [UInt8](repeating: 0, count: Self.bufferSize) : []
    unsafe context = unsafe opened
  }

  deinit {
    withExtendedLifetime(interruption) {
      var context = unsafe context
      _ = unsafe libav.avio_closep(&context)
    }
  }

  private static func options(_ address: String, _ direction: Direction) -> [(String, String)] {
    guard address.utf8.starts(with: "udp:".utf8) else { return [("payload_size", datagramSize)] }
    return direction == .sending
      ? [("pkt_size", datagramSize)]
      // A burst that is larger than the buffer loses packets; it does not end the stream.
      : [("fifo_size", "57344"), ("overrun_nonfatal", "1"), ("buffer_size", "4194304")]
  }

  /// Receives the next bytes, waiting for them.
  ///
  /// - Returns: The bytes; none once the other side has ended the stream.
  /// - Throws: `RemuxError.interrupted`, or the network's error.
  package mutating func receive() throws(RemuxError) -> ArraySlice<UInt8> {
    // Unsafe: C writes at most as many bytes as the array has.
    let count = unsafe buffer.withUnsafeMutableBufferPointer { unsafe libav.avio_read_partial(context, $0.baseAddress, Int32($0.count)) }
    if interruption.isInterrupted() { throw .interrupted }
    guard count != cuelight_error_end_of_file, count != 0 else { return [] }
    try check(count, "reading \(address)")
    return buffer[..<Int(count)]
  }

  /// Sends bytes at once.
  ///
  /// - Throws: `RemuxError` if the other side is gone.
  package mutating func send(_ bytes: [UInt8]) throws(RemuxError) {
    unsafe libav.avio_write(context, bytes, Int32(clamping: bytes.count))
    unsafe libav.avio_flush(context)
    try check(unsafe context?.pointee.error ?? 0, "writing \(address)")
  }
}

extension String {
  /// An address as messages may show it: without its query, which may contain a passphrase, and without the user and the password before the host.
  package var withoutSecrets: String {
    let shown = utf8.prefix { $0 != UInt8(ascii: "?") }
    // Only a scheme may come before the first slash: a path has no host.
    guard let slash = shown.firstIndex(of: UInt8(ascii: "/")), shown[..<slash].last == UInt8(ascii: ":"),
      shown[slash...].starts(with: "//".utf8)
    else { return String(decoding: shown, as: UTF8.self) }
    let rest = shown[slash...].dropFirst(2)
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "#") }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(decoding: shown, as: UTF8.self) }
    return String(decoding: shown[..<rest.startIndex], as: UTF8.self) + String(decoding: rest[at...].dropFirst(), as: UTF8.self)
  }
}
