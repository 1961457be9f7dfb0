import Basics
import Testing

@Suite struct CountingTests {
  @Test func oneIsSaidOtherwise() {
    #expect([0, 1, 2].map { $0.of("event") } == ["0 events", "1 event", "2 events"])
    #expect([0, 1, 2].map { $0.of("copy", "copies") } == ["0 copies", "1 copy", "2 copies"])
  }

  @Test func textWithinXML() {
    #expect("a<b> & \"c\"\t\n".escapedForXML == "a&lt;b&gt; &amp; &quot;c&quot;&#9;&#10;")
    #expect("\u{0}\u{1B}\u{FFFE}\u{202E}ä".escapedForXML == "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}ä")
  }
}
