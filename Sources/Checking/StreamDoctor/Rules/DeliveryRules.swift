// How web servers deliver the resources.

extension DoctorRule {
  static let contentType = DoctorRule(
    "HTTP-CONTENT-TYPE", .delivery, .warning, "Content-Type", source: "RFC 8216bis, 4",
    expected: "`application/vnd.apple.mpegurl` for playlists, a type of video or audio for streams, and `text/vtt` for WebVTT",
    advice: "Enter the endings of the files in the server's table of types: some players refuse a playlist of another type.")
  static let origins = DoctorRule(
    "HTTP-CORS", .delivery, .warning, "Pages of other origins", source: "Fetch Standard, 3.2",
    expected: "Access-Control-Allow-Origin with `*` or the page's origin in every answer",
    advice: "Let the server send it: without it players in pages of other origins get nothing.")
}
