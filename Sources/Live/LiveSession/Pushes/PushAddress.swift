import HLSPlaylist
import LibAV

/// The address of an origin that a live presentation is pushed to.
package struct PushAddress: Equatable, Sendable {
  /// How an origin takes a presentation.
  package enum Form: Equatable, Sendable {
    /// Files by HTTP PUT.
    case files
    /// Files as objects of a bucket of S3, or of what speaks as S3 does.
    case bucket
    /// Tracks by DASH-IF ingest, interface 1.
    case ingest
  }

  package let form: Form
  /// The URL of the playlist or the MPD, with its query; of a bucket `s3://BUCKET/KEY`; of an ingest the publishing point.
  package let url: String
  /// The URL without its query, which may have a secret, for messages.
  package let name: String

  /// The address that an argument names; `nil` for another kind of output, and for a URL with a user or a password.
  package init?(_ text: String) {
    guard let colon = text.firstRange(of: "://") else { return nil }
    var address = text
    switch text[..<colon.lowerBound].lowercased() {
    case "http", "https": form = .files
    case "s3": form = .bucket
    case "cmaf+http", "cmaf+https":
      form = .ingest
      address = String(text.dropFirst("cmaf+".count))
      while address.last == "/" { address.removeLast() }
    default: return nil
    }
    let reference = URIReference(address)
    guard let authority = reference.authority, !authority.isEmpty, !authority.contains("@"), reference.fragment == nil else { return nil }
    let path = reference.path.lowercased()
    guard form == .ingest || (path.hasSuffix(".m3u8") || path.hasSuffix(".mpd")), form == .files || reference.query == nil else {
      return nil
    }
    (url, name) = (address, text.withoutSecrets)
  }

  /// Whether the address names an MPD.
  package var isDescription: Bool { form != .ingest && URIReference(url).path.lowercased().hasSuffix(".mpd") }

  /// Whether segments have to be fragmented MP4.
  package var needsFragments: Bool { form == .ingest || isDescription }

  /// The URL of a file beside the playlist that the address names, with the same query.
  func url(of file: String) -> String {
    var reference = URIReference(url)
    var parts = reference.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if !parts.isEmpty { parts.removeLast() }
    reference.path = (parts + [file]).joined(separator: "/")
    return reference.text
  }

  /// The last part of the path, percent-encoded.
  var fileName: String { URIReference(url).path.split(separator: "/").last.map(String.init) ?? "" }
}

/// Where a bucket is.
package struct PushStorage: Equatable, Sendable {
  package var region: String
  /// The URL of a server that speaks as S3 does; `nil` for Amazon's.
  package var endpoint: String?

  /// The usual region of Amazon's tools.
  private static let usualRegion = "us-east-1"

  /// - Parameter environment: `AWS_REGION` or `AWS_DEFAULT_REGION`, and `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`.
  package init(environment: [String: String]) {
    let named = { (keys: [String]) in keys.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } }
    region = named(["AWS_REGION", "AWS_DEFAULT_REGION"]) ?? Self.usualRegion
    endpoint = named(["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])
  }

  /// The URL of an object: the bucket is part of the server's name, or of the path if the name cannot have it.
  func url(of object: String) -> String {
    let reference = URIReference(object)
    let (bucket, key) = (reference.authority ?? "", reference.path)
    if let endpoint {
      var server = endpoint
      while server.last == "/" { server.removeLast() }
      return "\(server)/\(bucket)\(key)"
    }
    return bucket.contains(".")
      ? "https://s3.\(region).amazonaws.com/\(bucket)\(key)" : "https://\(bucket).s3.\(region).amazonaws.com\(key)"
  }
}
