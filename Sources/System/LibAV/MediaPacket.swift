package import Basics
internal import CLibAV

/// The owner of one packet: usually one access unit of video or one audio frame, with its times on the 90 kHz clock.
@safe
package struct MediaPacket: ~Copyable {
  // Unsafe: allocated in `init`, freed in `deinit`, and lent to C only for the length of a call.
  let pointer: UnsafeMutablePointer<AVPacket>
  let libav: LibAVFunctions

  /// An empty packet, to read into.
  ///
  /// - Throws: `RemuxError` if there is no memory for it, or FFmpeg's libraries are missing.
  package init() throws(RemuxError) {
    let libav = try LibAVFunctions.found(for: "making a packet")
    guard let packet = unsafe libav.av_packet_alloc() else { throw .outOfMemory("making a packet") }
    unsafe pointer = packet
    self.libav = libav
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe pointer
    unsafe libav.av_packet_free(&packet)
  }

  /// The index of the packet's stream in the input.
  package var streamIndex: Int { Int(unsafe pointer.pointee.stream_index) }

  /// How many bytes the packet carries.
  package var size: Int { Int(unsafe pointer.pointee.size) }

  /// The packet's bytes.
  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // Unsafe: libav's packet has `size` bytes for as long as `self` has it, which the span's lifetime depends on.
      let span = unsafe UnsafeBufferPointer(start: pointer.pointee.data, count: pointer.pointee.data == nil ? 0 : size).span
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The packet's times and flags.
  package var times: PacketTimes {
    let (duration, flags) = unsafe (pointer.pointee.duration, pointer.pointee.flags)
    return PacketTimes(
      stream: streamIndex, presentation: Self.time(unsafe pointer.pointee.pts), decoding: Self.time(unsafe pointer.pointee.dts),
      duration: duration > 0 ? MediaTime(ticks: duration) : nil,
      isKey: flags & AV_PKT_FLAG_KEY != 0, isHidden: flags & AV_PKT_FLAG_DISCARD != 0)
  }

  /// Sets when the packet is presented and decoded.
  package mutating func setTimes(presentation: MediaTime, decoding: MediaTime) {
    unsafe pointer.pointee.pts = presentation.ticks
    unsafe pointer.pointee.dts = decoding.ticks
  }

  /// Converts times from one time base to another.
  mutating func rescaleTimes(from old: AVRational, to new: AVRational) { unsafe libav.av_packet_rescale_ts(pointer, old, new) }

  /// Releases the packet's bytes.
  mutating func clear() { unsafe libav.av_packet_unref(pointer) }

  private static func time(_ value: Int64) -> MediaTime? {
    value == cuelight_no_timestamp ? nil : MediaTime(ticks: value)
  }
}

/// A packet's times, in 90 kHz ticks on the input's own timeline.
package struct PacketTimes: Equatable, Sendable {
  /// The index of the packet's stream in the input.
  package var stream: Int
  /// When the packet is presented (PTS); `nil` if the container does not say.
  package var presentation: MediaTime?
  /// When the packet is decoded (DTS); `nil` if the container does not say.
  package var decoding: MediaTime?
  /// How long the packet is presented; `nil` if the container does not say.
  package var duration: MediaTime?
  /// Whether decoding can start here.
  package var isKey: Bool
  /// Whether the packet is decoded but not shown, because an edit list hides it.
  package var isHidden: Bool
}

extension AVRational {
  /// One tick of the 90 kHz clock.
  static var ticks: AVRational { AVRational(num: 1, den: Int32(MediaTime.ticksPerSecond)) }
}
