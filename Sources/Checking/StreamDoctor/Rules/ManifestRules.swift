// MPDs: what they say of the events in the segments.

extension DoctorRule {
  static let inbandMissing = DoctorRule(
    "DASH-INBAND", .manifests, .error, "Announced messages", source: "ISO/IEC 23009-1, 5.10.3.2",
    expected: "an InbandEventStream with the scheme of the event messages in their adaptation set or representation",
    advice: "Add it to the AdaptationSet, with an empty value: players ignore messages that the MPD does not announce.")
  static let inbandValue = DoctorRule(
    "DASH-INBAND-VALUE", .manifests, .error, "Announced value", source: "ISO/IEC 23009-1, 5.10.3.3",
    expected: "the value of the event messages as the value of their InbandEventStream",
    advice: "Write the same value in both, best an empty one: players compare it.")
  static let manifestEvents = DoctorRule(
    "DASH-EVENT-STREAM", .manifests, .note, "Events in the MPD", source: "ISO/IEC 23009-1, 5.10.2",
    expected: "events in event messages of the segments",
    advice: "Nothing to do if they are others' events; Cuelight reads none in the MPD itself.")
  static let manifestClock = DoctorRule(
    "DASH-CLOCK", .manifests, .warning, "Time of live MPDs", source: "ISO/IEC 23009-1, 5.8.4.11",
    expected: "a UTCTiming in a dynamic MPD",
    advice: "Add one of your own server: dash.js asks a public server otherwise, and players with a wrong clock load nothing.")
}
