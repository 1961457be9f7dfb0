import Basics
import Foundation
import TestSupport
import Testing

@testable import Files

/// Bytes that lie in a file without a name.
@Suite struct SpoolFileTests {
  @Test func bytesComeBack() throws {
    let folder = try Workshop.newFolder()
    let spool = try SpoolFile(in: folder)
    // It has no name, so that nothing is left of it, however the process ends.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    let contents = (0..<8).map { [UInt8](repeating: UInt8($0), count: 100_000 * $0) }
    let places = try contents.map { bytes throws(FileSinkError) in try spool.append(bytes.span) }
    #expect(places.map(\.count) == contents.map(\.count))
    for index in contents.indices.reversed() { #expect(spool.bytes(at: places[index]) == contents[index]) }
    #expect(spool.bytes(at: SpoolFile.Place(offset: 1 << 40, count: 1)) == nil)
  }

  /// What is given up is used again, so that a window that moves needs no more room than it has.
  @Test func roomIsUsedAgain() throws {
    let spool = try SpoolFile(in: Workshop.newFolder())
    var generator = SeededNumbers(seed: 7)
    var kept: [(place: SpoolFile.Place, bytes: [UInt8])] = []
    for number in 0..<600 {
      let bytes = [UInt8](repeating: UInt8(number % 251), count: Int.random(in: 500...1_000, using: &generator))
      kept.append((try spool.append(bytes.span), bytes))
      if kept.count > 20 { spool.remove(kept.removeFirst().place) }
    }
    for (place, bytes) in kept { #expect(spool.bytes(at: place) == bytes) }
    #expect(spool.size < 60_000)
  }

  @Test func noFolder() {
    #expect(throws: FileSinkError.self) { try SpoolFile(in: "/nowhere/at/all") }
  }
}
