package import HLSReading

/// How a web server delivers a resource, by the head of its response to a page of another origin.
package struct Delivery: Equatable, Sendable {
  /// The origin of the requesting page.
  package static let origin = "https://cuelight.example"

  /// The resource's URL.
  package var url: String
  /// The kind of resource; `nil` for a stream that is not a presentation.
  package var kind: HLSReader.Resource.Kind?
  /// The Content-Type field.
  package var contentType: String?
  /// The Access-Control-Allow-Origin field.
  package var allowedOrigin: String?
  /// Whether it is a segment of subtitles, which may be text.
  package var isSubtitles = false

  /// A response with these fields.
  package init(url: String, kind: HLSReader.Resource.Kind?, contentType: String?, allowedOrigin: String?, isSubtitles: Bool = false) {
    (self.url, self.kind, self.contentType, self.allowedOrigin) = (url, kind, contentType, allowedOrigin)
    self.isSubtitles = isSubtitles
  }
}

/// Checks how resources are delivered.
enum DeliveryChecker {
  /// The types of playlists (RFC 8216bis, 4), including older ones.
  private static let typesOfPlaylists = ["application/vnd.apple.mpegurl", "audio/mpegurl", "application/x-mpegurl", "audio/x-mpegurl"]

  /// The types of subtitles: WebVTT and TTML.
  private static let typesOfSubtitles = ["text/vtt", "text/plain", "application/ttml+xml", "application/xml", "text/xml"]

  /// Checks one resource.
  static func check(_ delivery: Delivery, _ log: inout FindingLog) {
    let type = delivery.contentType.map { $0.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() } ?? ""
    if !isRight(type, for: delivery.kind), !delivery.isSubtitles || !typesOfSubtitles.contains(type) {
      log.add(.contentType, in: delivery.url, delivery.contentType.map { "the type \($0)" } ?? "no Content-Type")
    }
    if delivery.allowedOrigin != "*", delivery.allowedOrigin != Delivery.origin {
      let found = delivery.allowedOrigin.map { "Access-Control-Allow-Origin: \($0)" } ?? "no Access-Control-Allow-Origin"
      log.add(.origins, in: delivery.url, "\(found) for a page of \(Delivery.origin)")
    }
  }

  /// Whether players read a resource with this type. The types of segments matter little: only a text or a picture is certainly wrong.
  private static func isRight(_ type: String, for kind: HLSReader.Resource.Kind?) -> Bool {
    switch kind {
    case .playlist: typesOfPlaylists.contains(type)
    case .key: true
    case .segment, .initializationSegment, nil:
      type.isEmpty || type.hasPrefix("video/") || type.hasPrefix("audio/")
        || ["application/mp4", "application/octet-stream"].contains(type)
    }
  }
}
