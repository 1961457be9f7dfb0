import Basics
import Files
import LibC
import Terminal

/// A file that is read as a whole.
package struct SmallFile {
  let path: String

  package init(path: String) { self.path = path }

  /// The maximum number of bytes that are read.
  package static let largest = 16 << 20

  /// - Throws: If the file cannot be read or has more bytes than `limit`.
  package func bytes(limit: Int = largest) throws(CommandFailure) -> [UInt8] { try contents(limit: limit).bytes }

  /// The bytes, and whether others may read them too.
  ///
  /// - Throws: As ``bytes(limit:)``.
  package func contents(limit: Int) throws(CommandFailure) -> (bytes: [UInt8], isReadableByOthers: Bool) {
    do throws(FileInputError) {
      var file = try FileInput(path: path) { Interruption.isRequested }
      var bytes: [UInt8] = []
      while try file.fill() {
        bytes.append(copying: file.bytes)
        guard bytes.count <= limit else { break }
      }
      guard bytes.count <= limit else { throw FileInputError.system(path: path, code: EFBIG) }
      return (bytes, file.isReadableByOthers)
    } catch {
      if case .missing = error, let failure = CommandFailure(address: path) { throw failure }
      throw CommandFailure(error)
    }
  }

  /// The bytes of a file that only its owner may read.
  ///
  /// - Parameters:
  ///   - what: The name of the content, such as `this token`, and the pronoun for it, such as `it`.
  /// - Throws: As ``bytes(limit:)``, and if others may read it.
  package func secret(limit: Int, _ what: (name: String, pronoun: String)) throws(CommandFailure) -> [UInt8] {
    let (bytes, isReadableByOthers) = try contents(limit: limit)
    guard !isReadableByOthers else {
      throw CommandFailure(invalid: "\(path): others may read \(what.name); keep \(what.pronoun) to yourself with chmod 600")
    }
    return bytes
  }
}

extension CommandFailure {
  /// An address where only a file is read, with the way to make a file of what is there; `nil` for a path.
  fileprivate init?(address: String) {
    guard address.utf8.starts(with: "http://".utf8) || address.utf8.starts(with: "https://".utf8) else { return nil }
    let way =
      address.contains("://docs.google.com/")
      ? "choose File, Download in Google Sheets, and name the .xlsx or .csv" : "load it first with curl -o NAME \(address.shellWord)"
    self.init("\(address): this is an address, and only files are read here; \(way)", status: Self.missingInput)
  }
}
