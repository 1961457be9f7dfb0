import Basics
import Dispatch
import Files
import HLSPlaylist
import HTTPTypes
import Hummingbird
import NIOCore
import StreamInput
import WebSupport

/// The files on disk that the page of a preview loads: the previewed one, or those that the playlists name. No other file can be loaded.
struct PreviewFiles: Sendable {
  private enum Place: Sendable {
    /// One file.
    case file
    /// The folder of a playlist, and its path in the form of `StreamInput.files`.
    case folder(FolderInput, path: String)
  }

  /// A file, relative to the folder if there is one.
  private struct Found: Sendable {
    var name: String
    var size: Int
  }

  /// The input, as the user names it.
  private let input: String
  private let place: Place

  /// The name of the file in the playlist over it, below the folder of the stream.
  static let fileName = "media"
  /// Reading waits for the disk, so it uses threads that have nothing else to do.
  private static let queue = DispatchQueue(label: "preview files", attributes: .concurrent)
  /// The number of bytes of a file that are in memory at once.
  private static let pieceSize = 256 << 10

  /// - Throws: `FileInputError` if the folder of a playlist is missing.
  init(_ input: String, isPresentation: Bool) throws(FileInputError) {
    self.input = input
    let folder = PathParts(input).folder
    place = isPresentation ? .folder(try FolderInput(path: folder), path: folder) : .file
  }

  /// Where a playlist on disk is, relative to its folder.
  static func address(ofPlaylist path: String) -> String { URIReference(relativePath: PathParts(path).name).text }

  /// The answer to a request for a file.
  ///
  /// - Parameters:
  ///   - path: Its path, percent-encoded, relative to the playlist.
  ///   - range: The value of the field Range.
  func answer(_ path: String, range: String?) async throws(Problem) -> Response {
    let result = try await Self.run { () throws(FileInputError) in try find(path) }
    guard let found = result else { throw Problem("notFound", .notFound, "nothing of the stream is at \(path.visible(.text))") }
    var headers = HTTPFields()
    headers[.contentType] = Self.contentType(of: found.name)
    headers[.acceptRanges] = "bytes"
    headers[.cacheControl] = "no-store"
    switch RequestedPart(range, of: found.size) {
    case .whole: return Response(status: .ok, headers: headers, body: body(found.name, 0..<found.size))
    case .bytes(let part):
      headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(found.size)"
      return Response(status: .partialContent, headers: headers, body: body(found.name, part))
    case .unsatisfiable:
      throw Problem(
        "rangeNotSatisfiable", .rangeNotSatisfiable, "the file has \(found.size) bytes",
        headers: [(.contentRange, "bytes */\(found.size)")])
    }
  }

  /// The file that a path names; `nil` if it does not belong to the stream.
  private func find(_ path: String) throws(FileInputError) -> Found? {
    guard let name = streamName(path) else { return nil }
    do throws(FileInputError) {
      let file = try open(name)
      return file.size.map { Found(name: name, size: $0) }
    } catch {
      switch error {
      case .missing, .outside, .special, .folder: return nil
      case .unreadableName, .interrupted, .system: throw error
      }
    }
  }

  /// The name of a stream's file in a path; `nil` if the path names none.
  private func streamName(_ path: String) -> String? {
    switch place {
    case .file: return path == Self.fileName ? PathParts(input).name : nil
    case .folder(_, let folder):
      // The dot in front keeps a colon in a name from making a scheme.
      guard let name = URIReference("./\(path)").pathWithinFolder else { return nil }
      guard !name.hasSameBytes(as: PathParts(input).name) else { return name }
      // Playlists may have grown.
      return StreamInput(input).files.contains { $0.hasSameBytes(as: "\(folder)/\(name)") } ? name : nil
    }
  }

  private func open(_ name: String, part: Range<Int>? = nil) throws(FileInputError) -> FileInput {
    switch place {
    case .file: try FileInput(path: input, part: part)
    case .folder(let folder, _): try folder.open(name, part: part)
    }
  }

  /// The bytes of a file, piece by piece, as fast as the client takes them.
  private func body(_ name: String, _ part: Range<Int>) -> ResponseBody {
    ResponseBody(contentLength: part.count) { writer in
      var position = part.lowerBound
      while position < part.upperBound {
        let piece = position..<min(position + Self.pieceSize, part.upperBound)
        let bytes = try await Self.run { () throws(FileInputError) in try read(name, piece) }
        // A file that has become shorter has no more data: the connection ends, and the client sees that the file is incomplete.
        guard bytes.count == piece.count else { throw Problem("changed", .internalServerError, "the file has changed") }
        try await writer.write(ByteBuffer(bytes: bytes))
        position = piece.upperBound
      }
      try await writer.finish(nil)
    }
  }

  private func read(_ name: String, _ part: Range<Int>) throws(FileInputError) -> [UInt8] {
    var file = try open(name, part: part)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(part.count)
    while try file.fill() { bytes.append(copying: file.bytes) }
    return bytes
  }

  /// Performs an action that waits for the disk.
  private static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(FileInputError) -> Value
  ) async throws(Problem) -> Value {
    do throws(FileInputError) { return try await queue.run(body) } catch {
      throw Problem("unreadable", .internalServerError, "\(error)".visible(.text))
    }
  }

  private static func contentType(of name: String) -> String {
    switch name.split(separator: ".").last?.lowercased() {
    case "m3u8", "m3u": "application/vnd.apple.mpegurl"
    case "ts", "m2ts", "mts": "video/mp2t"
    case "mp4", "m4s", "m4v", "cmfv", "m4a", "cmfa": "video/mp4"
    case "aac": "audio/aac"
    case "vtt": "text/vtt; charset=utf-8"
    default: "application/octet-stream"
    }
  }
}
