// The events, their copies and their times; limits of platforms.

import GameEvents

extension DoctorRule {
  static let noTags = DoctorRule(
    "EVENT-NO-TAGS", .events, .error, "Timed ID3", source: "Cuelight, Carriage",
    expected: "timed ID3 somewhere in the input",
    advice: "Stamp it (`cuelight stamp`), or let FFmpeg 6.1 or newer copy all streams (`-map 0 -c copy`); older ones cut the tags.")
  static let messagesAlone = DoctorRule(
    "EVENT-SEI-ALONE", .events, .error, "Events beside SEI messages", source: "Cuelight, Carriage",
    expected: "timed ID3 with the same events as the SEI messages of the video",
    advice:
      "Put it back: `cuelight repair FILE --from-sei -o OUT`. Cuelight's readers read SEI messages, and clients that parse them; no player does."
  )
  static let noEvents = DoctorRule(
    "EVENT-NONE", .events, .note, "Events", source: "Cuelight, Carriage",
    expected: "an event of a game somewhere in the timed ID3",
    advice: "If the stream should have a game, stamp it, or find what drops the events after the stamping; ID3 of others is no fault.")
  static let unseen = DoctorRule(
    "EVENT-UNSEEN", .events, .error, "Events that somebody sees", source: "Cuelight, Players",
    expected: "events in the rendition that players begin with, in a form that one of them reads",
    advice: "Stamp the variants themselves (`cuelight stamp`), the first one too; an audio group alone is not enough for any player.")
  static let damaged = DoctorRule(
    "EVENT-DAMAGED", .events, .error, "Readable events", source: "Cuelight, WireFormat",
    expected: "JSON with a right checksum and all keys of its type", advice: "Find what changes or cuts the text on its way.")
  static let signature = DoctorRule(
    "EVENT-SIGNATURE", .events, .error, "Signed events", source: "Cuelight, WireFormat",
    expected: "a signature by the key that `--require-signature` names in every copy of an event; without the option none is needed",
    advice: "Stamp with `--sign` and the private key of that public key; if the events are not yours, find who writes into the stream.")
  static let conflict = DoctorRule(
    "EVENT-CONFLICT", .events, .error, "One event a GUID", source: "Cuelight, WireFormat",
    expected: "copies of one GUID with the same content", advice: "Give every event a GUID of its own.")
  static let time = DoctorRule(
    "EVENT-TIME", .events, .warning, "Times that agree", source: "Cuelight, WireFormat",
    expected: "presentation times within 20 ms of the copy's `at` + `age`",
    advice: "Let the injector write the age at the presentation time. If the stream was cut, stamp it again (`cuelight stamp --replace`) "
      + "with the sheet that `cuelight extract --as-presented` makes of it.")
  static let interleaved = DoctorRule(
    "EVENT-INTERLEAVED", .events, .note, "Interleaved bursts", source: "Clients in the manner of TriviaWOW",
    expected: "a burst of copies of one event without a burst of another in between, refreshes aside",
    advice: "Compare with all GUIDs seen, not only with the last; `--copies 1 --refresh off` serves clients that cannot.")
}

extension DoctorRule {
  /// The rule that an unusable event breaks: the one about signatures, or another, which depends on the carriage of the event.
  static func unusable(_ error: EventError, otherwise other: DoctorRule) -> DoctorRule {
    switch error {
    case .unsigned, .wrongSignature: signature
    case .notAnEvent, .json, .checksumMismatch, .missing, .invalid, .tag: other
    }
  }
}

extension DoctorRule {
  static let playersTagLimit = DoctorRule(
    "LIMIT-TAG-SIZE", .platforms, .warning, "Size of a tag", source: "Cuelight, Limits",
    expected: "tags of at most 2,048 bytes, the largest that players of all kinds were tried with", advice: "Say less in an event.")
  static let tagLimit = DoctorRule(
    "LIMIT-IVS-TAG-SIZE", .platforms, .note, "Size of a tag at IVS", source: "Amazon IVS, PutMetadata",
    expected: "tags of at most 1,024 bytes", advice: "Nothing to do without IVS; with IVS, say less in an event.")
  static let codecPlayers = DoctorRule(
    "CODEC-PLAYERS", .platforms, .note, "Codecs of the players", source: "Cuelight, Players",
    expected: "codecs that all named players play: H.264, AAC and MP3",
    advice: "Nothing to do if your viewers have players that play it; otherwise add a variant of H.264 and AAC.")
  static let rateLimit = DoctorRule(
    "LIMIT-IVS-RATE", .platforms, .note, "Rate of tags", source: "Amazon IVS, PutMetadata",
    expected: "at most 5 tags in any second, not counting repeated events",
    advice: "Nothing to do, unless the tags pass through IVS: then put fewer events into a second.")
}
