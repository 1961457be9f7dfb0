import Basics
import LibC
import Synchronization

/// A file without a name, for bytes that need not stay in memory. It disappears with the process, however that ends.
package final class SpoolFile: Sendable {
  /// A range of bytes in the file.
  package struct Place: Equatable, Sendable {
    /// The offset in the file, and the number of bytes.
    package var offset: Int
    package var count: Int

    /// A place.
    package init(offset: Int, count: Int) { (self.offset, self.count) = (offset, count) }
  }

  private struct Room: Sendable {
    var end = 0
    /// The free places, in the order of their offsets; two are never adjacent.
    var free: [Place] = []

    /// Finds a place: the first free one that is large enough, or the end of the file.
    mutating func take(_ count: Int) -> Place {
      guard let index = free.firstIndex(where: { $0.count >= count }) else {
        defer { end += count }
        return Place(offset: end, count: count)
      }
      defer {
        free[index].offset += count
        free[index].count -= count
        if free[index].count == 0 { free.remove(at: index) }
      }
      return Place(offset: free[index].offset, count: count)
    }

    mutating func give(_ place: Place) {
      guard place.count > 0 else { return }
      var index = free.firstIndex { $0.offset > place.offset } ?? free.count
      free.insert(place, at: index)
      if index > 0, free[index - 1].offset + free[index - 1].count == place.offset {
        free[index - 1].count += place.count
        free.remove(at: index)
        index -= 1
      }
      if index + 1 < free.count, free[index].offset + free[index].count == free[index + 1].offset {
        free[index].count += free[index + 1].count
        free.remove(at: index + 1)
      }
    }
  }

  private let descriptor: Int32
  private let room = Mutex(Room())

  /// Makes an empty file.
  ///
  /// - Parameter folder: The path of a folder on the file system to use.
  /// - Throws: `FileSinkError` if it cannot be made.
  package init(in folder: String) throws(FileSinkError) {
    descriptor = try TemporaryFile.makeNameless(in: folder.isEmpty || folder.hasSuffix("/") ? folder : "\(folder)/").created(folder)
  }

  deinit { close(descriptor) }

  /// Adds bytes, on any thread.
  ///
  /// - Throws: `FileSinkError` if the disk is full, or fails.
  package func append(_ bytes: Span<UInt8>) throws(FileSinkError) -> Place {
    let place = room.withLock { $0.take(bytes.count) }
    guard let failure = writeAll(descriptor, bytes, at: place.offset) else { return place }
    remove(place)
    throw FileSinkError(.write, path: "the file of segments", code: failure.code)
  }

  /// The bytes of a place; `nil` if the disk fails.
  package func bytes(at place: Place) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: place.count)
    var read = 0
    while read < place.count {
      let (start, left) = (read, place.count - read)
      // Unsafe: C writes at most as many bytes as are left of the array.
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(descriptor, buffer.baseAddress?.advanced(by: start), left, off_t(place.offset + start))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      read += count
    }
    return bytes
  }

  /// Frees a place, so that later bytes can use it.
  package func remove(_ place: Place) { room.withLock { $0.give(place) } }

  /// The size of the file in bytes, including free places.
  var size: Int { room.withLock { $0.end } }
}
