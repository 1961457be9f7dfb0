// PES packets with tags.

extension DoctorRule {
  static let pesStreamID = DoctorRule(
    "TS-PES-STREAM-ID", .packets, .error, "stream_id", source: "Apple, Timed Metadata for HLS, 2.2",
    expected: "stream_id BD (private_stream_1)", advice: "Write BD.")
  static let pesLength = DoctorRule(
    "TS-PES-LENGTH", .packets, .error, "PES_packet_length", source: "Apple, Timed Metadata for HLS, 2.4",
    expected: "the real PES_packet_length, not 0",
    advice: "Write the length: without it a tag ends only where the next one starts, which may be minutes later.")
  static let pesAlignment = DoctorRule(
    "TS-PES-ALIGNMENT", .packets, .error, "Alignment", source: "Apple, Timed Metadata for HLS, 2.4",
    expected: "data_alignment_indicator 1 where a tag starts", advice: "Set the bit: media3 drops the packet silently.")
  static let pesTime = DoctorRule(
    "TS-PES-TIME", .packets, .error, "Presentation time", source: "Apple, Timed Metadata for HLS, 2.4",
    expected: "a PTS where a tag starts", advice: "Write a PTS: players skip tags without one.")
  static let pesHeader = DoctorRule(
    "TS-PES-HEADER", .packets, .note, "Form of the header", source: "Apple, Timed Metadata for HLS, 2.4",
    expected: "`84 80 05`, a PTS and nothing else in the header", advice: "Leave out DTS, extensions and stuffing.")
  static let pesTag = DoctorRule(
    "TS-PES-TAG", .packets, .error, "A tag at the start", source: "Apple, Timed Metadata for HLS, 2.4",
    expected: "`49 44 33` at the start of the payload", advice: "Start every PES packet with a tag.")
  static let pesOneTag = DoctorRule(
    "TS-PES-ONE-TAG", .packets, .error, "One tag a packet", source: "Apple, Timed Metadata for HLS, 2.4",
    expected: "exactly one tag in a PES packet, and nothing after it",
    advice: "Give each tag a packet of its own: media3 and video.js take only the first.")
  static let pesContinued = DoctorRule(
    "TS-PES-CONTINUED", .packets, .warning, "Whole tags", source: "Apple, Timed Metadata for HLS, 2.4",
    expected: "tags of at most 65,527 bytes, whole in one packet",
    advice: "Make the tag smaller: hls.js and media3 do not put packets together.")
  static let pesBroken = DoctorRule(
    "TS-PES-BROKEN", .packets, .error, "Whole packets", source: "ISO/IEC 13818-1, 2.4.3.6",
    expected: "a readable header, and as many bytes as it states", advice: "Find where packets are lost or cut off.")
  static let pesOrder = DoctorRule(
    "TS-PTS-ORDER", .packets, .warning, "Order of times", source: "Cuelight, Decisions",
    expected: "presentation times of tags that do not go back",
    advice: "Write tags in the order of their times; a cue of hls.js ends where the next one starts.")
  static let pesFar = DoctorRule(
    "TS-PTS-FAR", .packets, .error, "Time near the pictures", source: "Cuelight, Carriage",
    expected: "presentation times within 10 s of the pictures around the tag, or between them, and less than 1 s before the first",
    advice: "Follow the stream's clock across discontinuities when inserting tags.")
  static let pesWrap = DoctorRule(
    "TS-PTS-WRAP", .packets, .note, "Wrap of the clock", source: "ISO/IEC 13818-1, 2.4.3.7",
    expected: "timestamps that do not start again from 0 within the stream",
    advice: "Nothing is wrong, but video.js 7 makes negative cues after the wrap and drops them.")
  static let cutTag = DoctorRule(
    "TAG-CUT-BY-FFMPEG", .packets, .error, "Tags cut by FFmpeg", source: "FFmpeg 6.0 and older, mpegts.c",
    expected: "whole tags, not ones whose first five bytes are missing",
    advice:
      "Write them whole with `cuelight repair`: Cuelight reads cut ones, players do not. FFmpeg before 6.1 cuts them even with `-c copy`.")
}
