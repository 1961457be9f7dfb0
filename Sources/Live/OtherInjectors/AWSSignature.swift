import Basics
import HLSPlaylist
package import HTTPClient

/// What a request to Amazon's services is signed with.
package struct AWSCredentials: Equatable, Sendable {
  package var accessKeyID: String
  package var secretAccessKey: String
  /// The token of temporary credentials.
  package var sessionToken: String?
}

/// Signs requests to Amazon's services (Signature Version 4).
package struct AWSSignature: Sendable {
  private static let algorithm = "AWS4-HMAC-SHA256"

  let credentials: AWSCredentials
  let region: String
  let service: String

  package init(credentials: AWSCredentials, region: String, service: String) {
    (self.credentials, self.region, self.service) = (credentials, region, service)
  }

  /// The request with the header fields that authenticate its sender.
  ///
  /// - Parameters:
  ///   - request: The request; its URL has no query. All its header fields are signed.
  ///   - date: When it is sent, in milliseconds since 1970: the service refuses it a quarter of an hour later.
  package func sign(_ request: WebRequest, at date: Int64) -> WebRequest {
    var signed = request
    let moment = Self.moment(date)
    let url = URIReference(request.url)
    let isStorage = service == "s3"
    let content = SHA256.hash(request.body).hexadecimal
    if isStorage { signed.fields.append(.init("X-Amz-Content-Sha256", content)) }
    signed.fields.append(.init("X-Amz-Date", moment))
    if let token = credentials.sessionToken { signed.fields.append(.init("X-Amz-Security-Token", token)) }
    // The client adds the field `host` by itself.
    let fields = (signed.fields.map { ($0.name.lowercased(), $0.value) } + [("host", url.authority ?? "")]).ordered { $0.0 < $1.0 }
    let names = fields.map(\.0).joined(separator: ";")
    // All services but S3 encode the URL's path once more.
    let encoded =
      isStorage
      ? url.path : String(decoding: PercentEncoding.encode(url.path, keeping: PercentEncoding.unreserved + "/"), as: UTF8.self)
    let path = encoded.isEmpty ? "/" : encoded
    let canonical = [
      request.method.rawValue, path, "", fields.map { "\($0):\($1)\n" }.joined(), names, content,
    ].joined(separator: "\n")
    let scope = [String(moment.prefix(8)), region, service, "aws4_request"]
    let text = [Self.algorithm, moment, scope.joined(separator: "/"), SHA256.hash(Array(canonical.utf8)).hexadecimal]
    var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
    for part in scope { key = SHA256.authenticationCode(of: Array(part.utf8), key: key) }
    let signature = SHA256.authenticationCode(of: Array(text.joined(separator: "\n").utf8), key: key).hexadecimal
    let credential = ([credentials.accessKeyID] + scope).joined(separator: "/")
    signed.fields.append(
      .init("Authorization", "\(Self.algorithm) Credential=\(credential), SignedHeaders=\(names), Signature=\(signature)"))
    return signed
  }

  /// A date as signatures have it: `20260101T120000Z`.
  private static func moment(_ date: Int64) -> String {
    let text = PlaylistDate(milliseconds: date)?.text ?? ""
    return "\(text.prefix(19).filter { $0 != "-" && $0 != ":" })Z"
  }
}
