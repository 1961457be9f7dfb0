import Basics
import CommandSupport
import Foundation

/// A small file of a server's own in which it keeps an object over a restart.
struct KeptObject {
  let path: String

  /// Reads the object; `nil` if there is no file.
  ///
  /// - Parameter hint: What the file is, and what removing it does, for the message if it cannot be read.
  func read(_ hint: String) throws(CommandFailure) -> JSONObject? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let text = String(decoding: try SmallFile(path: path).bytes(), as: UTF8.self)
    guard let object = (try? JSONValue(parsing: text, limits: JSONLimits(bytes: SmallFile.largest)))?.object else {
      throw CommandFailure(invalid: "\(path): \(hint)")
    }
    return object
  }

  /// Writes the object: when this returns, it is on the disk.
  ///
  /// - Throws: `CommandFailure`, also if the object is too large to be read again.
  func write(_ object: JSONObject) throws(CommandFailure) {
    let bytes = Array("\(object.text)\n".utf8)
    guard bytes.count <= SmallFile.largest else {
      throw CommandFailure(invalid: "\(path): it would have more than \(SmallFile.largest >> 20) MiB")
    }
    try OutputFile(path: path, overwrites: true).write(bytes)
  }
}
