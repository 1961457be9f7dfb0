import CuelightReader
import Foundation
import Testing

#if canImport(AVFoundation)
  import AVFoundation
#else
  import AVFoundationStandIn
#endif

/// The documentation says what is: its examples compile, and do what it says.
@Suite struct DocumentationTests {
  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let top = here.appending(path: "../../..").standardizedFileURL

  /// The README and all articles, by their paths.
  static let pages: [String] = {
    let files = FileManager.default.enumerator(atPath: top.appending(path: "Sources").path)?.compactMap { $0 as? String } ?? []
    return ["README.md"] + files.filter { $0.hasSuffix(".md") && $0.contains(".docc/") }.map { "Sources/\($0)" }.sorted()
  }()

  private static let exampleFiles = ["DocumentedExamples.swift", "PhoneClientExamples.swift", "ScoringExamples.swift"]

  /// The Swift examples of a page.
  private static func examples(of page: String) throws -> [String] {
    let text = try String(contentsOf: top.appending(path: page), encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
  }

  /// The lines of code, wherever they stand, without those that import: files of tests have these at their beginning.
  private static func code(_ text: String) -> String {
    let lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    return "\n" + lines.filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n") + "\n"
  }

  @Test(arguments: pages) func theExamplesOfAPageCompile(page: String) throws {
    let compiled = try Self.exampleFiles.map { Self.code(try String(contentsOf: Self.here.appending(path: $0), encoding: .utf8)) }
    for example in try Self.examples(of: page) {
      // Lines of a package's manifest are no program.
      if example.hasPrefix(".package(") { continue }
      #expect(compiled.contains { $0.contains(Self.code(example)) }, "\(page) has an example that is in no test:\n\(example)")
    }
  }

  /// What the files of examples name is a page that has examples.
  @Test(arguments: exampleFiles) func everyExampleBelongsToAPage(file: String) throws {
    let text = try String(contentsOf: Self.here.appending(path: file), encoding: .utf8)
    let named = text.matches(of: #/// MARK: (.+\.md)/#).map { String($0.1) }
    #expect(!named.isEmpty)
    for name in named {
      let pages = Self.pages.filter { $0.split(separator: "/").last.map(String.init) == name }
      #expect(try !pages.flatMap { try Self.examples(of: $0) }.isEmpty, "\(name) has no example")
    }
  }

  @Test func theExamplesOfScoringRun() throws {
    try scoreAnAudience()
    var server = GameServer()
    #expect(server.join("Ann", at: .zero) == "welcome")
    #expect(server.join("ann", at: .zero) == "the nickname ann is taken by Ann; choose another")
    for copy in PhoneSample.copies() { server.receive(copy, at: copy.programmeTime ?? .zero) }
    #expect(server.scores.questions.map { $0.correctAnswer } == [1])
  }

  @Test func theExampleOfPlanningRuns() throws {
    let planned = try planAShow()
    #expect(planned.questionCount == 2 && planned.cueSheet.hasPrefix("game: friday\n"))
    #expect(planned.cueSheet.components(separatedBy: "event: askQuestion").count == 3)
  }

  @Test func theExamplesOfReadingRun() throws {
    for copy in PhoneSample.copies() { #expect(try readFrame(text: copy.text, description: "") == copy) }
    #expect(makeCheckedGame().state == GameState())
    let stream = try PhoneSample.stream()
    try play(stream)
    var show = Show()
    try show.received(stream.span)
    #expect(show.game.counters.events == 5)
    let playlist = Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\na.ts\n#EXT-X-ENDLIST\n".utf8)
    let items = try read("show.m3u8", load: { $0.uri.text.hasSuffix("m3u8") ? playlist : stream }, wait: { _ in })
    #expect(items.contains { if case .item(.copy, _) = $0 { true } else { false } })
  }

  private static let kinds = ["gameStarted", "questionAsked", "questionClosed", "resultsShown", "infoUpdated", "gameEnded"]

  @Test func thePhoneClientPlays() throws {
    var phone = PhoneGame()
    var kinds: [String] = []
    // A player whose clock began long ago; every other event comes as a frame.
    for (index, copy) in PhoneSample.copies().enumerated() {
      let seconds = 5_000 + PhoneSample.seconds(copy)
      let transitions =
        index.isMultiple(of: 2)
        ? try phone.received(tag: copy.encodedTag(), presentedAt: seconds, now: seconds)
        : phone.received(text: copy.text, description: copy.event.type.text, presentedAt: seconds, now: seconds)
      kinds += transitions.map { $0.kind.text }
      guard copy.event.type == .askQuestion else { continue }
      #expect(phone.answered(0, at: seconds + 0.1).outcome == .accepted)
      #expect(phone.answered(1, at: seconds + 0.4).outcome == .accepted)
      #expect(phone.nextDeadline.map { abs($0 - seconds - 0.5) < 0.000_1 } == true)
      let late = phone.answered(0, at: seconds + 0.6)
      #expect(late.outcome == .tooLate)
      kinds += late.transitions.map { $0.kind.text }
    }
    #expect(kinds == Self.kinds && phone.state.phase == .ended)
    _ = phone.sought(to: 5_001)
    #expect(phone.state.phase == .asking)
  }

  @Test func thePhoneClientWaitsForTheEndOfAnAd() throws {
    var phone = PhoneGame()
    for copy in PhoneSample.copies() where phone.state.phase != .asking {
      let seconds = PhoneSample.seconds(copy)
      _ = try phone.received(tag: copy.encodedTag(), presentedAt: seconds, now: seconds)
    }
    phone.adBeganOrEnded()
    #expect(phone.tick(at: 9).isEmpty && phone.state.phase == .asking)
  }

  @Test func theExampleOfDateRangesPlays() {
    var client = GameClient(seals: .trust)
    var kinds: [String] = []
    for copy in PhoneSample.copies() {
      let date = Date(timeIntervalSince1970: 1_700_000_000 + PhoneSample.seconds(copy))
      let attribute = "0x" + copy.text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      kinds += received(attribute: attribute, startDate: date, currentDate: date, &client).map { $0.kind.text }
    }
    #expect(kinds == Self.kinds)
  }

  @Test func theExampleOfMedia3Plays() {
    var game = PhoneGame()
    var kinds: [String] = []
    for copy in PhoneSample.copies() {
      let time = PhoneSample.seconds(copy)
      let entries = [
        Media3.TextInformationFrame(id: "TIT2", description: nil, values: ["title"]),
        Media3.TextInformationFrame(id: "TXXX", description: "greeting", values: ["hello"]),
        Media3.TextInformationFrame(id: "TXXX", description: copy.event.type.text, values: [copy.text]),
      ]
      let metadata = Media3.Metadata(presentationTimeUs: Int64(time * 1_000_000), entries: entries)
      kinds += received(metadata, periodPositionMilliseconds: Int64(time * 1_000), &game).map { $0.kind.text }
    }
    #expect(kinds == Self.kinds)
  }

  /// What AVFoundation hands over reaches the game; frames that are none of ours do not.
  @Test @MainActor func thePlayerOfAVFoundationPlays() throws {
    func item(_ identifier: AVMetadataIdentifier, _ text: String, _ description: String?) -> AVMetadataItem {
      let item = AVMutableMetadataItem()
      item.identifier = identifier
      item.value = NSString(string: text)
      item.extraAttributes = description.map { [.info: $0] }
      return item
    }
    let (player, playerItem) = (AVPlayer(), AVPlayerItem())
    let gamePlayer = GamePlayer(player: player, item: playerItem)
    let output = try #require(playerItem.outputs.first as? AVPlayerItemMetadataOutput)
    var phases: [GameState.Phase] = []
    for copy in PhoneSample.copies() {
      let time = CMTime(seconds: 5_000 + PhoneSample.seconds(copy), preferredTimescale: 90_000)
      let range = CMTimeRange(start: time, duration: CMTime(seconds: 0, preferredTimescale: 90_000))
      let items = [
        item(.id3MetadataTitleDescription, copy.text, nil), item(.id3MetadataUserText, "hello", "greeting"),
        item(.id3MetadataUserText, copy.text, copy.event.type.text),
      ]
      player.play(to: time)
      output.delegate?.metadataOutput(
        output, didOutputTimedMetadataGroups: [AVTimedMetadataGroup(items: items, timeRange: range)], from: nil)
      phases.append(gamePlayer.game.state.phase)
    }
    #expect(phases == [.playing, .asking, .results, .results, .ended])
  }
}
