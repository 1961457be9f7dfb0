public import MediaTime

/// Copies the picture and sound of a file of any container into a transport stream, without decoding them.
///
/// All video and audio streams are copied; subtitles, data, attachments and cover pictures are left out. Presentation times keep their
/// distances: all streams are shifted by one constant. Memory is bounded whatever the input's length.
///
/// ```swift
/// var remuxer = try TransportStreamRemuxer(MediaInput(path: "show.mp4"))
/// while let bytes = try remuxer.next() { try sink.write(bytes.span) }
/// ```
public struct TransportStreamRemuxer: ~Copyable {
  private var input: MediaInput
  private var muxer: TransportStreamMuxer
  private var packet: MediaPacket
  private var held: PacketQueue
  private var timeline: Timeline
  private let copied: [MediaStream]
  private var packetCount = 0
  private var damagedPackets = 0
  private var isRead = false
  private var isFinished = false

  /// The codecs that have a stream type in MPEG-TS, by libavcodec's names.
  public static let carriedCodecs: Set<String> = [
    "h264", "hevc", "mpeg1video", "mpeg2video", "mpeg4",
    "aac", "aac_latm", "mp2", "mp3", "ac3", "eac3", "dts", "truehd", "opus",
  ]

  /// So many packets that are not what their codec says are passed over in any file, and a hundredth of a long one.
  private static let damagedPacketsAllowed = 64
  /// Output is handed over when there is so much.
  private static let chunkSize = 188 * 512

  /// Looks at the start of the file and prepares the transport stream. Nothing was written before all checks were passed.
  ///
  /// - Parameters:
  ///   - input: The file, not yet read from.
  ///   - firstPresentation: When the program's zero is presented: the first key frame of the first video, or the first frame of
  ///     the first audio where there is no video. It is later where another stream starts so much earlier that its clock would be negative.
  /// - Throws: `RemuxError` where there is nothing to copy, a codec cannot be carried, or reading fails.
  public init(_ input: consuming MediaInput, firstPresentation: MediaTime = MediaTime(ticks: 900_000)) throws(RemuxError) {
    let copied = input.streams.filter { ($0.kind == .video || $0.kind == .audio) && !$0.isAttachedPicture }
    let refused = copied.filter { !Self.carriedCodecs.contains($0.codecName) }
    guard refused.isEmpty else { throw .codecsNotCarried(refused) }
    guard var start = StartOfStreams(copying: copied) else { throw .noVideoOrAudio }
    var input = input
    var packet = try remuxing { () throws(AVError) in try MediaPacket() }
    let muxer = try remuxing { () throws(AVError) in try TransportStreamMuxer(copying: copied.map(\.index), of: input) }
    var held = PacketQueue()
    while !start.isComplete, !held.isFull, let times = try Self.hold(copied, of: &input, through: &packet, in: &held) {
      start.append(times)
    }
    guard !start.packets.isEmpty else { throw .noVideoOrAudio }
    start.fillDecodingTimes()
    held.setTimes(start.packets)
    timeline = Timeline(start: start, firstPresentation: firstPresentation, lead: TransportStreamMuxer.lead)
    self.copied = copied
    self.input = input
    self.muxer = muxer
    self.packet = packet
    self.held = held
  }

  /// When the program's zero is presented in the transport stream.
  public var zero: MediaTime { timeline.zero }

  /// The next part of the transport stream, in whole packets of 188 bytes; `nil` at its end.
  ///
  /// - Throws: `RemuxError` where the file cannot be read on, its timestamps make no stream, or the input's interrupt check asked for the end.
  public mutating func next() throws(RemuxError) -> MuxedBytes? {
    while !isFinished, muxer.pendingByteCount < Self.chunkSize { try step() }
    guard muxer.pendingByteCount > 0 else { return nil }
    return try remuxing { () throws(AVError) in try muxer.takeOutput() }
  }

  /// What was done so far; at the end, the whole.
  public var summary: RemuxSummary {
    RemuxSummary(
      copied: copied, leftOut: input.streams.filter { stream in !copied.contains { $0.index == stream.index } }, packets: packetCount,
      zero: timeline.zero, end: timeline.end, inputDuration: input.duration, hiddenPicture: timeline.hiddenPicture,
      repairedPackets: timeline.repairedPackets,
      invalidPackets: input.invalidPackets + damagedPackets)
  }

  /// Muxes one packet of the input, or ends the stream.
  private mutating func step() throws(RemuxError) {
    guard !input.isInterrupted else { throw .interrupted }
    while !isRead, needsFollowing {
      isRead = try Self.hold(copied, of: &input, through: &packet, in: &held) == nil
    }
    guard let times = held.popFirst(into: &packet) else { return try finish() }
    let placed = try timeline.place(times, following: held.times)
    packet.setTimes(presentation: placed.presentation, decoding: placed.decoding)
    do throws(AVError) {
      try muxer.write(&packet)
      packetCount += 1
    } catch {
      damagedPackets += 1
      // A damaged file is copied without what is damaged; a stream that is not what its file says is not.
      guard error.isInvalidData, damagedPackets <= max(Self.damagedPacketsAllowed, packetCount / 100) else { throw .library(error) }
    }
  }

  private mutating func finish() throws(RemuxError) {
    try remuxing { () throws(AVError) in try muxer.finish() }
    isFinished = true
  }

  /// Whether a packet has to be read before the first that is held back can get its times.
  private var needsFollowing: Bool {
    guard let first = held.times.first else { return true }
    guard !held.isFull, copied.contains(where: { $0.index == first.stream && $0.kind == .video }) else { return false }
    return held.times.lazy.filter { $0.stream == first.stream }.prefix(Timeline.largestReorderDepth + 1).count
      <= Timeline.largestReorderDepth
  }

  /// Reads the next packet of the streams that are copied, holds it back, and gives its times; `nil` at the end of the file.
  private static func hold(
    _ copied: [MediaStream], of input: inout MediaInput, through packet: inout MediaPacket, in held: inout PacketQueue
  ) throws(RemuxError) -> PacketTimes? {
    while try remuxing({ () throws(AVError) in try input.read(into: &packet) }) {
      guard copied.contains(where: { $0.index == packet.streamIndex }) else { continue }
      try remuxing { () throws(AVError) in try held.append(&packet) }
      return held.times.last
    }
    return nil
  }
}

/// What copying a file into a transport stream did.
public struct RemuxSummary: Equatable, Sendable {
  /// The streams that were copied.
  public var copied: [MediaStream]
  /// The streams that were not.
  public var leftOut: [MediaStream]
  /// How many packets were copied.
  public var packets: Int
  /// When the program's zero is presented, in ticks of the transport stream.
  public var zero: MediaTime
  /// When the last picture or sound ends, in ticks of the transport stream.
  public var end: MediaTime
  /// How long the input says it is, if it does. Where much less was copied, the file is cut off.
  public var inputDuration: MediaTime?
  /// For how long, from the program's zero on, players show pictures that the input's edit list hides: MPEG-TS cannot hide them.
  public var hiddenPicture: MediaTime
  /// How many packets have times that were missing, went back, or were decoded after being presented, and were repaired.
  public var repairedPackets: Int
  /// How many packets could not be read, or are not what their codec says, and were passed over.
  public var invalidPackets: Int
}
