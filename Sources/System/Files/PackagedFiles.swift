import Basics

/// What is wrong with a file, which is named by whoever reads it.
package struct DamagedFile: Error, Equatable {
  /// What is wrong, in words.
  package var reason: String

  init(_ reason: String) { self.reason = reason }
}

/// The files that `scripts/package` puts into the program itself: a section of its executable file, which has an archive.
package enum PackagedFiles {
  /// The name of the section.
  static let section = "cuelight_files"
  /// The maximum size of the section.
  private static let most = 64 << 20

  /// The files in this program by their names; none if it was built from source.
  ///
  /// - Throws: ``DamagedFile`` if the program's own file is damaged.
  package static func inside() throws(DamagedFile) -> [String: [UInt8]] {
    #if os(Linux)
      try files(in: "/proc/self/exe")
    #else
      [:]
    #endif
  }

  /// The files in a program.
  ///
  /// - Throws: As ``inside()``.
  static func files(in path: String) throws(DamagedFile) -> [String: [UInt8]] {
    guard let size = (try? FileInput(path: path))?.size else { return [:] }
    guard let place = try ProgramSection.place(of: section, size: size, read: { bytes(of: path, $0) }) else { return [:] }
    guard place.count <= most else { throw DamagedFile("its section \(section) is too large") }
    let archive = bytes(of: path, place)
    guard archive.count == place.count else { throw DamagedFile("its section \(section) cannot be read") }
    return try FileArchive.files(archive)
  }

  /// A part of a file; fewer bytes if it cannot be read.
  private static func bytes(of path: String, _ part: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(FileInputError) {
      var input = try FileInput(path: path, part: part)
      while try input.fill() { bytes.append(copying: input.bytes) }
    } catch {}
    return bytes
  }
}
