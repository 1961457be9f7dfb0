import Dispatch
import Synchronization
import Testing

@testable import LiveSession

/// Messages that another thread writes.
struct MessageWriterTests {
  private final class Page: Sendable {
    let texts: Mutex<[String]> = Mutex([])
    func write(_ text: String) { texts.withLock { $0.append(text) } }
  }

  @Test func inOrder() {
    let page = Page()
    let writer = MessageWriter(leftOut: { "\($0)" }, write: page.write)
    let texts = (0..<1_000).map { "line \($0)" }
    for text in texts { #expect(writer.write(text)) }
    #expect(writer.close(seconds: 600))
    #expect(page.texts.withLock { $0 } == texts)
  }

  /// If nobody reads, neither a message nor the end waits. Messages beyond the limit are counted.
  @Test func nobodyReads() {
    let (page, door) = (Page(), DispatchSemaphore(value: 0))
    let writer = MessageWriter(leftOut: { "\($0) left out" }) { text in
      _ = door.wait(timeout: .now() + 600)
      page.write(text)
    }
    let text = String(repeating: "x", count: MessageWriter.mostWaiting / 4)
    #expect((0..<6).map { _ in writer.write(text) } == [true, true, true, true, false, false])
    #expect(!writer.write("y"))
    #expect(!writer.close(seconds: 0.01))
    // Somebody reads again.
    for _ in 0..<5 { door.signal() }
    #expect(writer.close(seconds: 600))
    #expect(page.texts.withLock { $0 } == [text, text, text, text, "3 left out"])
  }
}
