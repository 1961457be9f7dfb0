// Unsafe: reads arrays of C, which are constants of the program.

import CEmbeddedFiles

/// The files that programs carry in themselves, so that a program is all that has to be installed.
///
/// The C compiler embeds them: as literals of Swift they cost a minute of each build.
package enum EmbeddedFiles {
  /// What browsers load, by the names of the files.
  package static let pages = unsafe files(cuelight_pages())
  /// Six seconds of a transport stream: the picture of a rehearsal.
  package static let rehearsal = unsafe file(cuelight_rehearsal())
  /// The JSON Schemas of the lines that `--json` prints, one a line.
  package static let lineSchemas = unsafe file(cuelight_schemas())
  /// The named character references of HTML, one a line.
  package static let characterReferences = unsafe file(cuelight_entities())

  private static func files(_ group: cuelight_files) -> [String: [UInt8]] {
    let files = unsafe UnsafeBufferPointer(start: group.files, count: group.count)
    return unsafe Dictionary(uniqueKeysWithValues: files.map { unsafe (String(cString: $0.name), bytes(of: $0)) })
  }

  /// The only file of a group.
  private static func file(_ group: cuelight_files) -> [UInt8] { unsafe bytes(of: group.files[0]) }

  private static func bytes(of file: cuelight_file) -> [UInt8] { unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.size)) }
}
