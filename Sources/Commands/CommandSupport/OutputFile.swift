package import Files
import Foundation
import StreamInput

/// A file that a command writes. It appears under its name only when it is complete.
package struct OutputFile: Sendable {
  package let path: String
  package let overwrites: Bool

  /// Fails early if the file cannot be created, before any work is done.
  package init(path: String, overwrites: Bool) throws(CommandFailure) {
    (self.path, self.overwrites) = (path, overwrites)
    try orFail(FileSink.requirePlace(for: path, overwrite: overwrites)) { (error: FileSinkError) in CommandFailure(error) }
  }

  /// Begins to write.
  package func begin() throws(CommandFailure) -> FileSink {
    try orFail(FileSink(path: path, overwrite: overwrites)) { (error: FileSinkError) in CommandFailure(error) }
  }

  /// Writes the whole file.
  package func write(_ bytes: [UInt8]) throws(CommandFailure) {
    var sink = try begin()
    sink.write(bytes.span)
    do throws(FileSinkError) { try sink.commit() } catch { throw CommandFailure(error) }
  }
}

/// The files that a command reads. None of them is ever an output, under any name, not even with `--force`.
package struct InputFiles {
  /// The files, those of presentations among them; `-` for standard input.
  package let paths: [String]

  /// The files of these inputs.
  ///
  /// - Parameter names: The inputs as the command line names them; `nil` for those that are not given.
  package init(_ names: [String?]) { paths = names.compactMap(\.self).flatMap { StreamInput($0).files } }

  /// Refuses outputs if one is an input, or two are the same file, whether or not it exists.
  package func requireOther(_ outputs: [String?]) throws(CommandFailure) {
    let outputs = outputs.compactMap(\.self)
    let inputs = Set(paths.compactMap { $0 == "-" ? .standardInput : FileIdentity(path: $0) })
    for (index, output) in outputs.enumerated() {
      if let identity = FileIdentity(path: output), inputs.contains(identity) {
        throw CommandFailure("\(output): is an input too; choose another name for the output", status: CommandFailure.cannotCreate)
      }
      guard outputs[..<index].contains(where: { Self.areSame($0, output) }) else { continue }
      throw CommandFailure("\(output): is another output too; choose different names for the outputs", status: CommandFailure.cannotCreate)
    }
  }

  private static func areSame(_ path: String, _ other: String) -> Bool {
    if let file = FileIdentity(path: path) { return file == FileIdentity(path: other) }
    return resolved(path) == resolved(other)
  }

  /// The path of a file that need not exist, without links among its folders.
  private static func resolved(_ path: String) -> String {
    let url = URL(filePath: path).standardizedFileURL
    return url.deletingLastPathComponent().resolvingSymlinksInPath().appending(path: url.lastPathComponent).path
  }
}
