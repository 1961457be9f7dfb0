public import EventSchedule
public import HLSPlaylist
public import LibAV
public import MediaTime
public import PacketStamping

/// Makes HLS with events out of a file: transport stream segments, a media playlist and a multivariant playlist.
///
/// Picture and sound are copied. Segments are cut at key frames. Nothing has its name before all of it is whole; the multivariant playlist
/// comes last.
public struct HLSStamper: Sendable {
  /// The file to read.
  public var input: String
  /// The multivariant playlist to write; everything else goes into its folder, which is made where it is missing.
  public var output: String
  /// Whether files that exist are replaced.
  public var overwrite = false
  /// How long a segment is at least.
  public var segmentDuration = MediaTime(seconds: 6)
  /// The date and time of the programme's zero, for EXT-X-PROGRAM-DATE-TIME.
  public var programDateTime: PlaylistDate?
  /// Asked from time to time; once it says yes, the work ends and nothing stays behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Told from time to time how many bytes were written.
  public var progress: @Sendable (Int, Int?) -> Void = { _, _ in }

  /// What was done.
  public struct Summary: Equatable, Sendable {
    /// What was put into the stream.
    public var stamped: PacketStamper.Report
    /// What libavformat copied.
    public var remuxed: RemuxSummary
    /// How many segments there are.
    public var segments: Int
  }

  /// A stamper from a file to a playlist.
  public init(input: String, output: String) {
    self.input = input
    self.output = output
  }

  /// Does the work.
  ///
  /// - Parameter schedule: What is put into the stream.
  /// - Throws: ``StampingError``; then no playlist is written.
  public func stamp(_ schedule: EventSchedule) throws(StampingError) -> Summary {
    guard input != "-" else { throw .notATransportStreamOnStandardInput }
    let description = try remuxing(input) { () throws(RemuxError) in
      try StreamDescription(openMedia(input, isInterrupted))
    }
    var segmenter = try remuxing(input) { () throws(RemuxError) in
      try TransportStreamSegmenter(openMedia(input, isInterrupted), cuts: .every(segmentDuration))
    }
    var segments = try SegmentWriter(folder: folder, overwrite: overwrite, schedule)
    while let part = try remuxing(input, { () throws(RemuxError) in try segmenter.next() }) {
      if let start = part.segmentStart {
        guard start.isClosed, start.startsWithKeyFrame || !description.hasVideo else {
          throw .openCut(at: start.presentation - segmenter.zero)
        }
        try segments.startSegment(at: start.presentation)
      }
      try segments.push(part.bytes.span)
      progress(segments.byteCount, nil)
    }
    let (zero, end) = (segmenter.zero, segmenter.end)
    let report = try segments.finish(at: end)
    let list = SegmentList(segments: segments.written, zero: zero, end: end, programDateTime: programDateTime)
    let media = "\(name)-media.m3u8"
    try segments.write(media, list.mediaPlaylist)
    try segments.write("\(name).m3u8", list.multivariantPlaylist(media: media, description))
    try segments.commit()
    return Summary(stamped: report, remuxed: segmenter.summary, segments: list.segments.count)
  }

  /// The folder of the output.
  private var folder: String {
    output.utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == output.startIndex ? "/" : String(output[..<$0]) } ?? "."
  }

  /// The output's name without its ending.
  private var name: String {
    let file = output.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(output[output.utf8.index(after: $0)...]) } ?? output
    return file.hasSuffix(".m3u8") ? String(file.dropLast(5)) : file
  }
}
