import Basics
import Files
import LiveHLS

/// The segments that clients may load: the latest ones in memory, and the older ones of a long playlist on the disk.
struct StoredSegments: Sendable {
  enum Content: Sendable {
    case memory([UInt8])
    case spooled(SpoolFile.Place)

    var byteCount: Int {
      switch self {
      case .memory(let bytes): bytes.count
      case .spooled(let place): place.count
      }
    }
  }

  private(set) var contents: [String: Content] = [:]
  /// The names of the latest segments in memory, those of all renditions together; empty without a disk.
  private var latest = Queue<[String]>()
  /// The names of older segments that could not be moved to the disk.
  private var unmoved: [String] = []
  private let hasDisk: Bool

  /// How many segments of a long playlist are in memory: players load the latest ones.
  static let mostInMemory = 8

  init(hasDisk: Bool) { self.hasDisk = hasDisk }

  /// Whether a file may be moved to the disk. Initialization segments stay in memory, since each segment needs one.
  static func isMedia(_ name: String) -> Bool { !SegmentFile.isInitialization(name) }

  subscript(name: String) -> Content? { contents[name] }

  /// The names of all segments, those in memory last.
  var names: [String] {
    let names = contents.keys.sorted()
    return names.filter { bytes($0) == nil } + names.filter { bytes($0) != nil }
  }

  /// Adds files to the memory, without counting them as a segment.
  mutating func keep(_ files: [SegmentFile]) {
    for file in files { contents[file.name] = .memory(file.bytes) }
  }

  /// Adds a segment; returns the names of those to move to the disk for it.
  mutating func add(_ files: [SegmentFile]) -> [String] {
    keep(files)
    return count(files.map(\.name))
  }

  /// Counts a segment in memory as the latest one; returns the names of those to move to the disk for it.
  mutating func count(_ names: [String]) -> [String] {
    let names = names.filter(Self.isMedia)
    guard hasDisk, !names.isEmpty else { return [] }
    latest.append(names)
    defer { unmoved = [] }
    var old = unmoved
    while latest.count > Self.mostInMemory { old += latest.popFirst() ?? [] }
    return old
  }

  /// The bytes of a segment in memory.
  func bytes(_ name: String) -> [UInt8]? { if case .memory(let bytes) = contents[name] { bytes } else { nil } }

  /// Records that a segment is on the disk, or `nil` if it could not be written; returns whether its place is used.
  mutating func move(_ name: String, to place: SpoolFile.Place?) -> Bool {
    guard let place else {
      unmoved.append(name)
      return false
    }
    guard bytes(name) != nil else { return false }
    contents[name] = .spooled(place)
    return true
  }

  /// Removes segments; returns their places on the disk.
  mutating func remove(_ names: [String]) -> [SpoolFile.Place] {
    names.compactMap { name in if case .spooled(let place) = contents.removeValue(forKey: name) { place } else { nil } }
  }
}
