import Basics
import HLSPlaylist
import LibAV
import TestSupport
import Testing

@testable import Stamping

/// Viewers of every variant hear the programme.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct AudioGroupTests {
  private let presentation: Presentation

  init() throws { presentation = try Presentation() }

  /// What a variant states of its audio, and whether its codecs name audio.
  private func audio(_ main: MultivariantPlaylist) -> [String?] {
    main.variants.map { $0.codecs?.contains("mp4a") == true ? $0.audio : nil }
  }

  /// How many audio frames FFmpeg decodes from a playlist, and whether it has no complaint.
  private func decodedFrames(_ name: String) throws -> Int {
    let path = "\(presentation.folder)/hls/\(name)"
    let input = try MediaInput(path: path)
    let streams = try SegmentRemuxer.carriedStreams(of: input)
    #expect(streams.contains { $0.kind == .audio })
    var remuxer = try SegmentRemuxer(input, boundaries: .every(MediaTime(seconds: 60)))
    while try remuxer.next() != nil {}
    return remuxer.summary.packets
  }

  @Test(arguments: SegmentType.allCases) func aFileOfAudioIsThatOfAllVariants(type: SegmentType) throws {
    let summaries = try presentation.stamp([.silent, .silentSmall, .audioOnly], type) { $0.writesDASH = type == .fragmentedMP4 }
    #expect(summaries.map { $0.isCommonAudio } == [false, false, true])
    let main = try presentation.multivariant()
    #expect(main.variants.map { $0.uri } == ["show-media-1.m3u8", "show-media-2.m3u8"])
    #expect(audio(main) == ["audio", "audio"])
    #expect(main.renditions.map { $0.uri } == ["show-audio-3.m3u8"])
    #expect(main.renditions.map { $0.isDefault } == [true])
    let sound = try presentation.media("show-audio-3.m3u8")
    #expect(sound.segments.count == 3 && sound.isEnded)
    #expect(try sound.targetDuration == presentation.media("show-media-1.m3u8").targetDuration)
    // What players need for a variant, they are told: its video and the audio.
    let bytes = try sound.segments.map { try presentation.bytes($0.uri).count }.reduce(0, +)
    let average = try #require(main.variants.first?.averageBandwidth)
    #expect(average > UInt64(bytes * 8 / 4))
    #expect(try decodedFrames("show-audio-3.m3u8") > 125)
    guard type == .fragmentedMP4 else { return }
    let description = String(decoding: try presentation.bytes("show.mpd"), as: UTF8.self)
    #expect(description.split(separator: "contentType=\"audio\"").count == 2)
  }

  @Test(arguments: SegmentType.allCases) func severalFilesOfAudioAreLanguages(type: SegmentType) throws {
    try presentation.stamp([.silent, .german, .audioOnly], type)
    let main = try presentation.multivariant()
    #expect(audio(main) == ["audio"])
    #expect(main.renditions.map { $0.language } == ["de", nil])
    #expect(main.renditions.map { $0.name } == ["de", "Audio 2"])
  }

  @Test(arguments: SegmentType.allCases) func aVideoWithoutAudioHasThatOfAnother(type: SegmentType) throws {
    try presentation.stamp([.silentSmall, .mp4], type)
    let main = try presentation.multivariant()
    #expect(audio(main) == ["audio", "audio"])
    #expect(main.renditions.map { $0.uri } == ["show-audio-2.m3u8"])
  }

  @Test(arguments: SegmentType.allCases) func languagesOfOneInputAreRenditions(type: SegmentType) throws {
    try presentation.stamp([.twoLanguages], type)
    let main = try presentation.multivariant()
    #expect(audio(main) == ["audio"])
    #expect(main.renditions.map { $0.language } == ["en", "de"])
    #expect(main.renditions.map { $0.uri } == ["show-audio.m3u8", "show-audio-2.m3u8"])
    for uri in main.renditions.compactMap({ $0.uri }) {
      #expect(try presentation.media(uri).segments.count == 3)
      #expect(try decodedFrames(uri) > 125)
    }
  }

  /// A further language besides the videos' own.
  @Test(arguments: SegmentType.allCases) func anotherLanguageIsAdded(type: SegmentType) throws {
    try presentation.stamp([.mp4, .german], type)
    let main = try presentation.multivariant()
    #expect(audio(main) == ["audio"])
    #expect(main.renditions.map { $0.language } == [nil, "de"])
  }

  @Test func identicalAudioIsStoredOnce() throws {
    try presentation.stamp([.mp4, .fastStart], .fragmentedMP4)
    let main = try presentation.multivariant()
    #expect(audio(main) == ["audio", "audio"])
    #expect(main.renditions.map { $0.uri } == ["show-audio-1.m3u8"])
    #expect(try !presentation.entries.contains { $0.hasPrefix("show-audio-2") })
  }

  @Test(arguments: SegmentType.allCases) func videosWithoutAnyAudioHaveNoGroup(type: SegmentType) throws {
    try presentation.stamp([.silent, .silentSmall], type)
    let main = try presentation.multivariant()
    #expect(main.variants.map { $0.audio } == [nil, nil])
    #expect(main.renditions.isEmpty)
  }

  /// Audio that goes on after the videos is cut on, so that no segment is long.
  @Test(arguments: SegmentType.allCases) func longerAudioIsCutOn(type: SegmentType) throws {
    try presentation.stamp([.silent, .longSound], type)
    let sound = try presentation.media("show-audio-2.m3u8")
    #expect(sound.segments.count == 5)
    #expect(sound.targetDuration == 1)
  }

  @Test func rolesFollowFromTheLanguages() {
    typealias Streams = InputRoles.Streams
    let (english, none) = (Streams(hasVideo: true, languages: ["en"]), Streams(hasVideo: true, languages: []))
    let sound = Streams(hasVideo: false, languages: ["en"])
    #expect(InputRoles([english, english], audioIsApart: false).roles == [.variant(.withVideo), .variant(.withVideo)])
    #expect(InputRoles([english, none], audioIsApart: false).roles == [.variant(.apart), .variant(.leftOut)])
    #expect(InputRoles([none, sound], audioIsApart: false).roles == [.variant(.apart), .sound])
    // The same language as the videos have is a variant without video.
    #expect(InputRoles([english, sound], audioIsApart: true).roles == [.variant(.apart), .variant(.apart)])
    let both = Streams(hasVideo: true, languages: ["en", "de"])
    let mixed = InputRoles([english, both], audioIsApart: false)
    #expect(mixed.roles == [.variant(.leftOut), .variant(.apart)])
    #expect(mixed.reference == 1)
  }
}
