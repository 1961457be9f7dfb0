import Basics
import EventReading
import Files
import GameEvents
import HLSPlaylist
public import PacketStamping

/// Edits an HLS presentation in a folder, of transport streams or fragmented MP4. It removes events, also from the date ranges of playlists, or
/// restores cut tags. All files that the playlists name are written to a new folder, including unchanged ones: partial segments, keys, session data
/// and lists of assets too, and the MPD beside the playlist. What is not in the folder stays as it is named.
///
/// A track is read twice, so that its tables are right from the start. Files keep their size if playlists name parts of them, or if they belong to a
/// fragmented MP4 track with an index.
public struct PresentationEditor: Sendable {
  /// The playlist to read, in the folder of its presentation.
  public var input: String
  /// The playlist to write, in another folder.
  public var output: String
  /// The change to make.
  public var change: TagEdit
  /// Whether existing files are replaced. Files of the old presentation whose names the new one does not use are removed.
  public var overwrite = false
  /// Asked from time to time; once it returns `true`, the work ends and leaves nothing behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Receives from time to time how far the work has come.
  public var progress: @Sendable (WorkProgress) -> Void = { _ in }
  /// Receives what the playlists name and the new folder does not have, in words: a resource elsewhere, or one that is not there.
  public var notice: @Sendable (String) -> Void = { _ in }

  /// An editor from one playlist to another.
  public init(input: String, output: String, _ change: TagEdit) {
    self.input = input
    self.output = output
    self.change = change
  }

  /// Does the work.
  ///
  /// - Returns: What was changed.
  /// - Throws: ``StampingError``; then there is no playlist.
  public func edit() throws(StampingError) -> PacketEditor.Report {
    let (source, target) = (PathParts(input), PathParts(output))
    var presentation = SourcePresentation(folder: source.folder, isInterrupted)
    try presentation.read(source.name)
    for text in presentation.notices { notice(text) }
    var folder = try PresentationFolder(
      path: target.folder, overwrite: overwrite,
      inputs: presentation.playlists.map { presentation.path($0.name) } + presentation.files.map(presentation.path))
    try folder.requirePlace(for: target.name)
    if overwrite { folder.replace(OldPresentation(target.presentationName, in: target.folder)) }
    var work = EditingWork(presentation, change, total: try presentation.byteCount(), progress)
    for track in presentation.tracks { try work.edit(track, into: &folder) }
    try work.copyOthers(into: &folder)
    // The playlist that names the others is written last.
    if let mpd = presentation.mpd { try folder.write("\(target.presentationName).mpd", mpd.span) }
    for playlist in presentation.playlists.reversed() {
      try folder.write(playlist.name == source.name ? target.name : playlist.name, work.edited(playlist.bytes).span)
    }
    try folder.commit()
    return work.report
  }
}

/// The editing of a presentation, track by track.
private struct EditingWork {
  private let source: SourcePresentation
  private let change: TagEdit
  private let total: Int
  private let progress: @Sendable (WorkProgress) -> Void
  private(set) var report = PacketEditor.Report()
  /// The files that were written to the new folder.
  private var written: Set<String> = []
  private var writtenBytes = 0
  private var handledBytes = 0

  /// - Parameter total: The number of bytes of all files.
  init(_ source: SourcePresentation, _ change: TagEdit, total: Int, _ progress: @escaping @Sendable (WorkProgress) -> Void) {
    (self.source, self.change, self.total, self.progress) = (source, change, total, progress)
  }

  /// Writes the files of a track that were not written yet.
  mutating func edit(_ track: SourcePresentation.Track, into folder: inout PresentationFolder) throws(StampingError) {
    let (pieces, parts) = (track.pieces.filter { !written.contains($0) }, track.parts.filter { !written.contains($0) })
    guard !track.segments.allSatisfy({ written.contains($0) }) || !parts.isEmpty else { return }
    var editor = TrackEditor(change, keepsSize: track.keepsSize)
    var nowhere = NoSink()
    let source = source
    for piece in pieces + parts {
      try prepare(&editor, for: piece, of: track)
      try source.forEachPart(of: piece) { (bytes) throws(StampingError) in
        try editor.push(bytes, into: &nowhere)
        count(bytes, times: 1)
      }
      try editor.endSegment(into: &nowhere)
    }
    let first = editor
    editor = TrackEditor(change, keepsSize: track.keepsSize, following: first)
    try write(pieces, of: track, by: &editor, into: &folder)
    // Partial segments have the same bytes as the segments that they are parts of.
    var partEditor = TrackEditor(change, keepsSize: track.keepsSize, following: first)
    try write(parts, of: track, by: &partEditor, into: &folder)
    guard !track.keepsSize || !(editor.hasMoved || partEditor.hasMoved) else {
      throw .presentation(path: source.path(track.playlist), .partsWouldMove)
    }
    report.add(pieces.isEmpty ? partEditor.report : editor.report)
  }

  /// Writes edited files of a track.
  private mutating func write(
    _ pieces: [String], of track: SourcePresentation.Track, by editor: inout TrackEditor, into folder: inout PresentationFolder
  ) throws(StampingError) {
    let source = source
    for piece in pieces {
      try prepare(&editor, for: piece, of: track)
      var sink = try folder.makeFile(piece)
      try source.forEachPart(of: piece) { (bytes) throws(StampingError) in
        try editor.push(bytes, into: &sink)
        try wrote(bytes, to: &sink, readings: 1)
      }
      try editor.endSegment(into: &sink)
      try sink.complete()
      written.insert(piece)
    }
  }

  /// Tells an editor which file is next, and lets it read the file's initialization segment unless it has just done so.
  private func prepare(_ editor: inout TrackEditor, for piece: String, of track: SourcePresentation.Track) throws(StampingError) {
    editor.path = source.path(piece)
    let start = track.initializationSegments[piece] ?? piece
    guard start != editor.initializationSegment else { return }
    editor.initializationSegment = start
    guard start != piece else { return }
    try source.forEachPart(of: start) { (bytes) throws(StampingError) in editor.prepare(with: bytes) }
    editor.endPreparation()
  }

  /// Writes all other files as they are.
  mutating func copyOthers(into folder: inout PresentationFolder) throws(StampingError) {
    let source = source
    for file in source.files where !written.contains(file) {
      var sink = try folder.makeFile(file)
      try source.forEachPart(of: file) { (bytes) throws(StampingError) in
        sink.write(bytes)
        try wrote(bytes, to: &sink, readings: 2)
      }
      try sink.complete()
    }
  }

  /// Records that bytes of the source, which are read this often, were written.
  private mutating func wrote(_ bytes: Span<UInt8>, to sink: inout FileSink, readings: Int) throws(StampingError) {
    try writing(sink.check())
    writtenBytes += bytes.count
    count(bytes, times: readings)
  }

  /// Returns the edited playlist.
  mutating func edited(_ playlist: [UInt8]) -> [UInt8] {
    guard case .strip(let game) = change else { return playlist }
    let (bytes, count) = DateRangeEdit.stripped(playlist, of: game)
    report.dateRanges += count
    return bytes
  }

  /// Counts bytes; most are read twice.
  private mutating func count(_ bytes: Span<UInt8>, times: Int) {
    handledBytes += times * bytes.count
    var state = WorkProgress(bytes: handledBytes, of: 2 * total)
    state.bytes = writtenBytes
    progress(state)
  }
}

/// Edits the segments of a track, of either container.
private struct TrackEditor {
  private let change: TagEdit
  private var detector = SegmentDetector(isCertain: true)
  private var packets: PacketEditor
  private var fragments: FragmentEditor
  /// The file that is edited.
  var path = ""
  /// The file whose initialization segment was read last.
  var initializationSegment: String?

  /// - Parameter previous: The editor of the first reading. The second one knows what it has found.
  init(_ change: TagEdit, keepsSize: Bool, following previous: TrackEditor? = nil) {
    self.change = change
    var options = PacketEditor.Options(change)
    options.keepsSize = keepsSize
    packets = PacketEditor(options, knowing: previous?.packets.knowledge ?? .init())
    fragments = FragmentEditor(change, keepsSize: keepsSize, knowing: previous?.fragments.knowledge ?? .init())
  }

  /// Whether a change has moved the bytes after it.
  var hasMoved: Bool {
    let packets = packets.report
    return packets.addedPackets > 0 || packets.removedPackets > 0 || (change == .repair && fragments.report.rewrittenBoxes > 0)
  }

  var report: PacketEditor.Report {
    var report = packets.report
    report.add(fragments.report)
    return report
  }

  /// Reads bytes of the initialization segment that the next file needs.
  mutating func prepare(with bytes: Span<UInt8>) { fragments.prepare(with: bytes) }

  /// Ends the initialization segment.
  mutating func endPreparation() {
    var nowhere = NoSink()
    fragments.endSegment(into: &nowhere)
  }

  mutating func push(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    guard detector.contents == nil else { return try edit(bytes, into: &sink) }
    guard let beginning = detector.push(bytes) else { return }
    try edit(beginning.span, into: &sink)
  }

  mutating func endSegment(into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    if detector.contents == nil { try edit(detector.finish().span, into: &sink) }
    switch detector.contents {
    case .stream(.transportStream)?: packets.endSegment(into: &sink)
    case .stream(.fragmentedMP4)?:
      fragments.endSegment(into: &sink)
      try checkFragments()
    case .stream(.packedAudio)?, .silent?, .misplaced?, nil: break
    }
    // Initialization segments and segments may be of different containers, so each file is examined.
    detector = SegmentDetector(isCertain: true)
  }

  private mutating func edit(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    switch detector.contents {
    case .stream(.fragmentedMP4)?:
      fragments.push(bytes, into: &sink)
      try checkFragments()
    // What carries no events stays as it is, byte for byte.
    case .stream(.packedAudio)?, .silent?, .misplaced?, nil: sink.write(bytes)
    case .stream(.transportStream)?: try stamping(packets.push(bytes, into: &sink))
    }
  }

  private func checkFragments() throws(StampingError) {
    if let failure = fragments.failure { throw .rendition(input: path, failure) }
  }
}

/// Removes the date ranges of events from a playlist. All other lines stay as they are, byte for byte.
enum DateRangeEdit {
  private static let tag = Array("#EXT-X-DATERANGE:".utf8)

  /// Returns the playlist without the date ranges of the events of a game (`nil`: of all games), and the number that was removed.
  static func stripped(_ bytes: [UInt8], of game: GameID?) -> (bytes: [UInt8], count: Int) {
    var output: [UInt8] = []
    var count = 0
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
      let line = bytes[start..<end]
      if line.starts(with: tag), isEvent(line, of: game) { count += 1 } else { output += line }
      start = end
    }
    return (output, count)
  }

  private static func isEvent(_ line: ArraySlice<UInt8>, of game: GameID?) -> Bool {
    // Parses the line alone, in the shortest valid playlist.
    let playlist = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n".utf8) + line + [0x0A]
    guard case .media(let media)? = try? Playlist(playlist.span),
      let text = media.allDateRanges.first?.attributes[DateRange.eventAttribute]?.hexadecimal
    else { return false }
    guard let game else { return true }
    let copy = try? EventCopy(parsing: String(decoding: text, as: UTF8.self), description: "")
    return copy?.event.gameID == game
  }
}
