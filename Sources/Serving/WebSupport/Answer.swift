package import Basics
package import HTTPTypes
package import Hummingbird

/// An answer, before it becomes a response of the web server.
package struct Answer: Sendable {
  package var status: HTTPResponse.Status
  package var contentType: String
  package var body: [UInt8]
  package var headers: [(HTTPField.Name, String)] = []
  /// A body that is sent piece by piece, instead of ``body``.
  package var stream: ResponseBody?
  /// A name for the body if many clients get the same bytes, such as a segment: then it is in memory once for all of them.
  package var sharedName: String?

  package init(_ status: HTTPResponse.Status, _ contentType: String, _ body: [UInt8], headers: [(HTTPField.Name, String)] = []) {
    (self.status, self.contentType, self.body, self.headers) = (status, contentType, body, headers)
  }

  /// An answer with a JSON object.
  package init(_ status: HTTPResponse.Status = .ok, _ object: JSONObject, headers: [(HTTPField.Name, String)] = []) {
    self.init(status, "application/json", Array("\(object.text)\n".utf8), headers: headers)
  }

  /// An answer without a body.
  package static let noContent = Answer(.noContent, "", [])

  /// The validator of a body: a client that has a body with the same one does not get it again.
  package static func tag(_ body: [UInt8]) -> String {
    "\"\(SHA256.hash(body).prefix(8).hexadecimal)\""
  }

  package var response: Response { response(part: .whole) }

  /// The response to a request that may ask for a part of a resource (RFC 9110, section 14). An answer that is not a resource is always returned
  /// completely.
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

  /// The maximum number of bytes that are written to a connection at once. Further ones follow when the client has received enough of them.
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
  /// The answer to HEAD instead of GET.
  package var headOnly: Response { createHeadResponse().withoutFalseLength }

  /// The answer without Content-Length if its status never has content: 204 must not have the field, and in 304 it would have to be the length of the
  /// answer that 304 replaces (RFC 9110, 8.6).
  fileprivate var withoutFalseLength: Response {
    guard status == .noContent || status == .notModified else { return self }
    var response = self
    response.headers[.contentLength] = nil
    return response
  }
}
