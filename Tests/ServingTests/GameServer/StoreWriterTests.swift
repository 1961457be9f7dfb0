import Foundation
import GameHosting
import GameStore
import LiveSession
import Testing

@testable import GameServer

/// What is written together, in order, and what becomes of it.
@Suite struct StoreWriterTests {
  private let store = FakeStore()
  private let writer: StoreWriter

  init() { writer = StoreWriter(store) }

  private static func change(_ id: String) -> StoreChange { .record(game: "a", .command(id: id)) }

  /// What came while the store was busy comes into it together, in the order of the calls.
  @Test func together() async throws {
    let (store, writer, log) = (store, writer, Log())
    store.writing.close()
    writer.start()
    writer.submit([Self.change("1")]) { log.add("1 \($0 == nil)") }
    try await until("the first one is being written") { store.writing.waiting == 1 }
    writer.submit([Self.change("2"), Self.change("3")]) { log.add("2 \($0 == nil)") }
    writer.submit([Self.change("4")]) { log.add("4 \($0 == nil)") }
    #expect(log.lines == [] && store.transactions == [])
    store.writing.open()
    try await writer.write([Self.change("5")])
    #expect(store.transactions.flatMap { $0 } == ["1", "2", "3", "4", "5"].map { Self.change($0) })
    #expect(store.transactions.prefix(2).map { $0.count } == [1, 3] || store.transactions.prefix(2).map { $0.count } == [1, 4])
    #expect(log.lines == ["1 true", "2 true", "4 true"] && writer.lastFailure == nil)
    writer.close()
  }

  /// What comes within the interval waits for its end, or for the writer's, and comes into the store together.
  @Test func interval() async throws {
    let (log, writer) = (Log(), StoreWriter(store, interval: .seconds(3_600)))
    writer.start()
    try await writer.write([Self.change("1")])
    writer.submit([Self.change("2")]) { log.add("2 \($0 == nil)") }
    writer.submit([Self.change("3")]) { log.add("3 \($0 == nil)") }
    #expect(store.transactions == [[Self.change("1")]] && log.lines == [])
    writer.close()
    #expect(store.transactions == [["1"], ["2", "3"]].map { $0.map(Self.change) } && log.lines == ["2 true", "3 true"])
  }

  /// Times are counted by the first limit that they do not exceed; those beyond the last one are only among all.
  @Test func figures() {
    var figures = StoreWriter.Figures()
    for seconds in [0, 0.001, 0.0011, 10, 10.5] { figures.add(changes: 2, seconds: seconds) }
    #expect(figures.counts == [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] && figures.transactions == 5 && figures.changes == 10)
    #expect(figures.seconds == 20.5021)
  }

  /// Nobody hears of a change before the store has it.
  @Test func notBefore() async throws {
    let (store, writer, log) = (store, writer, Log())
    store.writing.close()
    writer.start()
    let task = Task {
      try await writer.write([Self.change("1")])
      log.add("written")
    }
    try await until("it is being written") { store.writing.waiting == 1 }
    #expect(log.lines == [])
    store.writing.open()
    try await task.value
    #expect(log.lines == ["written"] && store.transactions == [[Self.change("1")]])
    writer.close()
  }

  /// One that breaks a rule of the tables does not take the others with it.
  @Test func oneBreaksARule() async throws {
    let (store, writer, log) = (store, writer, Log())
    store.refuse { $0 == Self.change("wrong") }
    store.writing.close()
    writer.start()
    writer.submit([Self.change("1")]) { _ in }
    try await until("the first one is being written") { store.writing.waiting == 1 }
    for id in ["2", "wrong", "3"] { writer.submit([Self.change(id)]) { log.add("\(id) \($0.map { "\($0)" } ?? "stored")") } }
    store.writing.open()
    try await writer.write([])
    try await writer.write([])
    #expect(log.lines == ["2 stored", "wrong this is there already", "3 stored"])
    #expect(store.transactions.flatMap { $0 } == ["1", "2", "3"].map { Self.change($0) })
    // It says nothing of the store.
    #expect(writer.lastFailure == nil)
    await #expect(throws: StoreError.exists) { try await writer.write([Self.change("wrong")]) }
    #expect(writer.lastFailure == nil)
    writer.close()
  }

  /// A store that fails takes all of them, and is tried again with the next ones.
  @Test func failures() async throws {
    let (store, writer) = (store, writer)
    writer.start()
    store.fail(.unavailable("full"))
    await #expect(throws: StoreError.unavailable("full")) { try await writer.write([Self.change("1")]) }
    #expect(writer.lastFailure == .unavailable("full") && store.transactions == [])
    store.fail(nil)
    try await writer.write([Self.change("2")])
    #expect(writer.lastFailure == nil && store.transactions == [[Self.change("2")]])
    writer.close()
  }

  /// The operator hears once that nothing can be stored, and why, and once that it can be again, which the writer finds out without anything to write.
  @Test func failuresAreTold() async throws {
    let (store, log) = (store, Log())
    let writer = StoreWriter(store) { log.add($0) }
    writer.start()
    store.fail(.full)
    for _ in 0..<3 { await #expect(throws: StoreError.full) { try await writer.write([Self.change("1")]) } }
    #expect(log.lines == ["nothing can be stored: the disk of the store is full"])
    try await writer.write([])
    #expect(store.checks > 0 && writer.lastFailure == .full && log.lines.count == 1)
    store.fail(nil)
    try await writer.write([])
    #expect(writer.lastFailure == nil && store.transactions == [])
    #expect(log.lines == ["nothing can be stored: the disk of the store is full", "the store can be written to again"])
    writer.close()
  }

  /// What does not make sense any more when its turn comes is not written, also not where another one of the same transaction broke a rule.
  @Test func noLongerValid() async throws {
    let (store, writer, log) = (store, writer, Log())
    store.refuse { $0 == Self.change("wrong") }
    store.writing.close()
    writer.start()
    writer.submit([Self.change("1")]) { _ in }
    try await until("the first one is being written") { store.writing.waiting == 1 }
    let isBroken = StopFlag()
    writer.submit([Self.change("wrong")]) { _ in
      log.add("wrong")
      isBroken.set()
    }
    writer.submit([Self.change("builds on it")], isValid: { !isBroken.isSet }) { log.add("\($0.map { "\($0)" } ?? "stored")") }
    writer.submit([Self.change("never")], isValid: { false }) { log.add("\($0.map { "\($0)" } ?? "stored")") }
    store.writing.open()
    try await writer.write([])
    try await writer.write([])
    let reason = "the store cannot be used: what it builds on was not stored"
    #expect(log.lines.sorted() == [reason, reason, "wrong"])
    #expect(store.transactions == [[Self.change("1")]])
    writer.close()
  }

  /// Whoever is asked for changes is asked before each transaction, and told what became of them.
  @Test func sources() async throws {
    let (store, writer, log) = (store, writer, Log())
    writer.addSource(of: log) {
      guard log.lines.count < 2 else { return nil }
      let id = "source \(log.lines.count)"
      return ([Self.change(id)], { log.add("\(id) \($0 == nil)") })
    }
    writer.start()
    writer.wake()
    try await until("the first one is stored") { log.lines.count >= 1 }
    writer.wake()
    try await until("both are stored") { log.lines.count >= 2 }
    #expect(log.lines == ["source 0 true", "source 1 true"])
    #expect(store.transactions == [[Self.change("source 0")], [Self.change("source 1")]])
    // Who is gone is asked no more.
    #expect(writer.sourceCount == 1)
    writer.removeSource(of: log)
    #expect(writer.sourceCount == 0)
    writer.close()
  }

  /// The end waits for what is being written, and for what was handed in before.
  @Test func close() async throws {
    let (store, writer, log) = (store, writer, Log())
    store.writing.close()
    writer.start()
    writer.submit([Self.change("1")]) { _ in log.add("1") }
    try await until("the first one is being written") { store.writing.waiting == 1 }
    writer.submit([Self.change("2")]) { _ in log.add("2") }
    let closing = Worker("closing") {
      log.add("closing")
      writer.close()
      log.add("closed")
    }
    // On a thread of its own: among other tests this one may not have its turn for longer than the end waits.
    let opening = Worker("opening") {
      while log.lines.isEmpty { Thread.sleep(forTimeInterval: 0.001) }
      Thread.sleep(forTimeInterval: 0.02)
      store.writing.open()
    }
    try await until("the end") { log.lines.last == "closed" }
    #expect(log.lines == ["closing", "1", "2", "closed"] && store.transactions.count == 2)
    closing.join(seconds: 10)
    opening.join(seconds: 10)
  }

  /// Who asks the store something does not wait for what is written.
  @Test func reading() async throws {
    let (store, writer) = (store, writer)
    writer.start()
    let game = StoredGame(id: "a", code: "A", title: "T", account: nil, rules: "", quiz: "", createdAt: 1)
    try await writer.write([.game(game)])
    store.writing.close()
    writer.submit([Self.change("1")]) { _ in }
    try await until("something is being written") { store.writing.waiting == 1 }
    let games = try await writer.read { (store) throws(StoreError) in try store.unfinishedGames() }
    #expect(games == [game])
    await #expect(throws: StoreError.foreign("no")) {
      try await writer.read { (_) throws(StoreError) -> Int in throw StoreError.foreign("no") }
    }
    store.writing.open()
    writer.close()
  }
}
