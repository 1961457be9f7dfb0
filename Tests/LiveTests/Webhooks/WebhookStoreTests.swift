import Basics
import Files
import TestSupport
import Testing

@testable import Webhooks

@Suite struct WebhookStoreTests {
  private static func message(_ id: String) -> WebhookMessage {
    WebhookMessage(id: id, stream: "s \"1\"\n", event: .game, date: 1_800_000_000_000, body: #"{"type":"game","data":{"é":"\n"}}"#)
  }

  private static let records: [WebhookRecord] = [
    .message(message("1"), hooks: ["a", "b"]), .settled(id: "1", hooks: ["a"]), .message(message("2"), hooks: []),
  ]

  private func records(_ folder: String) throws -> [WebhookRecord] {
    var found: [WebhookRecord] = []
    _ = try WebhookStore(folder: folder) { found = $0 }
    return found
  }

  private func damaged(_ folder: String) throws -> Int { try WebhookStore(folder: folder) { _ in }.damaged }

  @Test func roundTrip() throws {
    let folder = try Workshop.newFolder()
    do {
      var store = try WebhookStore(folder: "\(folder)/a/b") { #expect($0 == []) }
      try store.append(Self.records)
      try store.append([.settled(id: "2", hooks: ["c"])])
    }
    #expect(try records("\(folder)/a/b") == Self.records + [.settled(id: "2", hooks: ["c"])])
  }

  /// A process may be killed while it writes: wherever the file ends, the lines before are there, and others can be added.
  @Test func tornLine() throws {
    let bytes = Self.records.flatMap(\.line)
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
    for count in stride(from: 0, through: bytes.count, by: 7) {
      let folder = try Workshop.newFolder()
      _ = try Workshop.write(Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: count % 3), to: "\(folder)/webhooks.journal")
      let whole = ends.count { $0 < count }
      do {
        var store = try WebhookStore(folder: folder) { #expect($0 == Array(Self.records.prefix(whole)), "\(count)") }
        let damaged = store.damaged
        #expect(damaged == 0)
        try store.append([.settled(id: "9", hooks: [])])
      }
      #expect(try records(folder) == Self.records.prefix(whole) + [.settled(id: "9", hooks: [])], "\(count)")
    }
  }

  /// A line that is none costs itself alone.
  @Test func damage() throws {
    let folder = try Workshop.newFolder()
    let lines = Self.records.map(\.line)
    _ = try Workshop.write(lines[0] + Array("{\"message\":7}\nhello\n".utf8) + lines[1], to: "\(folder)/webhooks.journal")
    #expect(try damaged(folder) == 2)
    #expect(try records(folder) == [Self.records[0], Self.records[1]])
  }

  @Test func replacing() throws {
    let folder = try Workshop.newFolder()
    do {
      var store = try WebhookStore(folder: folder) { _ in }
      let settled = (0..<30_000).map { WebhookRecord.settled(id: "msg_\($0)", hooks: ["0123456789abcdef"]) }
      try store.append(settled)
      let (isLarge, isNeeded) = (store.isWasteful(waiting: 0), !store.isWasteful(waiting: 1 << 20))
      #expect(isLarge && isNeeded)
      try store.replace(by: [Self.records[0]])
      let isStillLarge = store.isWasteful(waiting: 0)
      #expect(!isStillLarge)
      try store.append([Self.records[1]])
    }
    #expect(try records(folder) == [Self.records[0], Self.records[1]])
  }

  /// Two processes would send everything twice.
  @Test func lock() throws {
    let folder = try Workshop.newFolder()
    let store = try WebhookStore(folder: folder) { _ in }
    let error = #expect(throws: FileSinkError.self) { try damaged(folder) }
    #expect(error?.operation == .lock)
    withExtendedLifetime(store.damaged) {}
  }
}
