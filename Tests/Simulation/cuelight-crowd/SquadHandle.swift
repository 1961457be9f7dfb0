import NIOCore

/// A squad, as seen from another thread, which waits for each answer.
struct SquadHandle: Sendable {
  /// The numbers of its players in the crowd.
  let players: Range<Int>
  private let squad: NIOLoopBound<Squad>

  /// - Parameter make: Makes the squad on its event loop.
  init(on loop: any EventLoop, players: Range<Int>, _ make: @escaping @Sendable () -> Squad) throws(CrowdFailure) {
    self.players = players
    squad = try loop.waiting { NIOLoopBound(make(), eventLoop: loop) }
  }

  /// Does something with the squad where it lives.
  @discardableResult
  func perform<Value: Sendable>(_ body: @escaping @Sendable (Squad) -> Value) throws(CrowdFailure) -> Value {
    try squad.eventLoop.waiting { [squad] in body(squad.value) }
  }
}

extension EventLoop {
  /// Does something on the event loop, and waits until it is done.
  func waiting<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws(CrowdFailure) -> Value {
    do { return try submit(body).wait() } catch { throw CrowdFailure("\(error)") }
  }
}
