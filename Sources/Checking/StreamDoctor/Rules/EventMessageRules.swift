// Event messages of fragmented MP4.

extension DoctorRule {
  static let messageVersion = DoctorRule(
    "EMSG-VERSION", .eventMessages, .error, "Version", source: "AOMedia, Carriage of ID3 Timed Metadata in CMAF, 2.2",
    expected: "version 1 of the box", advice: "Write version 1, whose presentation_time needs no segment to count from.")
  static let messageScheme = DoctorRule(
    "EMSG-SCHEME", .eventMessages, .warning, "Scheme", source: "AOMedia, Carriage of ID3 Timed Metadata in CMAF, 2.2",
    expected: "the scheme `https://aomedia.org/emsg/ID3`",
    advice: "Use the scheme of AOMedia: the older one of Apple is not known everywhere, and others not at all.")
  static let messageValue = DoctorRule(
    "EMSG-VALUE", .eventMessages, .warning, "Value", source: "AOMedia, Carriage of ID3 Timed Metadata in CMAF, 2.2",
    expected: "an empty value, or 0", advice: "Leave the value empty: dash.js tells messages apart by it.")
  static let messageData = DoctorRule(
    "EMSG-DATA", .eventMessages, .error, "Message", source: "AOMedia, Carriage of ID3 Timed Metadata in CMAF, 2.2",
    expected: "one complete ID3v2.4 tag as message_data", advice: "Put exactly one tag into each box.")
  static let messageTimescale = DoctorRule(
    "EMSG-TIMESCALE", .eventMessages, .note, "Timescale", source: "AOMedia, Carriage of ID3 Timed Metadata in CMAF, 2.2",
    expected: "a timescale of 90,000, or that of the track", advice: "Use 90,000: times are exact then.")
  static let messageDuration = DoctorRule(
    "EMSG-DURATION", .eventMessages, .warning, "Duration", source: "AOMedia, Carriage of ID3 Timed Metadata in CMAF, 2.2",
    expected: "event_duration FFFFFFFF if the end is not known", advice: "Write FFFFFFFF instead of 0.")
  static let messageTime = DoctorRule(
    "EMSG-TIME", .eventMessages, .error, "Time", source: "AOMedia, Carriage of ID3 Timed Metadata in CMAF, 2.2",
    expected: "a presentation_time within the segment that the box lies in",
    advice: "Put the box into the segment that presents its time; give a refresh a new time.")
  static let messagePlace = DoctorRule(
    "EMSG-PLACE", .eventMessages, .error, "Place", source: "ISO/IEC 23000-19, 7.4.5",
    expected: "`emsg` after `styp` and before `moof`", advice: "Move the box in front of the segment's first `moof`.")
  static let messageSharedID = DoctorRule(
    "EMSG-ID", .eventMessages, .error, "id of different events", source: "ISO/IEC 23009-1, 5.10.3.3.4",
    expected: "different ids for different events", advice: "Derive the id from the event: dash.js keeps the first of equal ids for ever.")
  static let messageSecondID = DoctorRule(
    "EMSG-ID-COPIES", .eventMessages, .warning, "id of copies", source: "ISO/IEC 23009-1, 5.10.3.3.4",
    expected: "one id for all copies of an event", advice: "Use the CRC-32/MPEG-2 of the GUID: dash.js fires once for each id.")
  static let messageForeignID = DoctorRule(
    "EMSG-ID-CRC", .eventMessages, .note, "id from the GUID", source: "Cuelight, Carriage",
    expected: "the CRC-32/MPEG-2 of the GUID as id",
    advice: "Derive the id so, and it stays the same in every rendition and after every restart.")
  static let brand = DoctorRule(
    "EMSG-BRAND", .eventMessages, .warning, "Brand", source: "AOMedia, Carriage of ID3 Timed Metadata in CMAF",
    expected: "the brand `aid3` in `ftyp` of a track with ID3", advice: "Add the brand.")
  static let boxes = DoctorRule(
    "MP4-BOXES", .eventMessages, .error, "Readable boxes", source: "ISO/IEC 14496-12, 4.2",
    expected: "boxes that are whole and can be read", advice: "Find where the file is cut off or damaged.")
}
