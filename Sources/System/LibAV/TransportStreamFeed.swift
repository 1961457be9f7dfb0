package import Basics
internal import CLibAV

/// A transport stream that is still being made, and the time that its clock has in the copy.
package struct TransportStreamFeed: Sendable {
  /// What messages call it.
  package var name: String
  /// A timestamp of the stream, of 33 bits, and which time it is in the copy. Others are counted from it.
  package var timestamp: UInt64
  package var time: MediaTime
  /// The next bytes, which it waits for; `nil` at the end.
  package var next: @Sendable () -> [UInt8]?

  package init(name: String, timestamp: UInt64, is time: MediaTime, next: @escaping @Sendable () -> [UInt8]?) {
    (self.name, self.timestamp, self.time, self.next) = (name, timestamp, time, next)
  }
}

/// What libavformat reads a feed through. A class, because libavformat holds a pointer to it.
@safe
final class FeedReader {
  // Unsafe: allocated in `init`, freed in `deinit`, with the buffer that it reads into.
  private var context: UnsafeMutablePointer<AVIOContext>?
  private let libav: LibAVFunctions
  private let feed: TransportStreamFeed
  /// What libavformat has not taken yet.
  private var rest: ArraySlice<UInt8> = []
  private var unwrapper = TimestampUnwrapper()
  /// What is added to times of the stream's clock.
  private let shift: MediaTime

  private static let bufferSize = 188 * 174

  init(_ feed: TransportStreamFeed, _ libav: LibAVFunctions) throws(RemuxError) {
    self.feed = feed
    self.libav = libav
    shift = feed.time - unwrapper.unwrap(feed.timestamp)
    // Unsafe: the pointer to this object is not retained; the context is freed before the object is.
    let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
    var buffer = unsafe libav.av_malloc(Self.bufferSize)?.assumingMemoryBound(to: UInt8.self)
    unsafe context = cuelight_open_input(libav, buffer, Int32(Self.bufferSize), opaque) { opaque, bytes, size in
      guard let opaque = unsafe opaque, let bytes = unsafe bytes else { return cuelight_error_end_of_file }
      let reader = unsafe Unmanaged<FeedReader>.fromOpaque(opaque).takeUnretainedValue()
      return unsafe reader.read(into: UnsafeMutableBufferPointer(start: bytes, count: Int(size)))
    }
    guard unsafe context == nil else { return }
    unsafe libav.av_freep(&buffer)
    throw .outOfMemory("reading \(feed.name)")
  }

  deinit {
    // libavformat may have replaced the buffer.
    if let context = unsafe context { unsafe libav.av_free(context.pointee.buffer) }
    unsafe libav.avio_context_free(&context)
  }

  /// What libavformat reads from.
  var pointer: UnsafeMutablePointer<AVIOContext>? { unsafe context }

  private func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int32 {
    while rest.isEmpty {
      guard let bytes = feed.next() else { return cuelight_error_end_of_file }
      rest = bytes[...]
    }
    let part = rest.prefix(buffer.count)
    _ = unsafe buffer.update(fromContentsOf: part)
    rest = rest.dropFirst(part.count)
    return Int32(part.count)
  }

  /// Gives a packet the times that it has in the copy. libavformat lets clocks wrap once at most, and takes jumps for wraps.
  func setTimes(of packet: inout MediaPacket) {
    let times = packet.times
    guard let decoding = (times.decoding ?? times.presentation).map({ unwrapper.unwrap(Self.timestamp($0)) + shift }) else { return }
    let presentation = times.presentation.map { unwrapper.peek(Self.timestamp($0)) + shift }
    packet.setTimes(presentation: presentation ?? decoding, decoding: decoding)
  }

  private static func timestamp(_ time: MediaTime) -> UInt64 { UInt64(bitPattern: time.ticks) & UInt64(TimestampUnwrapper.period - 1) }
}
