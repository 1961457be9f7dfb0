import Foundation
import TestSupport
import Testing

/// HLS presentations, written and read by the command line.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct PresentationTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
  }

  /// Stamps the broadcast into segments of a second.
  private func stamp(_ output: String, _ arguments: String...) throws -> Command.Outcome {
    let line = "cuelight stamp '\(Broadcast.path)' --cues cues.yaml --open-answers --segment-duration 1 -o \(output) "
    return try Command.shell(line + arguments.joined(separator: " "), in: scratch.folder)
  }

  private func run(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight \(line)", in: scratch.folder) }

  /// What `inspect --json` says of each copy: time less age, and the event's time, in ticks of 90 kHz, by GUID.
  private func events(_ input: String) throws -> [String: Set<Int>] {
    let inspected = try run("inspect --json \(input)")
    #expect(inspected.status == 0 && inspected.errors == "")
    var events: [String: Set<Int>] = [:]
    for line in inspected.lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable] ?? [:]
      let ticks = try ["time", "age", "eventTime"].map { Int(((try #require(object[$0] as? Double)) * 90_000).rounded()) }
      events[try #require(object["guid"] as? String), default: []].formUnion([ticks[0] - ticks[1], ticks[2]])
    }
    return events
  }

  /// MP3 of MPEG-2.5 is nothing that libavformat writes into MP4 unasked.
  @Test(arguments: ["ts", "fmp4"]) func soundOfLowRates(type: String) throws {
    let sound = Workshop.file("low.mp3", "-f lavfi -i sine=sample_rate=8000 -t 6 -ar 8000 -c:a libmp3lame")
    let stamped = try run("stamp '\(sound)' --cues cues.yaml --segment-type \(type) -o low/index.m3u8")
    #expect(stamped.status == 0 && stamped.errors == "")
    #expect(try run("verify low/index.m3u8 --cues cues.yaml").status == 0)
  }

  @Test func allOutputsCarryTheSameEventsAtTheSameTimes() throws {
    let file = try Command.shell("cuelight stamp '\(Broadcast.path)' --cues cues.yaml --open-answers -o file.ts", in: scratch.folder)
    #expect(file.status == 0)
    #expect(try stamp("ts/index.m3u8").status == 0)
    #expect(try stamp("cmaf/index.m3u8", "--segment-type fmp4").status == 0)
    let dated = try stamp("dated/index.m3u8", "--segment-type fmp4 --program-date-time 2026-11-20T20:00:00Z --daterange")
    #expect(dated.output.hasSuffix("See the game: cuelight replay dated/index.m3u8\n"))
    let expected = try events("file.ts")
    #expect(expected.count == 5 && expected.values.allSatisfy { $0.count == 1 })
    for input in ["ts/index.m3u8", "ts/index-media.m3u8", "cmaf/index.m3u8", "dated/index.m3u8"] { #expect(try events(input) == expected) }
    for input in ["ts", "cmaf", "dated"] {
      let verified = try run("verify \(input)/index.m3u8 --cues cues.yaml")
      #expect(verified.status == 0 && verified.lines.count == 1)
      let replayed = try run("replay \(input)/index.m3u8")
      let inFile = try run("replay file.ts")
      #expect(replayed.status == 0 && replayed.lines.dropLast() == inFile.lines.dropLast())
    }
    let carriages = try run("inspect --json dated/index.m3u8").lines.filter { $0.contains(#""carriage":"daterange""#) }
    #expect(carriages.count == 5)
  }

  @Test func renditionsAreChosenAndCompared() throws {
    let small = try Command.shell(
      "ffmpeg -v error -i '\(Broadcast.path)' -vf scale=80:46 -c:v libx264 -g 25 -bf 2 -c:a copy small.mp4", in: scratch.folder)
    #expect(small.status == 0)
    let stamped = try Command.shell(
      "cuelight stamp '\(Broadcast.path)' small.mp4 --cues cues.yaml --segment-duration 1 --segment-type fmp4 -o all/index.m3u8",
      in: scratch.folder)
    #expect(
      stamped.lines.count == 3 && stamped.lines[1] == "all/index.m3u8 (small.mp4): 5 events in 16 copies over 00:06.000, in 6 segments")
    for name in ["index-media-2.m3u8", "80x46", "2"] {
      let inspected = try run("inspect all/index.m3u8 --rendition \(name)")
      #expect(
        inspected.status == 0 && inspected.output.contains("index-segment-2-00000.m4s") && !inspected.output.contains("index-segment-1"))
    }
    let verified = try run("verify all/index.m3u8 --cues cues.yaml --all-renditions")
    #expect(verified.status == 0 && verified.lines.count == 2)
    let compared = try run("inspect all/index.m3u8 --all-renditions")
    #expect(compared.status == 0 && compared.errors == "" && compared.lines.last == "2 renditions carry the same 5 events")
    let missing = try run("inspect all/index.m3u8 --rendition 9")
    #expect(missing.status == 65 && missing.errors.contains("rendition \"9\" does not exist; there are index-media-1.m3u8 (160x90), "))
    let noChoice = try run("verify all/index-media-1.m3u8 --cues cues.yaml --all-renditions")
    #expect(noChoice.status == 64)
    let both = try run("inspect all/index.m3u8 --rendition 1 --all-renditions")
    #expect(both.status == 64)
    // A rendition that is not there hides none of the others.
    let second = scratch["all/index-media-2.m3u8"]
    try FileManager.default.moveItem(at: second, to: scratch["away"])
    let partly = try run("verify all/index.m3u8 --cues cues.yaml --all-renditions")
    #expect(partly.status == 74 && partly.lines.count == 1 && partly.errors.contains("index-media-2.m3u8: no such file"))
    try FileManager.default.moveItem(at: scratch["away"], to: second)
    // A rendition whose events were lost is told.
    for number in 0..<6 { try FileManager.default.removeItem(at: scratch["all/index-segment-2-0000\(number).m4s"]) }
    let differing = try run("inspect all/index.m3u8 --all-renditions")
    #expect(
      differing.status == 74 && differing.lines.filter { $0.hasPrefix("index-media-2.m3u8: ") && $0.hasSuffix(" is missing") }.count == 5)
  }

  @Test func whatIsMissingIsToldAndTheRestIsRead() throws {
    _ = try stamp("hls/index.m3u8")
    try FileManager.default.removeItem(at: scratch["hls/index-segment-00001.ts"])
    let verified = try run("verify hls/index.m3u8 --cues cues.yaml")
    #expect(verified.status == 74)
    #expect(verified.errors == "hls/index.m3u8: index-segment-00001.ts (segment 1): skipped: no such file\n")
    #expect(verified.lines.count == 1 && verified.lines[0].hasPrefix("hls/index.m3u8: every event exactly once: 5 events in "))
    let replayed = try run("replay --json hls/index.m3u8")
    #expect(replayed.lines.contains { $0.hasPrefix(#"{"type":"notice","what":"index-segment-00001.ts"#) })
    #expect(replayed.status == 74 && replayed.lines.last?.contains(#""lost":0,"conflicts":0,"phase":"ended""#) == true)
  }

  /// An error in the middle does not take along what was found before it.
  @Test func whatWasFoundBeforeAnErrorIsPrinted() throws {
    _ = try stamp("hls/index.m3u8")
    let inspected = try Command.shell("cat hls/index-segment-0000[0-2].ts | cuelight inspect - | head -c 20", in: scratch.folder)
    #expect(inspected.output.hasPrefix("00:00.500"))
    let text = try String(contentsOf: scratch["hls/index-media.m3u8"], encoding: .utf8)
    try text.replacingOccurrences(of: "#EXT-X-ENDLIST", with: "").replacingOccurrences(of: "#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
      .write(to: scratch["hls/index-media.m3u8"], atomically: true, encoding: .utf8)
    let line = "timeout --preserve-status -s INT 2 '\(Command.executable.path)' replay hls/index.m3u8; echo $?"
    let stopped = try Command.shell(line, in: scratch.folder)
    #expect(stopped.output.hasPrefix("00:00.500  Test   1 question\n") && stopped.output.hasSuffix("130\n"))
  }

  @Test func nothingOutsideOfAPlaylistsFolderIsRead() throws {
    _ = try stamp("hls/index.m3u8")
    try FileManager.default.moveItem(at: scratch["hls/index-segment-00001.ts"], to: scratch["secret.ts"])
    try FileManager.default.createSymbolicLink(at: scratch["hls/index-segment-00001.ts"], withDestinationURL: scratch["secret.ts"])
    let media = scratch["hls/index-media.m3u8"]
    let text = try String(contentsOf: media, encoding: .utf8)
    for name in ["index-segment-00001.ts", "../secret.ts", "http://127.0.0.1:9/secret.ts", scratch["secret.ts"].path] {
      try text.replacingOccurrences(of: "index-segment-00001.ts", with: name).write(to: media, atomically: true, encoding: .utf8)
      let inspected = try run("inspect hls/index.m3u8")
      #expect(inspected.status == 74)
      #expect(inspected.errors == "hls/index.m3u8: \(name) (segment 1): skipped: it is not in the playlist's folder\n")
    }
  }

  @Test func aPlaylistThatCannotBeReadIsToldWithItsLine() throws {
    _ = try scratch.write("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:one,\na.ts\n", to: "bad.m3u8")
    let inspected = try run("inspect bad.m3u8")
    #expect(inspected.status == 65 && inspected.output == "")
    #expect(inspected.errors == "cuelight: bad.m3u8: a duration in seconds is expected here (line 3, column 9)\n")
    let piped = try Command.cuelight("inspect", "-", input: Data("#EXTM3U\n".utf8))
    #expect(piped.status == 65 && piped.errors.contains("standard input is a playlist"))
  }

  @Test func encryptedSegmentsAreReadOrToldAbout() throws {
    _ = try stamp("hls/index.m3u8")
    let expected = try events("hls/index.m3u8")
    let media = scratch["hls/index-media.m3u8"]
    var text = try String(contentsOf: media, encoding: .utf8)
    try Data((0..<16).map { UInt8($0) }).write(to: scratch["hls/key"])
    for number in 0..<6 {
      // Without an IV the segment's number is one.
      let line =
        "ffmpeg -v error -f data -i hls/index-segment-0000\(number).ts -map 0 -c copy -f data "
        + "-encryption_key 000102030405060708090a0b0c0d0e0f -encryption_iv 0000000000000000000000000000000\(number) crypto:hls/\(number).aes"
      #expect(try Command.shell(line, in: scratch.folder) == .init(status: 0, output: "", errors: ""))
      text = text.replacingOccurrences(of: "index-segment-0000\(number).ts", with: "\(number).aes")
    }
    let head = "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXTINF"
    let parts = text.split(separator: "#EXTINF", maxSplits: 1)
    try "\(parts[0])\(head)\(parts[1])".write(to: media, atomically: true, encoding: .utf8)
    #expect(try events("hls/index.m3u8") == expected)
    let sample = "\(parts[0])\(head.replacingOccurrences(of: "AES-128", with: "SAMPLE-AES"))\(parts[1])"
    try sample.write(to: media, atomically: true, encoding: .utf8)
    let refused = try run("inspect hls/index.m3u8")
    #expect(refused.errors.contains("encryption with SAMPLE-AES is not supported"))
  }
}
