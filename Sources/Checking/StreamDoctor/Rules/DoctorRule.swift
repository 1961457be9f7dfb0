/// A rule for streams with timed ID3, which ensures that readers and players see the events.
package struct DoctorRule: Equatable, Sendable {
  /// How much it matters that a rule is broken.
  package enum Severity: String, CaseIterable, Sendable {
    /// A specification forbids it, or players lose events.
    case error
    /// Some players or platforms behave differently than intended.
    case warning
    /// Worth knowing, but not wrong.
    case note
  }

  /// What a rule is about.
  package enum Layer: String, CaseIterable, Sendable {
    /// Packets and tables of MPEG-TS.
    case transportStream = "Transport stream"
    /// PES packets with tags.
    case packets = "PES packets"
    /// ID3 tags.
    case tags = "ID3 tags"
    /// Event messages of fragmented MP4.
    case eventMessages = "Event messages"
    /// HLS playlists and segments.
    case presentations = "HLS"
    /// The MPD of MPEG-DASH.
    case manifests = "MPD"
    /// How web servers deliver playlists and segments.
    case delivery = "Web servers"
    /// The events, their copies and their times.
    case events = "Copies and times"
    /// Ad breaks (SCTE 35).
    case breaks = "Ad breaks"
    /// Limits of platforms.
    case platforms = "Limits of platforms"
  }

  /// Its name for programs and people, which never changes.
  package let id: String
  /// What it is about.
  package let layer: Layer
  /// How much it matters.
  package let severity: Severity
  /// The rule in a few words.
  package let title: String
  /// The specification and its section, or the program that is the source of the rule.
  package let source: String
  /// What is expected.
  package let expected: String
  /// What to do.
  package let advice: String

  init(_ id: String, _ layer: Layer, _ severity: Severity, _ title: String, source: String, expected: String, advice: String) {
    (self.id, self.layer, self.severity, self.title) = (id, layer, severity, title)
    (self.source, self.expected, self.advice) = (source, expected, advice)
  }
}

extension DoctorRule {
  /// All rules, by their layers.
  package static let all: [DoctorRule] = [
    pmtPointer, pmtMetadata, pmtService, pmtProgram, pmtForm, pmtVersion, tableCRC, streamType, onePID, pidClash, continuity, packetSize,
    clock,
    decodingTime,
    pesStreamID, pesLength, pesAlignment, pesTime, pesHeader, pesTag, pesOneTag, pesContinued, pesBroken, pesOrder, pesFar, pesWrap, cutTag,
    tagVersion, tagSynchsafe, tagSize, frameSize, plainSize, emptyFrame, extendedHeader, unsynchronised, footer, frames, description,
    encoding,
    messageVersion, messageScheme, messageValue, messageData, messageTimescale, messageDuration, messageTime, messagePlace, messageSharedID,
    messageSecondID, messageForeignID, brand, boxes,
    syntax, version, targetDuration, segmentDuration, discontinuity, independent, codecs, codecsDiffer, bandwidth, pmtChanges,
    segmentTables,
    tracks, audioGroupEvents, dateRangeDate, dateRangeEvent, carriages, refresh, boundaries, renditionEvents, silent, videoRange, missing,
    packedAudioTime,
    inbandMissing, inbandValue, manifestEvents, manifestClock,
    contentType, origins,
    noTags, messagesAlone, noEvents, unseen, damaged, signature, conflict, time, interleaved,
    cueSection, cueID, cueEnd, cueEvent, cueDateRange,
    playersTagLimit, tagLimit, codecPlayers, rateLimit,
  ]
}
