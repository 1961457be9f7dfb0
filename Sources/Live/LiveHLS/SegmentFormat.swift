import Basics
import CMAF
import HLSPlaylist
import NALUnits
import Stamping
import TransportStream

/// The coding of the streams in a transport stream segment, for CODECS and RESOLUTION in playlists.
struct SegmentFormat: Equatable {
  /// The codecs in the notation of RFC 6381, joined by commas; `nil` if the coding of one of the streams is unknown.
  var codecs: String?
  /// The size of the pictures; `nil` without video, or if it is unknown.
  var resolution: Resolution?

  /// Reads a segment as far as necessary.
  init(of segment: [UInt8]) {
    var reader = Reader()
    for start in stride(from: 0, to: segment.count - TransportPacket.size + 1, by: TransportPacket.size) {
      reader.push(segment.span.extracting(start..<start + TransportPacket.size))
      if reader.isComplete { break }
    }
    resolution = reader.streams.lazy.compactMap(\.size).first.map { Resolution($0) }
    guard reader.isComplete else { return }
    codecs = reader.streams.compactMap(\.codec).joined(separator: ",")
  }

  /// The coding of one stream of the segment.
  private struct Stream {
    var stream: ProgramMapTable.ElementaryStream
    var codec: String?
    var size: PictureSize?
    /// The start of an access unit of video, until its parameter sets are found.
    private var head: AccessUnitHead?

    init(_ stream: ProgramMapTable.ElementaryStream) {
      self.stream = stream
      let tags = stream.type == .privateData ? stream.descriptors.map(\.tag) : []
      if stream.type == .ac3 || tags.contains(Descriptor.Tag.ac3) { codec = "ac-3" }
      if stream.type == .eac3 || tags.contains(Descriptor.Tag.eac3) { codec = "ec-3" }
    }

    /// Receives the first bytes of an access unit.
    mutating func begin(_ payload: Span<UInt8>) {
      head = stream.type.nalUnitCodec.map { AccessUnitHead($0, .startCodes) }
      if head == nil { codec = SegmentFormat.audioCodec(stream.type, payload) } else { push(payload) }
    }

    /// Receives further bytes.
    mutating func push(_ payload: Span<UInt8>) {
      guard var reading = head.take() else { return }
      guard reading.push(payload) != .incomplete else { return head = reading }
      // Parameter sets may come with a later access unit.
      guard let range = reading.units.first(where: { reading.codec.isSequenceParameterSet(reading.bytes[$0.lowerBound]) }),
        case let set = Array(reading.bytes[range]),
        let parameters = try? VideoParameters(reading.codec, sequenceParameterSet: set.span)
      else { return }
      (codec, size) = (parameters.codec, parameters.size)
    }
  }

  private struct Reader {
    var streams: [Stream] = []
    private var tables = ProgramTables()

    var isComplete: Bool { !streams.isEmpty && streams.allSatisfy { $0.codec != nil } }

    mutating func push(_ packet: Span<UInt8>) {
      guard let header = try? TransportPacket(packet) else { return }
      let payload = packet.extracting(header.payload)
      for case .map(let pmt) in tables.push(header, payload: payload) where streams.isEmpty {
        streams = pmt.streams.filter { $0.type.isVideo || $0.isAudio }.map { Stream($0) }
      }
      guard let index = streams.firstIndex(where: { $0.stream.pid == header.pid && $0.codec == nil }) else { return }
      guard header.startsUnit else { return streams[index].push(payload) }
      guard let start = (try? PESHeader(payload))?.size, start <= payload.count else { return }
      streams[index].begin(payload.extracting(start..<payload.count))
    }
  }

  /// Finds the codec in the header of the first frame of audio.
  private static func audioCodec(_ type: StreamType, _ payload: Span<UInt8>) -> String? {
    let isMPEGAudio = type == .mpeg1Audio || type == .mpeg2Audio
    for index in payload.indices.dropLast() where payload[index] == 0xFF {
      let (next, layer) = (payload[index + 1], payload[index + 1] >> 1 & 3)
      // The profile of ADTS (ISO/IEC 14496-3, 1.A.2.2.1).
      if type == .aac, next & 0xF6 == 0xF0, index + 2 < payload.count { return "mp4a.40.\(payload[index + 2] >> 6 + 1)" }
      // The layer (ISO/IEC 11172-3, 2.4.1.3): 1 for layer III, whose object type is 34, to 3 for layer I.
      if isMPEGAudio, next & 0xE0 == 0xE0, layer != 0 { return "mp4a.40.\(35 - layer)" }
    }
    return nil
  }
}
