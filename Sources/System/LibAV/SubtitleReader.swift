package import Basics

/// A text that a file shows for a time.
package struct SubtitlePacket: Equatable, Sendable {
  /// The index of its stream.
  package var stream: Int
  /// When it is shown, from the first key frame of the video on; negative before that.
  package var start: MediaTime
  /// How long it is shown; `nil` if the container does not say.
  package var duration: MediaTime?
  /// Its text, in the form of its codec.
  package var bytes: [UInt8]
}

/// Reads the texts of subtitles from files.
package enum SubtitleReader {
  /// libavcodec's names of the codecs whose packets are texts.
  package static let textCodecs: Set<String> = ["subrip", "mov_text", "ass", "webvtt", "text"]
  /// The largest number of texts, and of their bytes.
  private static let mostPackets = 200_000
  private static let mostBytes = 16 << 20

  /// The streams of text subtitles of a file.
  package static func streams(of input: borrowing MediaInput) -> [MediaStream] {
    input.streams.filter { $0.kind == .subtitle && textCodecs.contains($0.codecName) }
  }

  /// Reads the texts of some streams, in the order of the file. All of the file is read.
  ///
  /// - Throws: `RemuxError` if the file cannot be read.
  package static func packets(_ input: consuming MediaInput, of streams: [MediaStream]) throws(RemuxError) -> [SubtitlePacket] {
    var input = input
    let video = input.streams.first { $0.kind == .video && !$0.isAttachedPicture }
    let wanted = Set(streams.map(\.index))
    var packet = try MediaPacket()
    var zero: MediaTime?
    var packets: [SubtitlePacket] = []
    var byteCount = 0
    while try input.read(into: &packet) {
      let times = packet.times
      guard let presentation = times.presentation else { continue }
      if zero == nil, times.stream == video?.index, times.isKey { zero = presentation }
      guard wanted.contains(times.stream), packets.count < mostPackets, byteCount + packet.size <= mostBytes else { continue }
      byteCount += packet.size
      packets.append(
        SubtitlePacket(stream: times.stream, start: presentation, duration: times.duration, bytes: [UInt8](copying: packet.span)))
    }
    for index in packets.indices { packets[index].start = packets[index].start - (zero ?? .zero) }
    return packets
  }
}
