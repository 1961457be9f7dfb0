// HLS playlists and segments.

extension DoctorRule {
  static let syntax = DoctorRule(
    "HLS-SYNTAX", .presentations, .warning, "Text of the playlist", source: "RFC 8216bis, 4",
    expected: "UTF-8 without a byte order mark, and tags and attributes as the specification writes them",
    advice: "Correct the program that writes the playlist: players differ in how they read it.")
  static let version = DoctorRule(
    "HLS-VERSION", .presentations, .error, "Version", source: "RFC 8216bis, 8",
    expected: "an EXT-X-VERSION that allows the content of the playlist",
    advice: "Raise the version: 3 for durations with a fraction, 6 for fragmented MP4.")
  static let targetDuration = DoctorRule(
    "HLS-TARGETDURATION", .presentations, .error, "Target duration", source: "RFC 8216bis, 4.4.3.1",
    expected: "EXT-X-TARGETDURATION at least every rounded EXTINF", advice: "Raise it to the longest segment, rounded.")
  static let segmentDuration = DoctorRule(
    "HLS-SEGMENT-DURATION", .presentations, .warning, "Durations", source: "RFC 8216bis, 4.4.4.1",
    expected: "EXTINF within 0.1 s of the duration of the segment's pictures",
    advice: "Write the measured duration: players place segments by it.")
  static let discontinuity = DoctorRule(
    "HLS-DISCONTINUITY", .presentations, .error, "Continuous clock", source: "RFC 8216bis, 4.4.4.3",
    expected: "EXT-X-DISCONTINUITY where the timestamps restart",
    advice: "Put the tag in front of the first segment of the new clock, or let the clock continue.")
  static let independent = DoctorRule(
    "HLS-INDEPENDENT", .presentations, .error, "Independent segments", source: "RFC 8216bis, 4.4.2.1",
    expected: "segments that start with a key frame of a closed group if EXT-X-INDEPENDENT-SEGMENTS says so",
    advice: "Cut at IDR frames with closed groups, or take the tag away.")
  static let codecs = DoctorRule(
    "HLS-CODECS", .presentations, .warning, "CODECS", source: "RFC 8216bis, 4.4.6.2",
    expected: "CODECS in every EXT-X-STREAM-INF", advice: "Add it: players choose variants by it.")
  static let codecsDiffer = DoctorRule(
    "HLS-CODECS-DIFFER", .presentations, .error, "Right CODECS", source: "RFC 8216bis, 4.4.6.2",
    expected: "CODECS that name the codecs of the segments", advice: "Write the codecs of the tracks (RFC 6381).")
  static let bandwidth = DoctorRule(
    "HLS-BANDWIDTH", .presentations, .warning, "BANDWIDTH", source: "RFC 8216bis, 4.4.6.2",
    expected: "BANDWIDTH not more than a tenth below the peak of the segments, with those of the audio group",
    advice: "Measure it: players choose variants by it.")
  static let pmtChanges = DoctorRule(
    "HLS-PMT-CHANGES", .presentations, .error, "One program map", source: "RFC 8216, 3.2",
    expected: "the same program map and ID3 PID in every segment, those without events included",
    advice: "Keep the ID3 stream in the map of every segment, or put EXT-X-DISCONTINUITY in between.")
  static let segmentTables = DoctorRule(
    "HLS-SEGMENT-TABLES", .presentations, .warning, "Tables in segments", source: "RFC 8216, 3.2",
    expected: "the program association and the program map in every segment", advice: "Write both at the start of each segment.")
  static let tracks = DoctorRule(
    "HLS-TRACKS", .presentations, .note, "One track a file", source: "ISO/IEC 23000-19, 7.3",
    expected: "one track in each fragmented MP4, as CMAF asks for",
    advice: "HLS allows several (RFC 8216, 3.3); for DASH and for CMAF put sound into an audio group (EXT-X-MEDIA).")
  static let audioGroupEvents = DoctorRule(
    "HLS-AUDIO-GROUP-EVENTS", .presentations, .warning, "Events in audio groups", source: "Cuelight, Carriage",
    expected: "no events in an audio group beside pictures that carry them",
    advice: "Leave them out of the audio group: players that read both fire twice.")
  static let dateRangeDate = DoctorRule(
    "HLS-DATERANGE-DATE", .presentations, .error, "Date of date ranges", source: "RFC 8216bis, 4.4.5.1",
    expected: "EXT-X-PROGRAM-DATE-TIME in a playlist with EXT-X-DATERANGE", advice: "Add the date of a segment.")
  static let dateRangeEvent = DoctorRule(
    "HLS-DATERANGE-EVENT", .presentations, .error, "Events in date ranges", source: "Cuelight, Carriage",
    expected: "a readable copy of an event as a hexadecimal sequence in X-COM-CUELIGHT-EVENT",
    advice: "Write the JSON of one copy in UTF-8 as a hexadecimal sequence.")
  static let carriages = DoctorRule(
    "HLS-CARRIAGES", .presentations, .error, "Agreeing carriages", source: "Cuelight, Carriage",
    expected: "date ranges that say the same of each event as the tags", advice: "Write both from the same event, with the same time.")
  static let refresh = DoctorRule(
    "HLS-REFRESH", .presentations, .warning, "Refreshes", source: "Cuelight, WireFormat",
    expected: "a copy of every active event in each segment",
    advice: "Refresh at the start of segments: a viewer who joins, or lost a segment, knows nothing otherwise.")
  static let boundaries = DoctorRule(
    "HLS-RENDITION-CUTS", .presentations, .warning, "Common cuts", source: "RFC 8216bis, 6.2.4",
    expected: "variants that are cut at the same times", advice: "Encode with the same key frames and cut there.")
  static let renditionEvents = DoctorRule(
    "HLS-RENDITION-EVENTS", .presentations, .error, "Equal events", source: "RFC 8216bis, 6.2.4",
    expected: "the same events at the same times in every variant", advice: "Stamp all variants with one cue sheet.")
  static let silent = DoctorRule(
    "HLS-SILENT", .presentations, .error, "Sound for everybody", source: "RFC 8216bis, 4.4.6.1",
    expected: "sound in every variant with video, in its segments or in its audio group",
    advice: "Name the sound in EXT-X-MEDIA with TYPE=AUDIO, and the group in AUDIO of each variant: players play one variant, not two.")
  static let videoRange = DoctorRule(
    "HLS-VIDEO-RANGE", .presentations, .warning, "Range of brightness", source: "RFC 8216bis, 4.4.6.2",
    expected: "VIDEO-RANGE=PQ or HLG for a variant whose video has that transfer characteristic",
    advice: "Write VIDEO-RANGE: without it players take the video for SDR, and show it on screens that cannot.")
  static let missing = DoctorRule(
    "HLS-MISSING", .presentations, .error, "Whole presentation", source: "RFC 8216bis, 6.2.1",
    expected: "all playlists, keys and segments that the playlists name, whole and readable",
    advice: "Check that it exists, and that its encryption is what the playlist says.")
  static let packedAudioTime = DoctorRule(
    "HLS-AUDIO-TIMESTAMP", .presentations, .error, "Time of packed audio", source: "RFC 8216, 3.4",
    expected: "an ID3 PRIV frame with the timestamp of the first sound at the start of packed audio",
    advice: "Write the frame com.apple.streaming.transportStreamTimestamp at the start of each segment.")
}
