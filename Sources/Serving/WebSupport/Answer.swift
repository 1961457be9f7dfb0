package import Basics
package import HTTPTypes
package import Hummingbird

/// An answer, before it is one of the web server's.
package struct Answer: Sendable {
  package var status: HTTPResponse.Status
  package var contentType: String
  package var body: [UInt8]
  package var headers: [(HTTPField.Name, String)] = []

  package init(_ status: HTTPResponse.Status, _ contentType: String, _ body: [UInt8], headers: [(HTTPField.Name, String)] = []) {
    (self.status, self.contentType, self.body, self.headers) = (status, contentType, body, headers)
  }

  /// An object in JSON.
  package init(_ status: HTTPResponse.Status = .ok, _ object: JSONObject) {
    self.init(status, "application/json", Array((JSONValue.object(object).text + "\n").utf8))
  }

  /// An answer without a body.
  package static let noContent = Answer(.noContent, "", [])

  /// The validator of a body: what has the same one is not sent again.
  package static func tag(_ body: [UInt8]) -> String {
    "\"\(SHA256.hash(body).prefix(8).map { $0.digits(2, radix: 16, uppercase: false) }.joined())\""
  }

  package var response: Response {
    var fields = HTTPFields()
    if !contentType.isEmpty { fields[.contentType] = contentType }
    for (name, value) in headers { fields[name] = value }
    return Response(
      status: status, headers: fields, body: body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    ).withoutFalseLength
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
