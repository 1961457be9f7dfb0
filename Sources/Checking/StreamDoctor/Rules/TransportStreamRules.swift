// Packets and tables of MPEG-TS.

extension DoctorRule {
  static let pmtPointer = DoctorRule(
    "TS-PMT-POINTER", .transportStream, .error, "Pointer to the metadata", source: "Apple, Timed Metadata for HLS, 2.3",
    expected: "a metadata_pointer_descriptor (25) of format ID3 among the program's descriptors of each program with timed ID3",
    advice: "Add the descriptor; `cuelight repair` does. AVFoundation finds no metadata without it.")
  static let pmtMetadata = DoctorRule(
    "TS-PMT-METADATA", .transportStream, .error, "Description of the metadata", source: "Apple, Timed Metadata for HLS, 2.3",
    expected: "a metadata_descriptor (26) of format ID3 with each ID3 stream",
    advice: "Add the descriptor; `cuelight repair` does. AVFoundation finds no metadata without it.")
  static let pmtService = DoctorRule(
    "TS-PMT-SERVICE", .transportStream, .error, "Service of the metadata", source: "Apple, Timed Metadata for HLS, 2.3",
    expected: "the same metadata_service_id in pointer and metadata_descriptor", advice: "Make the two equal.")
  static let pmtProgram = DoctorRule(
    "TS-PMT-PROGRAM", .transportStream, .error, "Program of the pointer", source: "Apple, Timed Metadata for HLS, 2.3",
    expected: "the program's own number in the metadata_pointer_descriptor",
    advice: "Write the number in 16 bits after MPEG_carriage_flags 0 (1F).")
  static let pmtForm = DoctorRule(
    "TS-PMT-FORM", .transportStream, .note, "Form of the descriptors", source: "Apple, Timed Metadata for HLS, 2.3",
    expected: "`25 0F FFFF 49443320 FF 49443320 ss 1F pppp` and `26 0D FFFF 49443320 FF 49443320 ss 0F`",
    advice: "Prefer this form, which every reader knows.")
  static let pmtVersion = DoctorRule(
    "TS-PMT-VERSION", .transportStream, .error, "Version of the map", source: "ISO/IEC 13818-1, 2.4.4.9",
    expected: "a new version_number when the map changes", advice: "Count the version up; readers skip a map whose version they know.")
  static let tableCRC = DoctorRule(
    "TS-TABLE-CRC", .transportStream, .error, "Checksum of the tables", source: "ISO/IEC 13818-1, 2.4.4.9",
    expected: "a right CRC_32 in every section", advice: "Compute the CRC-32/MPEG-2 again after each change of a table.")
  static let streamType = DoctorRule(
    "TS-STREAM-TYPE", .transportStream, .error, "Type of the stream", source: "Apple, Timed Metadata for HLS, 2.3",
    expected: "stream_type 15 in the program map for a PID that carries ID3",
    advice: "List the PID in the map as 15 with a metadata_descriptor.")
  static let onePID = DoctorRule(
    "TS-ONE-PID", .transportStream, .warning, "One ID3 stream a program", source: "hls.js, `tsdemuxer`",
    expected: "one timed ID3 stream in a program", advice: "Put all tags on one PID: hls.js reads the first and ignores others.")
  static let pidClash = DoctorRule(
    "TS-PID-CLASH", .transportStream, .error, "PIDs of their own", source: "ISO/IEC 13818-1, 2.4.4.9",
    expected: "a PID for one stream only", advice: "Move the ID3 stream to a PID that nothing else uses.")
  static let continuity = DoctorRule(
    "TS-CONTINUITY", .transportStream, .warning, "Continuity", source: "ISO/IEC 13818-1, 2.4.3.3",
    expected: "continuity counters without gaps, in every PID",
    advice: "Find where packets are lost, or renumber the PID after inserting packets.")
  static let packetSize = DoctorRule(
    "TS-PACKET-SIZE", .transportStream, .warning, "Size of packets", source: "ISO/IEC 13818-1, 2.4.3.2",
    expected: "packets of 188 bytes with nothing between",
    advice: "Take away timestamps, parity and stray bytes: players on the web know only 188.")
  static let clock = DoctorRule(
    "TS-PCR", .transportStream, .error, "Clock", source: "ISO/IEC 13818-1, 2.7.2",
    expected: "program clock references (PCR) on the PID that the program map names",
    advice: "Write a PCR at least every 0.1 s: decoders and multiplexers follow no other clock.")
  static let decodingTime = DoctorRule(
    "TS-DTS", .transportStream, .error, "Decoding times", source: "ISO/IEC 13818-1, 2.7.5",
    expected: "decoding times (DTS) that are not later than presentation times",
    advice: "Check what reorders or delays pictures: players drop those that arrive too late.")
}
