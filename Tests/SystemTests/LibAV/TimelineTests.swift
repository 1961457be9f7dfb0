import Basics
import Testing

@testable import LibAV

@Suite("Timestamps of a copied program")
struct TimelineTests {
  private static let video = {
    var stream = MediaStream(index: 0, kind: .video, codecName: "h264")
    stream.reorderDepth = 2
    stream.frameDuration = MediaTime(ticks: 100)
    return stream
  }()
  private static let audio = MediaStream(index: 1, kind: .audio, codecName: "aac")

  private static func picture(
    _ presentation: Int64?, _ decoding: Int64?, isKey: Bool = false, isHidden: Bool = false
  ) -> PacketTimes {
    PacketTimes(
      stream: video.index, presentation: presentation.map(MediaTime.init(ticks:)), decoding: decoding.map(MediaTime.init(ticks:)),
      duration: nil, isKey: isKey, isHidden: isHidden)
  }

  private static func sound(_ presentation: Int64?, _ decoding: Int64?) -> PacketTimes {
    var times = picture(presentation, decoding, isKey: true)
    times.stream = audio.index
    return times
  }

  private static func start(_ packets: [PacketTimes], streams: [MediaStream] = [video]) throws -> StartOfStreams {
    var start = try #require(StartOfStreams(copying: streams))
    for packet in packets { start.append(packet) }
    start.fillDecodingTimes()
    return start
  }

  private static func timeline(_ packets: [PacketTimes], streams: [MediaStream] = [video]) throws -> Timeline {
    Timeline(start: try start(packets, streams: streams), firstPresentation: MediaTime(ticks: 10_000), lead: MediaTime(ticks: 700))
  }

  /// Presentation and decoding times, shifted so that the first key frame is presented at 10,000.
  private static func place(_ packets: [PacketTimes], streams: [MediaStream] = [video]) throws -> (times: [[Int64]], timeline: Timeline) {
    let start = try start(packets, streams: streams)
    var timeline = try timeline(packets, streams: streams)
    let placed = try start.packets.indices.compactMap { try timeline.place(start.packets[$0], following: start.packets[($0 + 1)...]) }
    return (placed.map { [$0.presentation.ticks, $0.decoding.ticks] }, timeline)
  }

  @Test("Without streams there is no program")
  func noStreams() { #expect(StartOfStreams(copying: []) == nil) }

  @Test(
    "Missing decoding times are counted back from the first known one",
    arguments: [
      // Matroska with two B-frames: the third packet is the first with a decoding time.
      ([[0, nil], [300, nil], [100, 0], [200, 100]], [-200, -100, 0, 100]),
      // None is known: never later than presented.
      ([[0, nil], [300, nil], [100, nil], [200, nil]], [-100, 0, 100, 200]),
      // All are known.
      ([[0, -200], [300, -100], [100, 0]], [-200, -100, 0]),
    ] as [([[Int64?]], [Int64])])
  func missingAtStart(given: [[Int64?]], expected: [Int64]) throws {
    let start = try Self.start(given.map { Self.picture($0[0], $0[1]) })
    #expect(start.packets.map { $0.decoding?.ticks } == expected)
    #expect(start.firstDecodings == [0: MediaTime(ticks: expected[0])])
  }

  @Test("Holding back ends when all streams have begun")
  func complete() throws {
    var start = try #require(StartOfStreams(copying: [Self.audio, Self.video]))
    #expect(start.program == Self.video)
    start.append(Self.sound(0, nil))
    start.append(Self.picture(0, nil, isKey: true))
    #expect(!start.isComplete)
    start.append(Self.picture(300, nil))
    start.append(Self.picture(100, 0))
    #expect(start.isComplete)
  }

  @Test("All streams are shifted alike")
  func shift() throws {
    let packets = [Self.sound(50, 50), Self.picture(250, 150, isKey: true), Self.sound(150, 150)]
    let (times, timeline) = try Self.place(packets, streams: [Self.video, Self.audio])
    #expect(times == [[9_800, 9_800], [10_000, 9_900], [9_900, 9_900]])
    #expect(timeline.origin == MediaTime(ticks: 10_000))
    #expect(timeline.repairedPackets == 0)
  }

  @Test("A stream that starts long before the picture moves the program's zero")
  func earlySound() throws {
    let packets = [Self.sound(-20_000, -20_000), Self.picture(0, 0, isKey: true)]
    let (times, timeline) = try Self.place(packets, streams: [Self.video, Self.audio])
    #expect(times == [[700, 700], [20_700, 20_700]])
    #expect(timeline.origin == MediaTime(ticks: 20_700))
  }

  @Test("Pictures before the first key frame keep their times before the program's zero")
  func leadingPictures() throws {
    let (times, _) = try Self.place([Self.picture(0, 0), Self.picture(100, 100), Self.picture(200, 200, isKey: true)])
    #expect(times == [[9_800, 9_800], [9_900, 9_900], [10_000, 10_000]])
  }

  @Test(
    "Times that make no stream are repaired and counted",
    arguments: [
      // The decoding time goes back, then stands still.
      ([[0, 0], [200, 100], [300, 50], [400, 101]], [[10_000, 10_000], [10_200, 10_100], [10_300, 10_101], [10_400, 10_102]], 2),
      // Presented before it is decoded.
      ([[0, 0], [50, 100]], [[10_000, 10_000], [10_100, 10_100]], 1),
      // Decoded after what follows is presented: libavformat's guess for Matroska before it knows the depth of reordering.
      ([[0, 0], [300, 300], [100, nil], [200, 100]], [[10_000, 10_000], [10_300, 10_099], [10_100, 10_100], [10_200, 10_101]], 3),
      // The decoding time is missing later: one frame on, but not after the presentation time.
      ([[0, 0], [300, nil], [120, nil]], [[10_000, 10_000], [10_300, 10_100], [10_120, 10_120]], 2),
    ] as [([[Int64?]], [[Int64]], Int)])
  func repairs(given: [[Int64?]], expected: [[Int64]], count: Int) throws {
    let packets = given.enumerated().map { Self.picture($1[0], $1[1], isKey: $0 == 0) }
    let (times, timeline) = try Self.place(packets)
    #expect(times == expected)
    #expect(timeline.repairedPackets == count)
  }

  @Test("Where nothing is reordered one time tells the other")
  func inferredTimes() throws {
    let given = [Self.sound(0, nil), Self.sound(nil, 100), Self.sound(200, nil), Self.sound(nil, nil)]
    let (times, timeline) = try Self.place(given, streams: [Self.audio])
    #expect(times == [[10_000, 10_000], [10_100, 10_100], [10_200, 10_200], [10_201, 10_201]])
    #expect(timeline.repairedPackets == 0)
  }

  @Test(
    "What cannot be repaired is an error",
    arguments: [
      ([100, -900_001], .timestampsStepBack(stream: 0)),
      ([Int64.max, Int64.max], .timestampOutOfRange(stream: 0)),
    ] as [([Int64?], RemuxError)])
  func errors(second: [Int64?], error: RemuxError) throws {
    var timeline = try Self.timeline([Self.picture(0, 0, isKey: true)])
    _ = try timeline.place(Self.picture(0, 0, isKey: true), following: [])
    #expect(throws: error) { try timeline.place(Self.picture(second[0], second[1]), following: []) }
  }

  @Test(
    "A reordered frame without a presentation time takes the place that its neighbours leave",
    arguments: [
      // The P frame of I P B B P.
      ([[0, -200], [nil, -100], [100, 0], [200, 100], [600, 200]], [10_000, 10_300, 10_100, 10_200, 10_600]),
      // A B frame.
      ([[0, -200], [300, -100], [nil, 0], [200, 100]], [10_000, 10_300, 10_100, 10_200]),
      // Neither time: decoded when a frame is over, and presented in the place that is left.
      ([[0, -200], [300, -100], [nil, nil], [200, 100]], [10_000, 10_300, 10_100, 10_200]),
      // The last frame.
      ([[0, -200], [100, -100], [nil, 0]], [10_000, 10_100, 10_200]),
      // The second fields of interlaced frames follow the first ones.
      ([[0, -200], [nil, -150], [300, -100], [nil, -50], [100, 0]], [10_000, 10_050, 10_300, 10_350, 10_100]),
    ] as [([[Int64?]], [Int64])])
  func missingPresentations(given: [[Int64?]], expected: [Int64]) throws {
    let packets = given.enumerated().map { Self.picture($1[0], $1[1], isKey: $0 == 0) }
    let (times, timeline) = try Self.place(packets)
    #expect(times.map { $0[0] } == expected)
    #expect(timeline.repairedPackets >= given.count { $0[0] == nil })
  }

  @Test("Before the first time of a stream, sound is counted back from it, and reordered frames are left out")
  func noTimeYet() throws {
    let sound = [Self.sound(nil, nil), Self.sound(8_000, nil), Self.sound(nil, nil)]
    let packets = [Self.picture(nil, nil), Self.picture(0, -200, isKey: true)] + sound
    let (times, _) = try Self.place(packets, streams: [Self.video, Self.audio])
    #expect(times.map { $0[0] } == [10_000, 14_400, 18_000, 18_001])
    #expect(try Self.start([Self.picture(nil, nil, isKey: true)]).isWithoutTimes)
    #expect(try !Self.start(packets, streams: [Self.video, Self.audio]).isWithoutTimes)
    #expect(try !Self.start([Self.sound(0, 0)], streams: [Self.video, Self.audio]).isWithoutTimes)
  }

  @Test("What comes before the program's first key frame is told")
  func beforeOrigin() throws {
    let packets = [Self.sound(0, nil), Self.picture(300, 300), Self.picture(900, 700, isKey: true), Self.sound(950, nil)]
    #expect(try Self.timeline(packets, streams: [Self.video, Self.audio]).beforeOrigin == MediaTime(ticks: 900))
  }

  @Test("The picture that an edit list hides reaches from the program's zero to the first picture shown")
  func hidden() throws {
    let packets = [
      Self.picture(0, -200, isKey: true, isHidden: true), Self.picture(300, -100), Self.picture(100, 0, isHidden: true),
      Self.picture(200, 100),
    ]
    #expect(try Self.place(packets).timeline.hiddenVideo == MediaTime(ticks: 200))
  }
}
