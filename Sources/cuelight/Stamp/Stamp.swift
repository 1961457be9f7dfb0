import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import EventSchedule
import Files
import HLSPlaylist
import LibAV
import PacketStamping
import Seals
import Stamping
import Terminal

struct Stamp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stamp",
    abstract: "Embed the events of a cue sheet in a video.",
    discussion: """
      The video may be MP4, MOV, MKV, FLV, an audio file or anything else that FFmpeg reads; it is copied into MPEG-TS without being \
      decoded. A transport stream goes through packet by packet: tags take the place of null packets in the 0.7 s before them, or are added \
      where there are none, and it says how many of both. Its packets stay as long as they are, with timestamps (.m2ts, .mts) or parity; \
      what is copied into a transport stream gets packets of 188 bytes, whatever the output's name.

      An output whose name ends in .mp4 becomes one file of fragmented MP4, with the events as event messages in front of its fragments.

      An output whose name ends in .m3u8 becomes HLS: segments, media playlists and a multivariant playlist, all in its folder. Several \
      inputs become its variants, cut where all of them have key frames, with the same events. A file of audio alone is audio of all of them, in \
      the language that it states.

      Example:
        cuelight stamp show.mp4 --cues show.yaml -o show.ts
        cuelight stamp broadcast.ts --cues show.yaml -o stamped.ts \\
          --program 28106 --constant-rate
        cuelight stamp show.mp4 --cues show.yaml -o show/index.m3u8
        cuelight stamp 1080.mp4 720.mp4 sound.m4a --cues show.yaml \\
          -o show/index.m3u8 --segment-type fmp4
        cuelight stamp - --cues show.yaml -o - < broadcast.ts > stamped.ts
      """)

  @Argument(help: "The video, for HLS one or several; - for a transport stream on standard input.")
  var inputs: [String]

  @Option(name: .long, help: "The cue sheet, YAML or JSON, or a macro file of ID3 tags as Apple's segmenters have it.")
  var cues: String

  @OptionGroup var cueOffset: CueOffset

  @Flag(name: .long, help: "Refuse a cue sheet with warnings, as cuelight lint has them, instead of printing them.")
  var strict = false

  @Option(
    name: .shortAndLong,
    help:
      "The transport stream (.ts, .m2ts, .mts, .m2t, .tp, .trp; - for standard output), MP4 file (.mp4) or HLS playlist (.m3u8) to write.")
  var output: String

  @OptionGroup var policy: PolicyOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A file with the 32 secret bytes that answers are sealed with.",
      discussion: """
        Raw, hexadecimal or base64. Without it the environment's CUELIGHT_SEAL_KEY counts, and without that a random key is made for the run. \
        Random numbers of each run go into the seals too, so that no question has the same seal twice.
        """
    ))
  var sealKey: String?

  @Flag(name: .long, help: "Let the seals depend on the seal key and the questions alone, for the same show stamped again or elsewhere.")
  var reproducible = false

  @Flag(name: .long, help: "Send the right answers in the clear, for clients that score by themselves.")
  var openAnswers = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A file with an Ed25519 private key that each event is signed with, for readers with --require-signature.",
      discussion: "As openssl genpkey -algorithm ed25519 writes it, or its 32 bytes raw, hexadecimal or in base64.",
      valueName: "private-key"))
  var sign: String?

  @Option(name: .long, help: "Transport streams of several programs: the number of the one that the events belong to.")
  var program: UInt16?

  @Flag(name: .long, help: "Transport streams: fail where a tag finds no null packet, instead of adding packets.")
  var constantRate = false

  @Flag(name: .long, help: "Put each tag into an SEI message of the H.264 or HEVC video as well, for chains that lose ID3 streams.")
  var sei = false

  /// The carriages of the events besides timed ID3.
  var carriages: AddedCarriages { sei ? .messages : [] }

  @Flag(name: .long, help: "Let FFmpeg copy a transport stream too, instead of passing its packets through.")
  var remux = false

  @Option(name: .long, help: "HLS: what segments are, ts or fmp4.", transform: Self.segmentType(_:))
  var segmentType = SegmentType.transportStream

  @Option(name: .long, help: "HLS: the least number of seconds in a segment, 6 unless said otherwise; it ends at the next key frame.")
  var segmentDuration: String?

  @Option(name: .long, help: "HLS: the date and time of the programme's zero, with its zone (2026-11-20T20:00:00Z).")
  var programDateTime: String?

  @Flag(
    name: .long,
    help: ArgumentHelp(
      "HLS: write each event as EXT-X-DATERANGE too; takes --program-date-time.",
      discussion: """
        The playlist is there at once with all of them, so that results are left out of it unless --open-answers says that answers are no secret.
        """))
  var daterange = false

  @Flag(name: .long, help: "HLS of fmp4: write an MPD as well, so that players of MPEG-DASH play the same segments.")
  var dash = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "HLS: a file with the key that segments are encrypted with (AES-128); takes --key-uri.",
      discussion: "Its 16 bytes, or 32 hexadecimal digits. The key is written nowhere: have it served at the address of --key-uri.",
      valueName: "key"))
  var key: String?

  @Option(name: .customLong("key-uri"), help: "HLS: where players load the key of --key, relative to the playlists.")
  var keyURI: String?

  @Flag(name: .long, help: "Take out all events that the video has already.")
  var replace = false

  @Flag(name: .long, help: "Print what was stamped as one JSON object.")
  var json = false

  @OptionGroup var replacing: ReplaceOption

  var isPlaylist: Bool { output.hasSuffix(".m3u8") }

  var isMP4: Bool { Self.mp4Endings.contains { output.lowercased().hasSuffix($0) } }

  /// The file extensions of fragmented MP4.
  private static let mp4Endings = [".mp4", ".m4v", ".cmfv"]

  /// The file extensions of transport streams from broadcasters, Blu-ray discs, camcorders (which also write .MTS) and TV recorders.
  private static let transportStreamEndings = [".ts", ".m2ts", ".mts", ".m2t", ".tp", ".trp"]

  private static func segmentType(_ name: String) throws -> SegmentType {
    try require(SegmentType(rawValue: name), "--segment-type takes ts or fmp4, not \(name).")
  }

  /// The names of the inputs for messages about all of them.
  var inputNames: String { inputs.joined(separator: ", ") }

  func validate() throws {
    for input in inputs { try EditedStream.requireFile(input) }
    try require((inputs + [cues]).count { $0 == "-" } <= 1, "Standard input (-) can be read once.")
    try EditedStream.validate(output: output)
    guard isPlaylist || isMP4 || output == "-" || Self.transportStreamEndings.contains(where: { output.lowercased().hasSuffix($0) }) else {
      let endings = Self.transportStreamEndings
      throw ValidationError(
        "The output's name must end in \(endings.dropLast().joined(separator: ", ")) or \(endings[endings.count - 1]) for a transport stream, "
          + "in .mp4 for fragmented MP4, or in .m3u8 for HLS, and \(output) does not.")
    }
    _ = try policy.policy()
    if let segmentDuration, MediaTime(decimalSeconds: segmentDuration).map({ $0 >= MediaTime(ticks: 9_000) }) != true {
      throw ValidationError("--segment-duration takes seconds from 0.1 on, not \(segmentDuration).")
    }
    if let programDateTime {
      let date = try require(
        PlaylistDate(programDateTime), "--program-date-time takes a date and time such as 2026-11-20T20:00:00Z, not \(programDateTime).")
      try require(
        date.hasZone,
        "--program-date-time takes a zone, too: write \(programDateTime)Z for UTC, or \(programDateTime)+01:00 where clocks are an hour ahead of it."
      )
    }
    try require(isPlaylist || inputs.count == 1, "One file is made of one video; only HLS (.m3u8) takes several.")
    try require(
      !isMP4 || (program == nil && !constantRate && !remux),
      "--program, --constant-rate and --remux are about packets of transport streams, and for MP4 all is muxed anew.")
    try require(
      isPlaylist || (segmentType == .transportStream && segmentDuration == nil && !daterange && programDateTime == nil),
      "--segment-type, --segment-duration, --daterange and --program-date-time are for HLS, and \(output) does not end in .m3u8.")
    try require(
      !dash || (isPlaylist && segmentType == .fragmentedMP4),
      "--dash is for HLS of fragmented MP4: an output that ends in .m3u8, with --segment-type fmp4.")
    try require(
      (key == nil) == (keyURI == nil), "--key and --key-uri go together: the key's file, and the address where players load the key.")
    try require(isPlaylist || key == nil, "--key is for HLS, and \(output) does not end in .m3u8.")
    try require(!dash || key == nil, "--dash excludes --key: players of MPEG-DASH cannot decrypt whole segments.")
    if let keyURI {
      try require(
        !keyURI.isEmpty && !keyURI.unicodeScalars.contains { $0 == "\"" || $0.value <= 0x20 || $0.value == 0x7F },
        "--key-uri takes an address without spaces and quotation marks, not \(keyURI).")
    }
    try require(
      !isPlaylist || (program == nil && !constantRate && !remux),
      "--program, --constant-rate and --remux are for outputs of one transport stream, and for HLS all are muxed anew.")
    try require(
      !remux || (program == nil && !constantRate),
      "--remux excludes --program and --constant-rate, which are about packets that pass through.")
    try require(!sei || !constantRate, "--sei adds packets to the video, and --constant-rate adds none: a stream has one or the other.")
    try require(!json || output != "-", "--json prints to standard output, which -o - takes for the stream.")
    guard program != 0 else { throw ValidationError("--program takes a number from 1 to 65535; 0 is no program.") }
    guard !remux || inputs != ["-"] else { throw ValidationError("--remux reads a file, not standard input.") }
    try require(!daterange || programDateTime != nil, "--daterange takes --program-date-time, which tells its dates.")
    guard !(openAnswers && sealKey != nil) else { throw ValidationError("--open-answers and --seal-key exclude each other.") }
  }
}
