import Basics
import HLSPlaylist
import LiveGame
import Stamping

/// A track of a live presentation. Its media playlist begins with its first segment, and has the same numbers as those of all other tracks.
struct LiveTrack: Sendable {
  /// The role of a track.
  enum Role: Equatable, Sendable {
    case main
    /// Audio in a track of its own, by its number from 0.
    case audio(Int)
    /// Another rendition, by its number from 0.
    case rendition(Int)

    /// The track's name in the names of files; `nil` for the main one.
    var name: String? {
      switch self {
      case .main: nil
      case .audio(let index): "audio\(index + 1)"
      case .rendition(let index): "v\(index + 2)"
      }
    }

    /// The name of the media playlist.
    var playlistName: String {
      switch self {
      case .main: "media.m3u8"
      case .audio(let index): "audio\(index + 1).m3u8"
      case .rendition(let index): "media\(index + 2).m3u8"
      }
    }

    var isAudio: Bool { if case .audio = self { true } else { false } }
  }

  let role: Role
  /// Its media playlist, which is listed from its first segment on.
  var timeline: TrackTimeline
  /// The name of the initialization segment for its next segment; `nil` for a transport stream.
  var initialization: String?
  /// Its parts of segments; `nil` without low-latency HLS.
  var parts: PartList?
  /// The coding of its segments if each stream has a track.
  private(set) var program: LiveProgram?
  /// The format of its segments; `nil` before the first one.
  private(set) var format: StreamFormat?
  private var peakBitRate: UInt64 = 1
  /// How many programs the track has had.
  private(set) var programCount = 0

  init(_ role: Role, hasParts: Bool) {
    self.role = role
    timeline = TrackTimeline(playlistName: role.playlistName)
    if hasParts { parts = PartList() }
  }

  /// Whether the track has had a segment, in this session or an earlier one.
  var isListed: Bool { !timeline.segments.isEmpty }

  /// Whether this session has had a segment of the track.
  var isKnown: Bool { peakBitRate > 1 }

  /// The variant in the multivariant playlist.
  var variant: Variant {
    var variant = Variant(uri: role.playlistName, bandwidth: peakBitRate)
    (variant.codecs, variant.resolution, variant.frameRate) = (format?.codecs, format?.resolution, format?.frameRate)
    return variant
  }

  /// Records the coding of the next segment.
  ///
  /// - Parameters:
  ///   - bytes: The track's bytes of the segment.
  ///   - audioCount: The number of bytes of audio that is played with it.
  ///   - program: The coding, if each stream has a track and the coding is new.
  ///   - segment: The main track's segment.
  ///   - isDiscontinuous: Whether the coding may differ from that of the segment before.
  /// - Returns: The initialization segment, if it is new.
  mutating func update(
    _ bytes: [UInt8], audioCount: Int, _ program: LiveProgram?, of segment: LiveSegment, isDiscontinuous: Bool, _ names: SegmentNames
  ) -> SegmentFile? {
    if names.type == .transportStream, isDiscontinuous || format?.codecs == nil {
      let found = SegmentFormat(of: bytes)
      // A segment that begins after a loss may have no parameter sets.
      if format == nil || found.codecs != nil {
        let frameRate = found.resolution == nil ? nil : segment.frameRate
        format = StreamFormat(codecs: found.codecs, resolution: found.resolution, frameRate: frameRate)
      }
    }
    peakBitRate = max(peakBitRate, segment.duration.bitRate(byteCount: bytes.count + audioCount))
    guard let program else { return nil }
    let name = names.initialization(programCount, role)
    (self.program, initialization) = (program, name)
    format = StreamFormat(codecs: program.codecs, resolution: program.resolution, frameRate: program.frameRate)
    programCount += 1
    return SegmentFile(name: name, bytes: program.initialization)
  }

  /// Lists the track's file of a segment, or a gap if it has none. Segments before the track's first one are not listed.
  ///
  /// - Returns: The segments that are no longer listed.
  mutating func append(_ record: JournalRecord.SegmentRecord, _ kind: TrackTimeline.Kind, _ names: SegmentNames) -> [TrackTimeline.Segment]
  {
    let file = record[role]
    if role != .main, !isListed {
      guard let file, file.name != nil || role.isAudio else { return [] }
      timeline = TrackTimeline(
        playlistName: role.playlistName, kind, mediaSequence: record.mediaSequence,
        discontinuitySequence: record.discontinuitySequence - (record.isDiscontinuous ? 1 : 0))
      timeline.fixedTargetDuration = record.targetDuration
    }
    var segment = TrackTimeline.Segment(
      name: file?.name ?? names.gap(record.mediaSequence, role), number: 0, start: record.start, duration: record.duration, byteCount: 0,
      isDiscontinuous: record.isDiscontinuous)
    segment.isGap = role == .main ? record.isGap : file?.name == nil
    segment.initializationSegment = file?.initialization ?? (role == .main ? nil : timeline.segments.last?.initializationSegment)
    segment.programDateTime = PlaylistDate(milliseconds: record.wallClock)
    return timeline.append(segment)
  }

  /// Completes the parts of a segment; returns the names of files that clients may not load any more.
  mutating func completeParts(_ record: JournalRecord.SegmentRecord) -> [String] {
    let isGap = if case .rendition = role { record[role]?.name == nil } else { record.isGap }
    return parts?.complete(record, isGap: isGap) ?? []
  }
}

/// The names of the files of a live presentation.
struct SegmentNames: Sendable {
  /// The prefix of all names: a different one in each session, so that no cache confuses them.
  let prefix: String
  let type: SegmentType

  var fileExtension: String { type == .transportStream ? "ts" : "m4s" }

  /// The part of a track's names after the segment's number.
  private func suffix(_ role: LiveTrack.Role) -> String { role.name.map { "-\($0)" } ?? "" }

  func segment(_ number: UInt64, _ role: LiveTrack.Role = .main) -> String { "\(prefix)-\(number)\(suffix(role)).\(fileExtension)" }

  /// The parts of a track's names before and after the number of a segment.
  func template(_ role: LiveTrack.Role) -> (prefix: String, suffix: String) { ("\(prefix)-", "\(suffix(role)).\(fileExtension)") }

  func gap(_ number: UInt64, _ role: LiveTrack.Role = .main) -> String { "\(prefix)-\(number)\(suffix(role))-gap.\(fileExtension)" }

  func part(_ part: Int, ofSegment number: UInt64, _ role: LiveTrack.Role) -> String {
    SegmentFile.name(ofPart: part, ofSegment: segment(number, role))
  }

  /// - Parameter number: How many initialization segments the track, or for audio the main track, has had before.
  func initialization(_ number: Int, _ role: LiveTrack.Role) -> String {
    switch role {
    case .main, .audio: "\(prefix)-init\(number)\(suffix(role)).mp4"
    case .rendition: "\(prefix)\(suffix(role))-init\(number).mp4"
    }
  }
}

extension JournalRecord.SegmentRecord {
  /// The track's file of the segment; `nil` if the segment does not have the track.
  subscript(role: LiveTrack.Role) -> TrackFile? {
    get {
      switch role {
      case .main: TrackFile(name: name, initialization: initialization)
      case .audio(let index): index < audio.count ? audio[index] : nil
      case .rendition(let index): index < variants.count ? variants[index] : nil
      }
    }
    set {
      guard let newValue else { return }
      switch role {
      case .main: (name, initialization) = (newValue.name ?? name, newValue.initialization)
      case .audio(let index): if index < audio.count { audio[index] = newValue } else { audio.append(newValue) }
      case .rendition(let index): if index < variants.count { variants[index] = newValue } else { variants.append(newValue) }
      }
    }
  }
}

extension LiveSegment {
  /// The track's bytes of the segment; `nil` for none.
  func bytes(of role: LiveTrack.Role) -> [UInt8]? {
    switch role {
    case .main: bytes
    case .audio(let index): index < audio.count ? audio[index] : nil
    case .rendition(let index): index < variants.count ? variants[index]?.bytes : nil
    }
  }

  /// The new coding of a track with video; `nil` if the coding is not new.
  func program(of role: LiveTrack.Role) -> LiveProgram? {
    switch role {
    case .main: program
    case .audio: nil
    case .rendition(let index): index < variants.count ? variants[index]?.program : nil
    }
  }
}
