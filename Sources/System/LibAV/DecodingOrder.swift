internal import Basics
internal import CLibAV

/// Sorts the packets of several streams by decoding time.
///
/// A packet is released when every stream has one waiting, so that no earlier one can arrive, or when so much is waiting that a stream
/// seems to have ended.
@safe
struct DecodingOrder: ~Copyable {
  @safe
  private struct Entry {
    // Unsafe: taken from the `MediaPacket` that owned it; goes to another or is freed in `deinit`.
    let packet: UnsafeMutablePointer<AVPacket>
    let placed: PlacedPacket
  }

  /// The waiting packets; the one to decode first is last.
  private var waiting: [Entry] = []
  private var counts: [Int: Int]
  private let first: Int
  private var byteCount = 0
  /// Known with the first packet.
  private var libav: LibAVFunctions?

  /// The longest time that a stream without packets delays the others, as in libavformat (`max_interleave_delta`).
  private static let longestWait = MediaTime(seconds: 10)
  /// The maximum number of waiting bytes, not counting the packet that exceeds it.
  private static let largestByteCount = 32 << 20

  /// Starts without packets.
  ///
  /// - Parameters:
  ///   - streams: The streams that packets come from.
  ///   - first: The stream whose packets precede others with the same decoding time.
  init(streams: [Int], first: Int) {
    counts = Dictionary(streams.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })
    self.first = first
  }

  deinit {
    for entry in waiting {
      var packet: UnsafeMutablePointer<AVPacket>? = unsafe entry.packet
      unsafe libav?.av_packet_free(&packet)
    }
  }

  /// Whether the first packet can be released.
  var isReady: Bool {
    guard let first = waiting.last, let last = waiting.first else { return false }
    return counts.values.allSatisfy { $0 > 0 } || last.placed.decoding - first.placed.decoding > Self.longestWait
      || byteCount > Self.largestByteCount
  }

  /// Takes ownership of the bytes of `packet`, which is empty afterwards.
  mutating func append(_ packet: inout MediaPacket, _ placed: PlacedPacket) throws(RemuxError) {
    let libav = packet.libav
    self.libav = libav
    guard let held = unsafe libav.av_packet_alloc() else { throw .outOfMemory("holding a packet") }
    byteCount += packet.size
    unsafe libav.av_packet_move_ref(held, packet.pointer)
    counts[placed.stream, default: 0] += 1
    let index = waiting.firstIndex { goes(placed, after: $0.placed) } ?? waiting.endIndex
    unsafe waiting.insert(Entry(packet: held, placed: placed), at: index)
  }

  /// Moves the first packet into `packet` and returns its place; `nil` if there is none.
  mutating func popFirst(into packet: inout MediaPacket) -> PlacedPacket? {
    guard let entry = waiting.popLast() else { return nil }
    // Unsafe: nothing else has this packet any more; it is freed when its content has moved.
    var held: UnsafeMutablePointer<AVPacket>? = unsafe entry.packet
    packet.clear()
    unsafe packet.libav.av_packet_move_ref(packet.pointer, held)
    unsafe packet.libav.av_packet_free(&held)
    byteCount -= packet.size
    counts[entry.placed.stream, default: 1] -= 1
    return entry.placed
  }

  private func goes(_ packet: PlacedPacket, after other: PlacedPacket) -> Bool {
    if packet.decoding != other.decoding { return packet.decoding > other.decoding }
    return other.stream == first || packet.stream != first
  }
}
