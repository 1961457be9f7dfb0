// Ad breaks: what sections of SCTE 35 and date ranges say of them.

extension DoctorRule {
  static let cueSection = DoctorRule(
    "CUE-SECTION", .breaks, .error, "Readable cues", source: "SCTE 35, 9.6",
    expected: "whole sections of SCTE 35 with a right CRC_32",
    advice: "Find what changes or cuts the sections: a device that moves their times has to compute the checksum again.")
  static let cueID = DoctorRule(
    "CUE-ID", .breaks, .warning, "One identifier a break", source: "SCTE 35, 9.7.3 and 10.3.3",
    expected: "an event id that no earlier break of the same kind has had",
    advice: "Count the event ids up: packagers and players take a second break with an id for a repeat of the first.")
  static let cueEnd = DoctorRule(
    "CUE-END", .breaks, .warning, "Breaks that end", source: "SCTE 35, 9.7.3 and 10.3.3; RFC 8216bis, 4.4.5.1.1",
    expected: "a cue that ends the break, or a duration with auto_return",
    advice: "Send the cue for the return to the programme, or state a duration that counts without one.")
  static let cueEvent = DoctorRule(
    "CUE-EVENT", .breaks, .warning, "Events outside of breaks", source: "Cuelight, Carriage",
    expected: "no event inside an ad break, and no question whose time for answers meets one; results and the end of a game may be there",
    advice: "Move the cues: `lint --video` names their lines, and `plan --around` leaves breaks free. Viewers do not see "
      + "what lies in a break if their player shows other advertisements.")
  static let cueDateRange = DoctorRule(
    "CUE-DATERANGE", .breaks, .warning, "Date ranges that agree", source: "RFC 8216bis, 4.4.5.1.1",
    expected: "a date range that says what its section says: out or in, the event id, the duration, and the time",
    advice: "Let the packager make the date range of the section that it carries, and map presentation times to dates by the segments.")
}
