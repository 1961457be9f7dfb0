import Foundation
import Synchronization

/// Where tests keep files: those that FFmpeg makes, each when a test first asks for it, and their own. The folder is removed when the tests end.
package enum Workshop {
  /// The folder's path.
  package static let folder = Programs.makeFolder("workshop")

  /// A file that FFmpeg makes: whether it is made, or FFmpeg has failed to make it.
  private final class Product: Sendable {
    // A class: whoever asks for the file at the same time waits at the same lock.
    let isMade = Mutex(false)
  }

  private static let products = Mutex<[String: Product]>([:])

  /// The path of a file that FFmpeg makes by arguments with spaces between them. There is none where this FFmpeg lacks a codec.
  package static func file(_ name: String, _ arguments: @autoclosure () -> String) -> String {
    let path = path(name)
    let product = products.withLock { products in
      let product = products[name] ?? Product()
      products[name] = product
      return product
    }
    product.isMade.withLock { isMade in
      guard !isMade else { return }
      isMade = true
      Programs.ffmpeg(["-bitexact"] + arguments().split(separator: " ").map(String.init) + [path])
    }
    return path
  }

  /// The path of a file by its name, or by its path as it is.
  package static func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + "/" + name }

  /// A new folder for one test.
  package static func newFolder() throws -> String {
    let path = path(UUID().uuidString)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// Writes a test's own file, by its name or its path; returns the path.
  @discardableResult
  package static func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: path(name)))
    return path(name)
  }

  /// The bytes of a file.
  package static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

  /// The names in a folder, sorted.
  package static func entries(_ folder: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
}

/// A table of short clips that FFmpeg makes.
package protocol FFmpegClip: RawRepresentable<String> {
  /// What the names of the table's files begin with.
  static var table: String { get }
  /// What the file's name ends in, after the dot.
  var fileExtension: String { get }
  /// FFmpeg's arguments before the output's path, with spaces between them.
  var arguments: String { get }
}

extension FFmpegClip {
  /// The clip's file, made when a test first asks for it.
  package var path: String { Workshop.file("\(Self.table)-\(rawValue).\(fileExtension)", arguments) }
}
