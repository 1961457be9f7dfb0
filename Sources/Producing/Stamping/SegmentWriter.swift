import EventSchedule
import HLSPlaylist
import LibAV
import MediaTime
import PacketStamping

/// Writes stamped transport stream segments into a folder in which nothing has its name before everything is whole.
struct SegmentWriter: ~Copyable {
  /// A segment that is whole.
  struct Segment: Equatable {
    var name: String
    /// When its first picture is presented, on the stream's timeline.
    var start: MediaTime
    var byteCount: Int
  }

  private(set) var written: [Segment] = []
  /// How many bytes were written.
  private(set) var byteCount = 0
  private var stamper: SegmentStamper
  private var folder: StagingFolder
  private var sink: FileSink?
  private var failure: FileSinkError?

  init(folder: String, overwrite: Bool, _ schedule: EventSchedule) throws(StampingError) {
    stamper = SegmentStamper(schedule)
    do throws(FileSinkError) {
      self.folder = try StagingFolder(path: folder, overwrite: overwrite)
    } catch {
      throw .output(error)
    }
  }

  mutating func startSegment(at start: MediaTime) throws(StampingError) {
    try endSegment()
    let number = String(written.count)
    let name = "segment-\(String(repeating: "0", count: max(0, 5 - number.utf8.count)))\(number).ts"
    do throws(FileSinkError) { sink = try folder.makeFile(name) } catch { throw .output(error) }
    written.append(Segment(name: name, start: start, byteCount: 0))
    stamper.startSegment()
  }

  mutating func push(_ bytes: Span<UInt8>) throws(StampingError) {
    try stamping { (stamper, emit) throws(PacketStampingError) in try stamper.push(bytes, emit: emit) }
  }

  /// Ends the last segment. The programme must not end, at `end`, before the last events.
  mutating func finish(at end: MediaTime) throws(StampingError) -> PacketStamper.Report {
    let report = try stamping { (stamper, emit) throws(PacketStampingError) in try stamper.finish(emit: emit) }
    guard stamper.unplaced.isEmpty else { throw .eventsAfterTheEnd(of: report.end) }
    try endSegment()
    return report
  }

  /// Writes a playlist.
  mutating func write(_ name: String, _ playlist: Playlist) throws(StampingError) {
    let bytes: [UInt8]
    do throws(PlaylistError) {
      bytes = try playlist.encode()
    } catch {
      throw .playlist(error)
    }
    do throws(FileSinkError) {
      var sink = try folder.makeFile(name)
      try sink.write(bytes.span)
      try sink.commit()
    } catch {
      throw .output(error)
    }
  }

  /// Gives everything its name, the last playlist last.
  consuming func commit() throws(StampingError) {
    do throws(FileSinkError) { try folder.commit() } catch { throw .output(error) }
  }

  private mutating func endSegment() throws(StampingError) {
    guard let open = sink.take() else { return }
    do throws(FileSinkError) { try open.commit() } catch { throw .output(error) }
  }

  private mutating func stamping<Value>(
    _ body: (inout SegmentStamper, (Span<UInt8>) -> Void) throws(PacketStampingError) -> Value
  ) throws(StampingError) -> Value {
    let value: Value
    var count = 0
    do throws(PacketStampingError) {
      value = try body(&stamper) { bytes in
        count += bytes.count
        guard failure == nil else { return }
        do throws(FileSinkError) { try sink?.write(bytes) } catch { failure = error }
      }
    } catch {
      throw .packets(error)
    }
    byteCount += count
    if !written.isEmpty { written[written.count - 1].byteCount += count }
    if let failure { throw .output(failure) }
    return value
  }
}
