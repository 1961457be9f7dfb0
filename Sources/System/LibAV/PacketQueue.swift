internal import CLibAV

/// Packets that are held back with their times, first in, first out.
@safe
struct PacketQueue: ~Copyable {
  // Unsafe: each packet was taken from the `MediaPacket` that owned it, and goes to another or is freed in `deinit`.
  private var packets: [UnsafeMutablePointer<AVPacket>] = unsafe []
  /// The times of the packets, in their order.
  private(set) var times: [PacketTimes] = []
  private var byteCount = 0
  /// How many packets there are of each stream.
  private var counts: [Int: Int] = [:]
  /// Known with the first packet.
  private var libav: LibAVFunctions?

  /// The most packets that are held back.
  private static let largestCount = 4096
  /// The most bytes that are held back, besides the packet that exceeds them.
  private static let largestByteCount = 32 << 20

  /// Whether no more is to be held back.
  var isFull: Bool { times.count >= Self.largestCount || byteCount >= Self.largestByteCount }

  /// How many packets of a stream are held back.
  func count(of stream: Int) -> Int { counts[stream] ?? 0 }

  deinit {
    for index in unsafe packets.indices {
      var packet: UnsafeMutablePointer<AVPacket>? = unsafe packets[index]
      unsafe libav?.av_packet_free(&packet)
    }
  }

  /// Takes over the bytes of `packet`, which is empty afterwards.
  mutating func append(_ packet: inout MediaPacket) throws(RemuxError) {
    let libav = packet.libav
    self.libav = libav
    guard let held = unsafe libav.av_packet_alloc() else { throw .outOfMemory("holding a packet") }
    times.append(packet.times)
    counts[packet.streamIndex, default: 0] += 1
    byteCount += packet.size
    unsafe libav.av_packet_move_ref(held, packet.pointer)
    unsafe packets.append(held)
  }

  /// Moves the first packet into `packet` and gives its times; `nil` where there is none.
  mutating func popFirst(into packet: inout MediaPacket) -> PacketTimes? {
    guard !times.isEmpty else { return nil }
    // Unsafe: nothing else has this packet any more; it is freed when its content has moved.
    var held: UnsafeMutablePointer<AVPacket>? = unsafe packets.removeFirst()
    packet.clear()
    unsafe packet.libav.av_packet_move_ref(packet.pointer, held)
    unsafe packet.libav.av_packet_free(&held)
    byteCount -= packet.size
    counts[packet.streamIndex, default: 0] -= 1
    return times.removeFirst()
  }

  /// Copies a stream's first packet, a key frame if there is one, into `packet`, sharing its bytes; `false` where there is none.
  func copyFirst(of stream: Int, into packet: inout MediaPacket) throws(RemuxError) -> Bool {
    let key = times.firstIndex { $0.stream == stream && $0.isKey }
    guard let index = key ?? times.firstIndex(where: { $0.stream == stream }) else { return false }
    packet.clear()
    try check(unsafe packet.libav.av_packet_ref(packet.pointer, packets[index]), "copying a packet")
    return true
  }

  /// Gives the packets other times: one for each, in their order.
  mutating func setTimes(_ times: [PacketTimes]) {
    guard times.count == self.times.count else { return }
    self.times = times
  }
}
