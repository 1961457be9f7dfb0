import Basics
import CMAF
import TransportStream

/// Finds out how the streams of a segment are coded, for CODECS in playlists.
struct SegmentCodecs {
  private var tables = ProgramTables()
  private var streams: [(stream: ProgramMapTable.ElementaryStream, codec: String?)] = []

  /// The codecs of a segment as RFC 6381 writes them, joined by commas; `nil` where one of its streams has a coding that is not known here.
  static func codecs(of segment: [UInt8]) -> String? {
    var codecs = SegmentCodecs()
    for start in stride(from: 0, to: segment.count - TransportPacket.size + 1, by: TransportPacket.size) {
      codecs.push(segment.span.extracting(start..<start + TransportPacket.size))
      if codecs.isComplete { break }
    }
    guard !codecs.streams.isEmpty, codecs.isComplete else { return nil }
    return codecs.streams.compactMap(\.codec).joined(separator: ",")
  }

  private var isComplete: Bool { !streams.isEmpty && streams.allSatisfy { $0.codec != nil } }

  private mutating func push(_ packet: Span<UInt8>) {
    guard let header = try? TransportPacket(packet) else { return }
    let payload = packet.extracting(header.payload)
    for case .map(let pmt) in tables.push(header, payload: payload) where streams.isEmpty {
      streams = pmt.streams.filter { $0.type.isVideo || $0.isAudio }.map { ($0, nil) }
    }
    guard header.startsUnit, let index = streams.firstIndex(where: { $0.stream.pid == header.pid && $0.codec == nil }) else { return }
    guard let start = (try? PESHeader(payload))?.size, start <= payload.count else { return }
    streams[index].codec = Self.codec(streams[index].stream.type, payload.extracting(start..<payload.count))
  }

  /// The codec by the first bytes of an access unit.
  private static func codec(_ type: StreamType, _ payload: Span<UInt8>) -> String? {
    switch type {
    case .h264: h264(payload)
    case .aac: aac(payload)
    case .mpeg1Audio, .mpeg2Audio: mpegAudio(payload)
    default: nil
    }
  }

  /// By the sequence parameter set, whose first bytes are those of the decoder's configuration (ISO/IEC 14496-10, 7.3.2.1.1).
  private static func h264(_ payload: Span<UInt8>) -> String? {
    var index = 0
    while index + 6 < payload.count {
      if payload[index] == 0, payload[index + 1] == 0, payload[index + 2] == 1, payload[index + 3] & 0x1F == 7 {
        let profile = (payload[index + 4], payload[index + 5], payload[index + 6])
        return H264Profile(profile: profile.0, constraints: profile.1, level: profile.2).codec(.avc1)
      }
      index += 1
    }
    return nil
  }

  /// By the layer in the frame's header (ISO/IEC 11172-3, 2.4.1.3): 1 for layer III, whose object type is 34, to 3 for layer I.
  private static func mpegAudio(_ payload: Span<UInt8>) -> String? {
    var index = 0
    while index + 1 < payload.count {
      let layer = payload[index + 1] >> 1 & 3
      if payload[index] == 0xFF, payload[index + 1] & 0xE0 == 0xE0, layer != 0 { return "mp4a.40.\(35 - layer)" }
      index += 1
    }
    return nil
  }

  /// By the ADTS header (ISO/IEC 14496-3, 1.A.2.2.1).
  private static func aac(_ payload: Span<UInt8>) -> String? {
    var index = 0
    while index + 2 < payload.count {
      if payload[index] == 0xFF, payload[index + 1] & 0xF6 == 0xF0 { return "mp4a.40.\(payload[index + 2] >> 6 + 1)" }
      index += 1
    }
    return nil
  }
}
