import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Testing

@testable import GameServer

/// What the requests of a connection with answers are doing.
@Suite struct AnswerStateTests {
  private struct Failure: Error {}

  /// A connection whose state changes within expectations.
  private final class Connection {
    private(set) var state = AnswerState.passing(requests: 0)

    func change<Value>(_ body: (inout AnswerState) -> Value) -> Value { body(&state) }
  }

  private func text(_ parts: [HTTPRequestPart]) -> [String] {
    parts.map { part in
      switch part {
      case .head(let request): request.path ?? ""
      case .body(let bytes): String(buffer: bytes)
      case .end: "end"
      }
    }
  }

  /// The router may work on several requests; answers begin when it has none.
  @Test func passing() {
    let connection = Connection()
    #expect(connection.state.isIdle && connection.change { $0.endReading() } == nil && !connection.change { $0.makeLast() })
    connection.change { $0.pass() }
    connection.change { $0.pass() }
    #expect(!connection.state.isIdle)
    connection.change { $0.noteReply() }
    #expect(!connection.state.isIdle)
    connection.change { $0.noteReply() }
    #expect(connection.state.isIdle)
    // What cannot be read is answered, too, and is no request.
    connection.change { $0.noteReply() }
    #expect(connection.state.isIdle)
    // Nothing is held: it passes.
    #expect(
      !connection.change { $0.hold(.end(nil)) } && !connection.change { $0.holdRead() } && !connection.change { $0.holdEnd() }
        && !connection.change { $0.hold(Failure()) } && !connection.change { $0.holdAgain(.init(), from: 0) })
  }

  /// What comes while an answer waits comes after the reply, in order, and nothing of it is lost if the next answer waits, too.
  @Test func holding() {
    let connection = Connection()
    connection.change { $0.beginStoring(isLast: false) }
    #expect(!connection.state.isIdle && connection.change { $0.endReading() } == nil)
    for name in ["a", "b", "c"] { #expect(connection.change { $0.hold(.body(ByteBuffer(string: name))) }) }
    #expect(connection.change { $0.holdRead() } && connection.change { $0.holdEnd() } && connection.change { $0.hold(Failure()) })
    let held = connection.change { $0.endStoring() }
    #expect(text(held.parts) == ["a", "b", "c"] && held.wantsRead && held.hasEnded && held.error is Failure && !held.isLast)
    #expect(connection.state.isIdle && !connection.change { $0.holdAgain(held, from: 0) })
    // The first part was an answer, which waits by now.
    connection.change { $0.beginStoring(isLast: false) }
    #expect(connection.change { $0.hold(.body(ByteBuffer(string: "d"))) } && connection.change { $0.holdAgain(held, from: 1) })
    let again = connection.change { $0.endStoring() }
    #expect(text(again.parts) == ["b", "c", "d"] && again.wantsRead && again.hasEnded && again.error is Failure)
  }

  /// A connection ends with the reply to the answer that waits when the server ends.
  @Test func last() {
    let connection = Connection()
    connection.change { $0.beginStoring(isLast: false) }
    #expect(connection.change { $0.makeLast() } && connection.change { $0.endStoring().isLast })
    connection.change { $0.beginStoring(isLast: true) }
    #expect(connection.change { $0.endStoring().isLast })
  }
}
