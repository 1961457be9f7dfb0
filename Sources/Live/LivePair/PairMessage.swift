package import Basics

/// What the nodes of a pair say to each other, over one connection between both.
package enum PairMessage: Equatable, Sendable {
  /// Who begins says who it is, and hears who the other one is.
  case hello(PairHello)
  /// The other one may not follow, in words.
  case refused(String)
  /// Bytes of the journal, from an offset on.
  case journal(offset: Int, bytes: [UInt8])
  /// What has changed in the presentation.
  case files(PairFiles)
  /// A message of the session for those who listen.
  case told(id: Int, event: String, data: String)
  /// All that there was until now has been said.
  case complete
  /// So many messages of the three kinds that count have been written down and taken up: journal, files and complete.
  case received(Int)
  case call(number: Int, PairCall)
  case answer(number: Int, PairAnswer)
  /// The node is alive. `inputAge` is the time since it last received bytes from its input, in milliseconds; `nil` where it has received none.
  case beat(inputAge: Int?)
  /// Who leads ends: the other one leads from now on, or the stream is over.
  case leaving(isEnd: Bool)

  /// Whether the node that follows says when it has taken it up.
  package var counts: Bool {
    switch self {
    case .journal, .files, .complete: true
    default: false
    }
  }

  /// What whoever begins a connection sends first, in front of all messages. No request of HTTP begins with it.
  package static let preface = Array("CUELIGHT-PAIR/1\r\n".utf8)

  /// The largest message before the other node is known, and from then on: a segment with its playlists.
  package static let largestHello = 16 << 10
  package static let largest = 320 << 20
}

// A message is the number of bytes that follow, that of a header in JSON, both in 32 bits, the header, and bytes as they are.
extension PairMessage {
  /// The message as it travels.
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
    var object = JSONObject()
    switch self {
    case .hello(let hello): object.append("hello", hello.object)
    case .refused(let reason): object.append("refused", reason)
    case .journal(let offset, _): object.append("journal", offset)
    case .files(let files):
      object.append("files", files.targetDuration)
      object.append("segments", files.segments.map(Self.object))
      object.append("playlists", files.playlists.map(Self.object))
      object.append("removable", files.removable)
    case .told(let id, let event, let data):
      object.append("told", id)
      object.append("event", event)
      object.append("data", data)
    case .complete: object.append("complete", true)
    case .received(let count): object.append("received", count)
    case .call(let number, let call):
      object.append("call", number)
      object.append("method", call.method)
      object.append("path", call.path)
      object.append("local", call.isLocal)
      object.append("fields", call.fields.objects)
    case .answer(let number, let answer):
      object.append("answer", number)
      object.append("status", answer.status)
      object.append("fields", answer.fields.objects)
    case .beat(let age):
      object.append("beat", true)
      if let age { object.append("inputAge", age) }
    case .leaving(let isEnd): object.append("leaving", isEnd)
    }
    return object
  }

  private static func object(_ file: PairFiles.File) -> JSONObject {
    var object = JSONObject()
    object.append("name", file.name)
    object.append("size", file.bytes.count)
    return object
  }

  /// Reads a message without the number of its bytes.
  ///
  /// - Throws: `ParseError` where it is none.
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
    guard let message = Self.message(object, body[...]) else { throw ParseError(.invalid("this is no message of a pair"), at: 4) }
    self = message
  }

  private static func message(_ object: JSONObject, _ body: ArraySlice<UInt8>) -> PairMessage? {
    if let number = object["call"]?.int {
      guard let method = object["method"]?.string, let path = object["path"]?.string, let isLocal = object["local"]?.bool,
        let fields = [PairCall.Field](object["fields"])
      else { return nil }
      return .call(number: number, PairCall(method: method, path: path, fields: fields, isLocal: isLocal, body: Array(body)))
    }
    if let number = object["answer"]?.int {
      guard let status = object["status"]?.int, (100...999).contains(status), let fields = [PairCall.Field](object["fields"]) else {
        return nil
      }
      return .answer(number: number, PairAnswer(status: status, fields: fields, body: Array(body)))
    }
    if let offset = object["journal"]?.int { return offset >= 0 ? .journal(offset: offset, bytes: Array(body)) : nil }
    if let target = object["files"]?.int { return files(object, body, target).map { .files($0) } }
    guard body.isEmpty else { return nil }
    if let hello = object["hello"]?.object { return PairHello(hello).map { .hello($0) } }
    if let reason = object["refused"]?.string { return .refused(reason) }
    if let id = object["told"]?.int {
      guard let event = object["event"]?.string, let data = object["data"]?.string else { return nil }
      return .told(id: id, event: event, data: data)
    }
    if object["complete"]?.bool == true { return .complete }
    if let count = object["received"]?.int { return .received(count) }
    if object["beat"]?.bool == true {
      guard let age = object["inputAge"] else { return .beat(inputAge: nil) }
      return age.int.flatMap { $0 >= 0 ? .beat(inputAge: $0) : nil }
    }
    return object["leaving"]?.bool.map { .leaving(isEnd: $0) }
  }

  private static func files(_ object: JSONObject, _ body: ArraySlice<UInt8>, _ target: Int) -> PairFiles? {
    guard target > 0, let removable = object["removable"]?.array else { return nil }
    var files = PairFiles(targetDuration: target)
    var rest = body
    func take(_ list: JSONValue?) -> [PairFiles.File]? {
      guard let array = list?.array else { return nil }
      var taken: [PairFiles.File] = []
      for element in array {
        guard let name = element.object?["name"]?.string, let size = element.object?["size"]?.int, (0...rest.count).contains(size) else {
          return nil
        }
        taken.append(PairFiles.File(name: name, bytes: Array(rest.prefix(size))))
        rest = rest.dropFirst(size)
      }
      return taken
    }
    guard let segments = take(object["segments"]), let playlists = take(object["playlists"]), rest.isEmpty else { return nil }
    (files.segments, files.playlists) = (segments, playlists)
    for name in removable {
      guard let name = name.string else { return nil }
      files.removable.append(name)
    }
    return files
  }
}

/// Takes messages out of the bytes of a connection.
package struct PairMessageReader: Sendable {
  private var buffer: [UInt8] = []
  /// The largest message, in bytes. It is small until the other node is known.
  package var limit = PairMessage.largestHello

  /// A reader at the start of a connection, behind the preface.
  package init() {}

  /// The messages that are complete with these bytes.
  ///
  /// - Throws: `ParseError` where they are none, or one is larger than ``limit``. Nothing can be read behind that.
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
