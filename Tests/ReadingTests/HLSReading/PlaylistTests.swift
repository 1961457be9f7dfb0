import Basics
import EventReading
import HLSPlaylist
import HLSReading
import TestSupport
import Testing
import TransportStream

/// The first playlist, and the choice among renditions.
@Suite struct PlaylistTests {
  let sample: SegmentedSample
  init() throws { sample = try SegmentedSample() }

  private static let top = """
    #EXTM3U
    #EXT-X-DEFINE:NAME="folder",VALUE="low"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="English",URI="en/list.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Same"
    #EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=640x360
    low/list.m3u8?a=1
    #EXT-X-STREAM-INF:BANDWIDTH=2,RESOLUTION=1280x720,NAME="high"
    https://other.example/high.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=3,RESOLUTION=1920x1080
    https://other.example/high.m3u8
    """

  private var presentation: Presentation {
    var presentation = Presentation(files: sample.files("http://a.example/x/low/"))
    presentation.files["http://a.example/x/top.m3u8"] = Array(Self.top.utf8)
    presentation.files["http://a.example/x/low/list.m3u8?a=1"] = playlist(
      "#EXT-X-DEFINE:IMPORT=\"folder\"", sample.allLines.replacing("0.ts", with: "../{$folder}/0.ts"))
    presentation.files["http://a.example/x/en/list.m3u8"] = playlist()
    presentation.files["https://other.example/high.m3u8"] = playlist()
    return presentation
  }

  private func chosen(_ choice: RenditionChoice) throws -> String? {
    let outcome = try presentation.read("http://a.example/x/top.m3u8", .init(rendition: choice))
    return outcome.uris.dropFirst().first
  }

  @Test func theFirstVariantIsRead() throws {
    let outcome = try presentation.read("http://a.example/x/top.m3u8")
    var sound = HLSChoice(uri: "en/list.m3u8", names: ["en/list.m3u8", "English", "sound"], isVariant: false)
    sound.type = .audio
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [])))
    #expect(outcome.copies.first?.source?.uri == "../low/0.ts")
    #expect(
      outcome.reader.choices == [
        HLSChoice(uri: "low/list.m3u8?a=1", names: ["low/list.m3u8?a=1", "640x360"]),
        HLSChoice(uri: "https://other.example/high.m3u8", names: ["https://other.example/high.m3u8", "1280x720", "high", "1920x1080"]),
        sound,
      ])
    #expect(outcome.reader.choice == outcome.reader.choices[0])
  }

  @Test func renditionsHaveNames() throws {
    let (low, high, english) = (
      "http://a.example/x/low/list.m3u8?a=1", "https://other.example/high.m3u8", "http://a.example/x/en/list.m3u8"
    )
    #expect(try chosen(.index(0)) == low)
    #expect(try chosen(.index(2)) == english)
    #expect(try chosen(.named("low/list.m3u8?a=1")) == low)
    for name in ["1280x720", "high", "1920x1080"] { #expect(try chosen(.named(name)) == high) }
    for name in ["English", "sound"] { #expect(try chosen(.named(name)) == english) }
  }

  @Test func whatCannotBeReadIsSaid() throws {
    func failure(_ choice: RenditionChoice = .first, _ change: (inout Presentation) -> Void) -> String? {
      var changed = presentation
      change(&changed)
      return readingError { () throws(HLSReadingError) in
        _ = try changed.read("http://a.example/x/top.m3u8", .init(rendition: choice))
      }?.description
    }
    let (top, low) = ("http://a.example/x/top.m3u8", "http://a.example/x/low/list.m3u8?a=1")
    #expect(failure { $0.answers[top] = [.error(isFinal: true)] } == "\(top): not found")
    #expect(failure { $0.answers[top] = [.error(isFinal: false)] } == "\(top): busy, in attempt 3")
    #expect(failure { $0.answers[low] = [.error(isFinal: false)] } == "\(low): busy, in attempt 3")
    #expect(failure { $0.files[top] = Array("<html>".utf8) } == "\(top): no playlist: the first line is not #EXTM3U (line 1)")
    #expect(
      failure { $0.files[low] = Array("#EXTM3U\n#EXTINF:x,\n".utf8) } == "\(low): a duration in seconds is expected here (line 2, column 9)"
    )
    #expect(
      failure { $0.files[low] = $0.files[top] } == "\(low): a variant's playlist must list segments, and this one lists variants")
    #expect(
      failure(.named("4K")) { _ in }
        == "\(top): rendition \"4K\" does not exist; there are low/list.m3u8?a=1 (640x360), "
        + "https://other.example/high.m3u8 (1280x720, high, 1920x1080), en/list.m3u8 (English, sound)")
    #expect(failure(.index(-1)) { $0.files[top] = playlist() } == "\(top): rendition 0 does not exist: this playlist offers no choice")
    #expect(
      failure { $0.files[top] = Array("#EXTM3U\n#EXT-X-SESSION-DATA:DATA-ID=\"x\",VALUE=\"y\"\n".utf8) }
        == "\(top): a first rendition does not exist: this playlist offers no choice")
    #expect(failure { $0.files[top] = [UInt8](repeating: 10, count: 1 << 24 + 1) } == "\(top): it is larger than 16777216 bytes")
  }

  /// The reader for clients gives what its two halves give.
  @Test func theReaderJoinsItsHalves() throws {
    let presentation = sample.presentation
    var reader = HLSReader(playlist: URIReference("index.m3u8"))
    var items: [HLSItem] = []
    while case .load(let resource) = reader.step {
      let bytes = try #require(presentation.files[resource.uri.text])
      items += try reader.receive(bytes.span) + reader.complete(elapsed: .zero)
    }
    let outcome = try presentation.read()
    #expect(items == outcome.items && !items.isEmpty)
    #expect(reader.start == outcome.reader.start && reader.end == outcome.reader.end)
    #expect(reader.container == .transportStream)
  }

  /// An error says what could be done about it, apart from the words.
  @Test func failuresHaveTheirKinds() {
    func failure(_ answer: Presentation.Answer...) -> HLSReadingError? {
      var changed = sample.presentation
      changed.answers["index.m3u8"] = answer
      return readingError { () throws(HLSReadingError) in _ = try changed.read() }
    }
    #expect(failure(.error(isFinal: true)) == .playlistNotLoaded(uri: "index.m3u8", HLSLoadFailure(.missing, "not found")))
    let later = HLSLoadFailure(.missing, "not found, in attempt 2")
    #expect(failure(.error(isFinal: false), .error(isFinal: true)) == .playlistNotLoaded(uri: "index.m3u8", later))
    let temporary = HLSLoadFailure(.temporary, "busy, in attempt 3")
    #expect(failure(.error(isFinal: false)) == .playlistNotLoaded(uri: "index.m3u8", temporary))
  }

  /// What a playlist says is relative to where it was found.
  @Test func redirects() throws {
    let bytes = playlist("#EXTINF:0.52,\n0.ts")
    var reader = HLSReader(playlist: URIReference("http://a.example/x/list.m3u8"))
    reader.redirected(to: URIReference("https://cache.example/y/z.m3u8"))
    #expect(try reader.receive(bytes.span) == [])
    #expect(try reader.complete(elapsed: .zero) == [])
    guard case .load(let segment) = reader.step else {
      Issue.record("no segment is asked for")
      return
    }
    #expect(segment.uri.text == "https://cache.example/y/0.ts" && segment.kind == .segment && segment.byteLimit == 1 << 30)
  }

  @Test func segmentsAreBounded() throws {
    var options = HLSReader.Options()
    options.limits.segment = 3_000
    var presentation = sample.presentation
    presentation.chunk = 1_000
    let outcome = try presentation.read("index.m3u8", options)
    #expect(outcome.notices.count == sample.segments.filter { $0.count > 3_000 }.count)
    #expect(outcome.reader.step == .finished)
    #expect(
      outcome.notices.first
        == .segmentLost(HLSSource(uri: "0.ts", mediaSequence: 0), reason: "it is larger than 3000 bytes", read: 4_000))
  }

  /// Calls that nobody asked for do nothing.
  @Test func whatIsNotAwaitedIsIgnored() throws {
    var reader = HLSReader(playlist: URIReference("x"))
    reader.waited()
    #expect(reader.stop() == [] && reader.step == .finished)
    let bytes: [UInt8] = [1]
    #expect(try reader.receive(bytes.span) == [])
    #expect(try reader.complete(elapsed: .zero) == [] && reader.fail(HLSLoadFailure(.missing, "x"), elapsed: .zero) == [])
    #expect(reader.stop() == [] && reader.start == nil && reader.end == nil && reader.container == nil)
  }
}
