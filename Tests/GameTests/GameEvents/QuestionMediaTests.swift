import Basics
import GameEvents
import Testing

/// The pictures and sounds of questions on the wire.
@Suite struct QuestionMediaTests {
  @Test(arguments: [
    "https://a.example/b.png", "https://a.example", "https://a.example:8443/b?c=d#e", "map.png", "pictures/my map.png", "/media/1f.png",
    "ä.png",
    "a..b/.c.png", "...",
  ])
  func addresses(text: String) { #expect(MediaAddress(text)?.text == text) }

  @Test(arguments: [
    "", "http://a.example/b.png", "javascript:alert(1)", "data:image/png;base64,AA", "//a.example/b.png", "https://", "https:///b",
    "https://:1/b",
    "https://a@b.example/", "https://a.example/ b", "file:///etc/passwd", "../b.png", "a/../../b.png", "a/%2E%2e/b.png", "./b.png",
    "a\\b.png",
    "b.png?c", "b.png#c", "a/", "a\"b.png", "a<b.png", "a\nb.png", "a\u{202E}b.png", "HTTPS:b.png", String(repeating: "a", count: 301),
  ])
  func noAddresses(text: String) { #expect(MediaAddress(text) == nil) }

  private static func question(_ keys: String) throws -> (content: AskQuestion, unknown: JSONObject) {
    let text = #"{"eventType":"askQuestion","guid":"g","question":"?","answers":["A","B"],"questionNumber":1,"allottedTime":10\#(keys)}"#
    let copy = try EventCopy(parsing: text, description: "")
    guard case .askQuestion(let content) = copy.event.content else { throw EventError.notAnEvent }
    return (content, copy.event.unknownKeys)
  }

  @Test func whatIsWrittenIsRead() throws {
    let keys =
      #","picture":"https://a.example/b.png","pictureText":"A map","pictureSize":[640,480],"sound":"bell.mp3","soundText":"Two bells""#
    let (content, unknown) = try Self.question(keys)
    let picture = QuestionMedia.Picture(
      address: try #require(MediaAddress("https://a.example/b.png")), text: "A map", size: QuestionMedia.Size(width: 640, height: 480))
    let sound = QuestionMedia.Sound(address: try #require(MediaAddress("bell.mp3")), text: "Two bells")
    #expect(content.media == QuestionMedia(picture: picture, sound: sound) && unknown.isEmpty)
    #expect(EventContent.askQuestion(content).object.text.contains(keys))
    #expect(content.media.descriptions == ["Picture: A map", "Sound: Two bells"])
  }

  /// Streams of before may have such keys for something else, which stay as they are.
  @Test(arguments: [
    #""picture":7"#, #""picture":"http://a.example/b.png""#, #""pictureText":"A map""#, #""pictureSize":[1,2]"#, #""sound":{"a":1}"#,
    #""soundText":"x""#,
  ])
  func otherForms(key: String) throws {
    let (content, unknown) = try Self.question(",\(key)")
    #expect(content.media == QuestionMedia() && unknown.text == "{\(key)}")
  }

  @Test(arguments: ["[0,1]", "[1]", "[1,2,3]", "[1.5,2]", "[16385,1]", "\"1x2\"", "[\"1\",2]"]) func sizesOfOtherForms(size: String) throws
  {
    let (content, unknown) = try Self.question(#","picture":"a.png","pictureSize":\#(size)"#)
    #expect(content.media.picture?.size == nil && content.media.picture?.address.text == "a.png")
    #expect(unknown.text == #"{"pictureSize":\#(size)}"#)
  }
}
