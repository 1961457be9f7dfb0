package import Basics
package import HTTPTypes
package import Hummingbird

/// An answer, before it is one of the web server's.
package struct Answer: Sendable {
  package var status: HTTPResponse.Status
  package var contentType: String
  package var body: [UInt8]
  package var headers: [(HTTPField.Name, String)] = []
  /// A body that comes piece by piece, instead of ``body``.
  package var stream: ResponseBody?
  /// What the body is called if many clients get the same bytes, such as a segment: then it is in memory once for all.
  package var sharedName: String?

  package init(_ status: HTTPResponse.Status, _ contentType: String, _ body: [UInt8], headers: [(HTTPField.Name, String)] = []) {
    (self.status, self.contentType, self.body, self.headers) = (status, contentType, body, headers)
  }

  /// An object in JSON.
  package init(_ status: HTTPResponse.Status = .ok, _ object: JSONObject, headers: [(HTTPField.Name, String)] = []) {
    self.init(status, "application/json", Array("\(object.text)\n".utf8), headers: headers)
  }

  /// An answer without a body.
  package static let noContent = Answer(.noContent, "", [])

  /// The validator of a body: what has the same one is not sent again.
  package static func tag(_ body: [UInt8]) -> String {
    "\"\(SHA256.hash(body).prefix(8).map { $0.digits(2, radix: 16, uppercase: false) }.joined())\""
  }

  package var response: Response { response(part: .whole) }

  /// The answer to a request that may want a part of a resource (RFC 9110, section 14). A part of an answer that is none of a resource is all of it.
  package func response(toRange field: String?) -> Response {
    response(part: status == .ok ? RequestedPart(field, of: body.count) : .whole)
  }

  private func response(part: RequestedPart) -> Response {
    var fields = HTTPFields()
    if !contentType.isEmpty { fields[.contentType] = contentType }
    for (name, value) in headers { fields[name] = value }
    if let stream { return Response(status: status, headers: fields, body: stream) }
    guard !body.isEmpty else { return Response(status: status, headers: fields, body: ResponseBody()).withoutFalseLength }
    var buffer = sharedName.map { SharedBodies.all.buffer($0, body) } ?? ByteBuffer(bytes: body)
    switch part {
    case .whole: return Response(status: status, headers: fields, body: Self.content(buffer)).withoutFalseLength
    case .bytes(let range):
      fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
      buffer = buffer.getSlice(at: range.lowerBound, length: range.count) ?? buffer
      return Response(status: .partialContent, headers: fields, body: Self.content(buffer))
    case .unsatisfiable:
      var problem = Problem("unsatisfiableRange", .rangeNotSatisfiable, "there are \(body.count) bytes")
      problem.headers = [(.contentRange, "bytes */\(body.count)")]
      return problem.answer.response
    }
  }

  /// The most bytes that are handed to a connection at once. The next ones follow when the client has taken enough of them.
  private static let largestPiece = 32 << 10

  private static func content(_ buffer: ByteBuffer) -> ResponseBody {
    guard buffer.readableBytes > largestPiece else { return ResponseBody(byteBuffer: buffer) }
    return ResponseBody(contentLength: buffer.readableBytes) { writer in
      var rest = buffer
      while let piece = rest.readSlice(length: min(rest.readableBytes, largestPiece)), piece.readableBytes > 0 {
        try await writer.write(piece)
      }
      try await writer.finish(nil)
    }
  }
}

extension Response {
  /// The answer that HEAD gets in the place of this one.
  package var headOnly: Response { createHeadResponse().withoutFalseLength }

  /// The answer without Content-Length where its status never has content: 204 must not have it, and that of 304 would be the one of the answer that it
  /// stands for (RFC 9110, 8.6).
  fileprivate var withoutFalseLength: Response {
    guard status == .noContent || status == .notModified else { return self }
    var response = self
    response.headers[.contentLength] = nil
    return response
  }
}
