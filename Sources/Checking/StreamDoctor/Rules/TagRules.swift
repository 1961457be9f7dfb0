// ID3 tags.

extension DoctorRule {
  static let tagVersion = DoctorRule(
    "ID3-VERSION", .tags, .warning, "Version", source: "Apple, Timed Metadata for HLS, 2",
    expected: "ID3v2.4.0", advice: "Write tags of version 2.4.")
  static let tagSynchsafe = DoctorRule(
    "ID3-SYNCHSAFE", .tags, .error, "Size of the tag", source: "ID3v2.4 structure, 3.1",
    expected: "four bytes below 80 as the size of a tag", advice: "Write the size with seven bits a byte.")
  static let tagSize = DoctorRule(
    "ID3-SIZE", .tags, .error, "A whole tag", source: "ID3v2.4 structure, 3.1",
    expected: "as many bytes as the tag's size says", advice: "Write the real size, and all of the tag.")
  static let frameSize = DoctorRule(
    "ID3-FRAME-SIZE", .tags, .error, "Size of frames", source: "ID3v2.4 structure, 4",
    expected: "synchsafe sizes of frames in ID3v2.4", advice: "Write the size with seven bits a byte; plain sizes are those of 2.3.")
  static let plainSize = DoctorRule(
    "ID3-PLAIN-SIZE", .tags, .warning, "Large frames of 2.3", source: "hls.js and mux.js, `id3`",
    expected: "frames below 128 bytes in ID3v2.3",
    advice: "Write ID3v2.4: hls.js and video.js read the sizes of every version as synchsafe.")
  static let emptyFrame = DoctorRule(
    "ID3-EMPTY-FRAME", .tags, .error, "Empty frames", source: "ID3v2.4 structure, 4",
    expected: "at least one byte in a frame", advice: "Leave the frame out: video.js drops the whole tag.")
  static let extendedHeader = DoctorRule(
    "ID3-EXTENDED-HEADER", .tags, .warning, "Extended header", source: "hls.js, `id3`",
    expected: "no extended header", advice: "Leave it out: players skip it wrongly.")
  static let unsynchronised = DoctorRule(
    "ID3-UNSYNCHRONISED", .tags, .warning, "Unsynchronisation", source: "hls.js and mux.js, `id3`",
    expected: "no unsynchronisation", advice: "Leave it out: players do not undo it.")
  static let footer = DoctorRule(
    "ID3-FOOTER", .tags, .error, "Footer", source: "ID3v2.4 structure, 3.4",
    expected: "a footer equal to the header if a flag announces one", advice: "Write the footer, or take the flag away.")
  static let frames = DoctorRule(
    "ID3-FRAMES", .tags, .error, "Readable frames", source: "ID3v2.4 structure, 4",
    expected: "frames that can be read, up to the end or to zeros", advice: "Check the program that writes the frame that is named.")
  static let description = DoctorRule(
    "ID3-ASCII-DESCRIPTION", .tags, .warning, "Descriptions", source: "hls.js, `decodeTextFrame`",
    expected: "ASCII in the description of a TXXX frame", advice: "Use ASCII: hls.js finds the value by the number of characters.")
  static let encoding = DoctorRule(
    "ID3-ENCODING", .tags, .warning, "Text encoding", source: "hls.js and mux.js, `id3`",
    expected: "text encoding 3 (UTF-8) in TXXX frames",
    advice: "Write UTF-8: hls.js reads everything as UTF-8, video.js 7 reads nothing else.")
}
