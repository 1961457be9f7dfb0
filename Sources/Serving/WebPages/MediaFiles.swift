import Basics
import HTTPTypes
import Synchronization
package import WebSupport

/// The pictures and sounds of questions that the server itself has. A file's name is a hash of its content: it tells nothing of the question, does not
/// become another file, and nobody guesses it.
package final class MediaFiles: Sendable {
  /// Where the files are.
  package static let folder = "/media/"
  /// The maximum number of bytes of a picture.
  package static let largestPicture = 2 << 20
  /// The maximum number of bytes of a sound.
  package static let largestSound = 4 << 20
  /// The maximum number of bytes of all files, which are in memory.
  package static let largestTotal = 128 << 20
  /// The maximum number of files.
  package static let most = 2_000

  private struct File: Sendable {
    var kind: MediaKind
    var bytes: [UInt8]
  }

  private struct Contents {
    var files: [String: File] = [:]
    var size = 0
  }

  private let contents = Mutex(Contents())

  /// No files.
  package init() {}

  /// A file that was added.
  package struct Added: Equatable, Sendable {
    /// Its name below ``folder``.
    package var name: String
    package var kind: MediaKind
    /// The size of a picture.
    package var width, height: Int?

    /// Where pages find it.
    package var address: String { MediaFiles.folder + name }
  }

  /// Why a file cannot be added.
  package enum Fault: Error, Equatable, CustomStringConvertible {
    case unknown
    case large(limit: Int)
    case full

    package var description: String {
      switch self {
      case .unknown: "is neither a picture (PNG, JPEG, GIF, WebP, AVIF) nor a sound (MP3, M4A, Ogg, WAV, FLAC)"
      case .large(let limit): "has more than \(limit >> 20) MiB"
      case .full: "has no room: the pictures and sounds have \(MediaFiles.largestTotal >> 20) MiB, or are \(MediaFiles.most), already"
      }
    }
  }

  /// Adds a file, unless it is there.
  ///
  /// - Throws: ``Fault``.
  package func add(_ bytes: [UInt8]) throws(Fault) -> Added {
    guard let kind = MediaKind(bytes) else { throw .unknown }
    let limit = kind.isPicture ? Self.largestPicture : Self.largestSound
    guard bytes.count <= limit else { throw .large(limit: limit) }
    let hash = SHA256.hash(bytes).prefix(16).hexadecimal
    let size = kind.size(of: bytes)
    let added = Added(name: "\(hash).\(kind.rawValue)", kind: kind, width: size?.width, height: size?.height)
    let hasRoom = contents.withLock { contents in
      guard contents.files[added.name] == nil else { return true }
      guard contents.files.count < Self.most, contents.size + bytes.count <= Self.largestTotal else { return false }
      contents.files[added.name] = File(kind: kind, bytes: bytes)
      contents.size += bytes.count
      return true
    }
    guard hasRoom else { throw .full }
    return added
  }

  /// Whether an address is that of a file here.
  package func has(_ address: String) -> Bool { file(at: address) != nil }

  private func file(at path: String) -> File? {
    guard path.hasPrefix(Self.folder) else { return nil }
    return contents.withLock { $0.files[String(path.dropFirst(Self.folder.count))] }
  }

  /// The answer to a request for a file; `nil` for other requests.
  ///
  /// - Parameter known: The validators of the client's copy.
  package func answer(_ method: String, _ path: String, known: String? = nil) -> Answer? {
    guard let file = file(at: path) else { return nil }
    guard method == "GET" || method == "HEAD" else { return Problem.otherMethods(["GET", "HEAD"], path).answer }
    let tag = "\"\(path.dropFirst(Self.folder.count))\""
    var headers: [(HTTPField.Name, String)] = [
      // Under this name there will never be another file.
      (.eTag, tag), (.cacheControl, "public, max-age=31536000, immutable"), (.contentSecurityPolicy, "default-src 'none'; sandbox"),
      (.xContentTypeOptions, "nosniff"), (.acceptRanges, "bytes"),
    ]
    if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { headers.append((name, "cross-origin")) }
    guard known?.contains(tag) != true else { return Answer(.notModified, "", [], headers: headers) }
    var answer = Answer(.ok, file.kind.contentType, file.bytes, headers: headers)
    answer.sharedName = path
    return answer
  }
}
