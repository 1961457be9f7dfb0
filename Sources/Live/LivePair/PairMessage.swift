package import Basics

/// A message between the nodes of a pair, over their one connection.
package enum PairMessage: Equatable, Sendable {
  /// The first message in each direction.
  case hello(PairHello)
  /// Why the other node may not follow, in words.
  case refused(String)
  /// Bytes of the journal, from an offset on.
  case journal(offset: Int, bytes: [UInt8])
  /// A change of the presentation.
  case files(PairFiles)
  /// A message of the session for its listeners.
  case told(id: Int, event: String, data: String)
  /// The following node has now received everything.
  case complete
  /// This number of further messages of the kinds that count has been stored: journal, files and complete.
  case received(Int)
  case call(number: Int, PairCall)
  case answer(number: Int, PairAnswer)
  /// The node is alive. `inputAge` is the time since it last received bytes from its input, in milliseconds; `nil` if it has received none.
  case beat(inputAge: Int?)
  /// The leading node ends: the other one leads from now on, or the stream is over.
  case leaving(isEnd: Bool)

  /// Whether the following node confirms the message.
  package var counts: Bool {
    switch self {
    case .journal, .files, .complete: true
    default: false
    }
  }

  /// What the node that opens the connection sends before all messages. No HTTP request begins with it.
  package static let preface = Array("CUELIGHT-PAIR/1\r\n".utf8)

  /// The maximum sizes of a message in bytes: before the other node is known, and then, for a segment with its playlists.
  package static let largestHello = 16 << 10
  package static let largest = 320 << 20
}

// The coding: the number of bytes that follow and the length of a JSON header, both in 32 bits, then the header, then plain bytes.
extension PairMessage {
  /// The message in bytes.
  package var encoded: [UInt8] {
    let (object, parts) = (header, bytes)
    let text = Array(JSONValue.object(object).text.utf8)
    let count = parts.reduce(0) { $0 + $1.count }
    var writer = ByteWriter(capacity: 8 + text.count + count)
    writer.writeInteger(UInt64(4 + text.count + count), byteCount: 4)
    writer.writeInteger(UInt64(text.count), byteCount: 4)
    writer.write(text)
    for part in parts { writer.write(part) }
    return writer.bytes
  }

  private var bytes: [[UInt8]] {
    switch self {
    case .journal(_, let bytes): [bytes]
    case .files(let files): (files.segments + files.playlists).map(\.bytes)
    case .call(_, let call): [call.body]
    case .answer(_, let answer): [answer.body]
    default: []
    }
  }

  private var header: JSONObject {
    switch self {
    case .hello(let hello): JSONObject(fields: ["hello": hello.object])
    case .refused(let reason): JSONObject(fields: ["refused": reason])
    case .journal(let offset, _): JSONObject(fields: ["journal": offset])
    case .files(let files):
      JSONObject(fields: [
        "files": files.targetDuration, "segments": files.segments.map(Self.object), "playlists": files.playlists.map(Self.object),
        "removable": files.removable, "upcoming": files.upcoming,
      ]).with("reloaded", files.reloaded.isEmpty ? nil : files.reloaded.map(Self.object))
    case .told(let id, let event, let data): JSONObject(fields: ["told": id, "event": event, "data": data])
    case .complete: JSONObject(fields: ["complete": true])
    case .received(let count): JSONObject(fields: ["received": count])
    case .call(let number, let call):
      JSONObject(fields: [
        "call": number, "method": call.method, "path": call.path, "local": call.isLocal, "fields": call.fields.objects,
      ])
    case .answer(let number, let answer):
      JSONObject(fields: ["answer": number, "status": answer.status, "fields": answer.fields.objects])
    case .beat(let age): JSONObject(fields: ["beat": true]).with("inputAge", age)
    case .leaving(let isEnd): JSONObject(fields: ["leaving": isEnd])
    }
  }

  private static func object(_ file: PairFiles.File) -> JSONObject { JSONObject(fields: ["name": file.name, "size": file.bytes.count]) }

  private static func object(_ playlist: PairFiles.Reloaded) -> JSONObject {
    JSONObject(fields: ["name": playlist.name, "text": playlist.text]).with("update", playlist.update).with(
      "rangeUpdate", playlist.rangeUpdate)
  }

  /// Reads a message without its first number.
  ///
  /// - Throws: `ParseError` if the bytes are no message.
  init(_ bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    let headerLength = try reader.readInteger(byteCount: 4)
    guard headerLength <= UInt64(bytes.count) else { throw ParseError(.invalid("a header is longer than its message"), at: 0) }
    let text = try reader.readBytes(Int(headerLength))
    let limits = JSONLimits(bytes: text.count, members: 100_000)
    guard let object = try JSONValue(parsing: text, limits: limits).object else {
      throw ParseError(.invalid("a message's header is no object"), at: 4)
    }
    let body = try reader.readBytes(bytes.count - 4 - text.count)
    do throws(JSONFieldError) { self = try Self.message(object, body[...]) } catch {
      throw ParseError(.invalid("this is no message of a pair: \(error)"), at: 4)
    }
  }

  private static func message(_ object: JSONObject, _ body: ArraySlice<UInt8>) throws(JSONFieldError) -> PairMessage {
    if object["call"] != nil {
      let call = PairCall(
        method: try object.string("method"), path: try object.string("path"), fields: try .init(object), isLocal: try object.bool("local"),
        body: Array(body))
      return .call(number: try object.int("call"), call)
    }
    if object["answer"] != nil {
      let answer = PairAnswer(status: try object.int("status", in: 100...999), fields: try .init(object), body: Array(body))
      return .answer(number: try object.int("answer"), answer)
    }
    if object["journal"] != nil { return .journal(offset: try object.int("journal", in: .counts), bytes: Array(body)) }
    if object["files"] != nil { return .files(try files(object, body)) }
    // The other kinds have no plain bytes.
    guard body.isEmpty else { throw JSONFieldError("journal") }
    if object["hello"] != nil { return .hello(try PairHello(try object.object("hello"))) }
    if object["refused"] != nil { return .refused(try object.string("refused")) }
    if object["told"] != nil {
      return .told(id: try object.int("told"), event: try object.string("event"), data: try object.string("data"))
    }
    if object["complete"]?.bool == true { return .complete }
    if object["received"] != nil { return .received(try object.int("received")) }
    if object["beat"]?.bool == true { return .beat(inputAge: try object.optional("inputAge") { $0.int(in: .counts) }) }
    return .leaving(isEnd: try object.bool("leaving"))
  }

  private static func files(_ object: JSONObject, _ body: ArraySlice<UInt8>) throws(JSONFieldError) -> PairFiles {
    var (files, rest) = (PairFiles(targetDuration: try object.int("files", in: 1...1 << 53)), body)
    func take(_ key: String) throws(JSONFieldError) -> [PairFiles.File] {
      try object.list(key) { (file) throws(JSONFieldError) in
        guard let file = file.object else { return nil }
        let (name, size) = (try file.string("name"), try file.int("size", in: 0...rest.count))
        defer { rest = rest.dropFirst(size) }
        return PairFiles.File(name: name, bytes: Array(rest.prefix(size)))
      }
    }
    (files.segments, files.playlists) = (try take("segments"), try take("playlists"))
    guard rest.isEmpty else { throw JSONFieldError("playlists") }
    files.removable = try object.list("removable") { $0.string }
    // Earlier versions do not send these.
    if object["upcoming"] != nil { files.upcoming = try object.list("upcoming") { $0.string } }
    if object["reloaded"] != nil {
      files.reloaded = try object.list("reloaded") { (playlist) throws(JSONFieldError) in
        guard let playlist = playlist.object else { return nil }
        return PairFiles.Reloaded(
          name: try playlist.string("name"), text: try playlist.string("text"), update: try playlist.optional("update") { $0.string },
          rangeUpdate: try playlist.optional("rangeUpdate") { $0.string })
      }
    }
    return files
  }
}

/// Reads messages from the bytes of a connection.
package struct PairMessageReader: Sendable {
  private var buffer: [UInt8] = []
  /// The largest message, in bytes. It is small until the other node is known.
  package var limit = PairMessage.largestHello

  /// A reader after the preface of a connection.
  package init() {}

  /// The messages that are complete with these bytes.
  ///
  /// - Throws: `ParseError` if they are no messages, or one is larger than ``limit``. Nothing can be read after that.
  package mutating func push(_ bytes: Span<UInt8>) throws(ParseError) -> [PairMessage] {
    buffer.append(copying: bytes)
    var messages: [PairMessage] = []
    var start = 0
    while buffer.count - start >= 4 {
      let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= limit else { throw ParseError(.aboveLimit(what: "a message of a pair", limit: limit), at: start) }
      guard buffer.count - start - 4 >= length else { break }
      messages.append(try PairMessage(buffer.span.extracting(start + 4..<start + 4 + length)))
      start += 4 + length
    }
    buffer.removeFirst(start)
    return messages
  }
}
