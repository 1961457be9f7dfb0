import Basics
import LiveInterface
import LivePair
import LiveSession
import Sheets
import Synchronization

/// The connections that the other node opens.
extension PairNode {
  /// Accepts a connection from the other node.
  func accept(_ link: PairLink) {
    let isOneTooMany = state.withLock { state in
      state.strangers += 1
      return state.strangers > Self.mostStrangers
    }
    guard !isOneTooMany else {
      state.withLock { $0.strangers -= 1 }
      return link.close()
    }
    _ = Worker("peer") { [self] in
      let first = link.first(within: Self.patience)
      state.withLock { $0.strangers -= 1 }
      if case .hello(let other) = first { serve(link, other) } else { link.close() }
    }
  }

  /// The maximum number of connections that have not identified themselves yet.
  private static let mostStrangers = 16

  private func serve(_ link: PairLink, _ other: PairHello) {
    var own = hello
    own.token = nil
    guard access.tokens.now.decide(.publish, token: other.token, isLocal: link.isLocal) == .allowed else {
      return link.end(with: .refused("it wants a token to publish, as its own --token-file has one"))
    }
    guard !other.node.hasSameBytes(as: own.node) else {
      return link.end(with: .refused("it is this node itself, and --pair names the address of the other one"))
    }
    guard other.stream.hasSameBytes(as: own.stream), other.game.hasSameBytes(as: own.game) else {
      return link.end(with: .refused("its stream is \(own.stream.quoted), and its game \(own.game.quoted)"))
    }
    link.trust()
    guard own.phase == .leading, other.phase != .leading, let server = leading else { return link.end(with: .hello(own)) }
    link.send(.hello(own))
    mirror.offer(link, other)
    var (lastHeard, nextBeat) = (ContinuousClock.now, ContinuousClock.now)
    while let messages = link.take(until: min(nextBeat, lastHeard + PairRole.silence)),
      ContinuousClock.now - lastHeard < PairRole.silence
    {
      if !messages.isEmpty { lastHeard = .now }
      for message in messages {
        switch message {
        case .received(let count): mirror.note(received: count, by: link)
        case .beat(let age): mirror.note(input: age.map { .now - .milliseconds($0) }, by: link)
        case .call(let number, let call):
          Task {
            let answer = await server.answer(call)
            link.send(.answer(number: number, answer))
          }
        default: break
        }
      }
      if ContinuousClock.now >= nextBeat {
        link.send(beat)
        nextBeat = .now + PairRole.beat
      }
    }
    mirror.lose(link)
    link.close()
  }
}
