import Basics
import HTTPTypes
import Hummingbird
import LiveHLS
import LiveInterface
import NIOCore
import WebShell
import WebSupport

extension FuzzTarget {
  /// What web servers read of a request besides its body: path, query, fields. The input is a line of method and target, and lines of fields.
  static let request = FuzzTarget("request") { bytes in
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    let start = (lines.first ?? "").split(separator: " ", maxSplits: 1).map { String($0) }
    guard start.count == 2, let method = HTTPRequest.Method(start[0]) else { return }
    var fields = HTTPFields()
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1).map { String($0) }
      if parts.count == 2, let name = HTTPField.Name(parts[0]) { fields.append(HTTPField(name: name, value: parts[1])) }
    }
    let head = HTTPRequest(
      method: method, scheme: "http", authority: fields[.init("Host") ?? .origin], path: start[1], headerFields: fields)
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    let call = APIRequest(request, isLocal: false)

    try require((0...1 << 53).contains(call.lastEventID ?? 0), "a message of the number \(call.lastEventID ?? 0)")
    if case .call(let endpoint, let parts)? = Endpoint.allCases.find(call.method, call.path) {
      try require(parts.values.allSatisfy { !$0.isEmpty }, "an empty part of a path")
      if case .call(let again, let same)? = Endpoint.allCases.find(endpoint.route.method, endpoint.route.path(parts)) {
        try require(again == endpoint && same == parts, "the path made again is another call's")
      } else {
        try require(false, "the path made again has no call")
      }
    }
    _ = ShellCall.all.find(call.method, call.path)
    for size in [0, 1, 1_000, .max] {
      guard case .bytes(let range) = RequestedPart(request.range, of: size) else { continue }
      try require(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size, "the part \(range) of \(size) bytes")
    }
    if let directives = try? DeliveryDirectives(query: call.query) {
      for next in [0, 7, UInt64.max] {
        for parts in [0, 3] {
          let progress = PlaylistProgress(nextSequence: next, openParts: parts, lastParts: parts, advanceLimit: 3, isEnded: false)
          _ = progress.decide(directives)
        }
      }
    }
    let forwarded = HTTPField.Name("X-Forwarded-For").flatMap { fields[$0] }
    let origin = TrustedProxies(["10.0.0.0/8"]).origin(remote: "10.0.0.1", forwarded: forwarded)
    try require(IPAddress(origin) != nil, "a call from \(origin)")
    let caller = Caller(fields, host: request.host, remote: "127.0.0.1", isConnectionLocal: true, TrustedProxies([]))
    try require(!caller.isLocal || (forwarded == nil && APIRequest.isLocalName(request.host ?? "localhost")), "a proxy is local")
  }
}
