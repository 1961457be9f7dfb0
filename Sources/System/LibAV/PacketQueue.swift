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

  /// The maximum number of packets that are held back.
  private static let largestCount = 4096
  /// The maximum number of bytes that are held back, not counting the packet that exceeds it.
  private static let largestByteCount = 32 << 20

  /// Whether no more packets should be held back.
  var isFull: Bool { times.count >= Self.largestCount || byteCount >= Self.largestByteCount }

  /// How many packets of a stream are held back.
  func count(of stream: Int) -> Int { counts[stream] ?? 0 }

  deinit {
    for index in unsafe packets.indices {
      var packet: UnsafeMutablePointer<AVPacket>? = unsafe packets[index]
      unsafe libav?.av_packet_free(&packet)
    }
  }

  /// Takes ownership of the bytes of `packet`, which is empty afterwards.
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

  /// Moves the first packet into `packet` and returns its times; `nil` if there is none.
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

  /// The indices of a stream's packets, those of key frames first.
  func indices(of stream: Int) -> [Int] {
    let indices = times.indices.filter { times[$0].stream == stream }
    return indices.filter { times[$0].isKey } + indices.filter { !times[$0].isKey }
  }

  /// Copies a packet into `packet`, sharing its bytes.
  func copy(_ index: Int, into packet: inout MediaPacket) throws(RemuxError) {
    packet.clear()
    try check(unsafe packet.libav.av_packet_ref(packet.pointer, packets[index]), "copying a packet")
  }

  /// Releases the packets of some streams.
  mutating func removeAll(of isUnwanted: (Int) -> Bool) {
    for index in times.indices.reversed() where isUnwanted(times[index].stream) {
      // Unsafe: nothing else has this packet any more.
      var packet: UnsafeMutablePointer<AVPacket>? = unsafe packets.remove(at: index)
      byteCount -= unsafe packet.map { unsafe Int($0.pointee.size) } ?? 0
      counts[times.remove(at: index).stream, default: 0] -= 1
      unsafe libav?.av_packet_free(&packet)
    }
  }

  /// Replaces the times of the packets: one for each, in their order.
  mutating func setTimes(_ times: [PacketTimes]) {
    guard times.count == self.times.count else { return }
    self.times = times
  }
}
