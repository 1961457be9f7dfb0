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
  /// Whether events that only SEI messages have are put back; then nothing else changes.
  var restoresMessages = false
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
    var work = EditingWork(presentation, total: try presentation.byteCount(), progress)
    let change = change
    for track in presentation.tracks {
      if restoresMessages {
        try work.edit(track, by: TrackRestorer(), into: &folder)
      } else {
        try work.edit(track, by: TrackEditor(change, keepsSize: track.keepsSize), into: &folder)
      }
    }
    try work.copyOthers(into: &folder)
    // The playlist that names the others is written last.
    if var mpd = presentation.mpd {
      if restoresMessages, work.report.repaired > 0 { ManifestAnnouncement.add(to: &mpd) }
      try folder.write("\(target.presentationName).mpd", mpd.span)
    }
    for playlist in presentation.playlists.reversed() {
      var bytes = playlist.bytes
      if !restoresMessages { work.edit(&bytes, change) }
      try folder.write(playlist.name == source.name ? target.name : playlist.name, bytes.span)
    }
    try folder.commit()
    return work.report
  }
}

/// The editing of a presentation, track by track.
private struct EditingWork {
  private let source: SourcePresentation
  private let total: Int
  private let progress: @Sendable (WorkProgress) -> Void
  private(set) var report = PacketEditor.Report()
  /// The files that were written to the new folder.
  private var written: Set<String> = []
  private var writtenBytes = 0
  private var handledBytes = 0

  /// - Parameter total: The number of bytes of all files.
  init(_ source: SourcePresentation, total: Int, _ progress: @escaping @Sendable (WorkProgress) -> Void) {
    (self.source, self.total, self.progress) = (source, total, progress)
  }

  /// Writes the files of a track that were not written yet.
  ///
  /// - Parameter first: The editor for the first reading.
  mutating func edit(
    _ track: SourcePresentation.Track, by first: some TrackEditing, into folder: inout PresentationFolder
  ) throws(StampingError) {
    let (pieces, parts) = (track.pieces.filter { !written.contains($0) }, track.parts.filter { !written.contains($0) })
    guard !track.segments.allSatisfy({ written.contains($0) }) || !parts.isEmpty else { return }
    var first = first
    var nowhere = NoSink()
    let source = source
    for (index, piece) in (pieces + parts).enumerated() {
      first.isPart = index >= pieces.count
      try prepare(&first, for: piece, of: track)
      try source.forEachPart(of: piece) { (bytes) throws(StampingError) in
        try first.push(bytes, into: &nowhere)
        count(bytes, times: 1)
      }
      try first.endSegment(into: &nowhere)
    }
    var editor = try first.forSecondReading()
    // Partial segments have the same bytes as the segments that they are parts of.
    var partEditor = editor
    try write(pieces, of: track, by: &editor, into: &folder)
    try write(parts, of: track, by: &partEditor, into: &folder)
    guard !track.keepsSize || !(editor.hasMoved || partEditor.hasMoved) else {
      throw .presentation(path: source.path(track.playlist), .partsWouldMove)
    }
    report.add(pieces.isEmpty ? partEditor.report : editor.report)
  }

  /// Writes edited files of a track.
  private mutating func write(
    _ pieces: [String], of track: SourcePresentation.Track, by editor: inout some TrackEditing, into folder: inout PresentationFolder
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
  private func prepare(_ editor: inout some TrackEditing, for piece: String, of track: SourcePresentation.Track) throws(StampingError) {
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

  /// Edits a playlist.
  mutating func edit(_ playlist: inout [UInt8], _ change: TagEdit) {
    guard case .strip(let game) = change else { return }
    let (bytes, count) = DateRangeEdit.stripped(playlist, of: game)
    report.dateRanges += count
    playlist = bytes
  }

  /// Counts bytes; most are read twice.
  private mutating func count(_ bytes: Span<UInt8>, times: Int) {
    handledBytes += times * bytes.count
    var state = WorkProgress(bytes: handledBytes, of: 2 * total)
    state.bytes = writtenBytes
    progress(state)
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
