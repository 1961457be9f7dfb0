import Basics
import Foundation
import FuzzTargets
import Testing

/// Replays what fuzzing has found, and what it starts from: `scripts/fuzz` looks for more.
@Suite struct ReplayTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzzing")

  /// The inputs that are committed for a target: the corpus, and what once was a finding.
  private static func committed(_ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    try ["Corpus", "Crashers"].flatMap { kind in
      let own = folder.appending(path: kind).appending(path: target.name)
      guard FileManager.default.fileExists(atPath: own.path) else { return [(name: String, bytes: [UInt8])]() }
      return try FileManager.default.contentsOfDirectory(at: own, includingPropertiesForKeys: nil).map { file in
        (file.lastPathComponent, [UInt8](try Data(contentsOf: file)))
      }
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func whatIsCommittedIsNoFinding(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    #expect(!target.seeds.isEmpty)
    for (index, seed) in target.seeds.enumerated() { #expect(throws: Never.self, "seed \(index)") { try target.run(seed) } }
    for input in try Self.committed(target) { #expect(throws: Never.self, "\(input.name)") { try target.run(input.bytes) } }
  }

  /// Changes that find something at once where a parser is careless, in every run of the tests.
  @Test(arguments: FuzzTarget.all.map(\.name)) func damagedSeedsAreNoFinding(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    var generator = SeededNumbers(seed: 7)
    for seed in target.seeds {
      #expect(throws: Never.self, "cut off") {
        for count in stride(from: 0, to: seed.count, by: max(seed.count / 20, 1)) { try target.run(Array(seed.prefix(count))) }
      }
      for _ in 0..<max(4, min(40, 10_000 / max(seed.count, 1))) {
        let damaged = Self.damaged(seed, using: &generator)
        #expect(throws: Never.self, "\(damaged)") { try target.run(damaged) }
      }
    }
  }

  private static func damaged(_ bytes: [UInt8], using generator: inout SeededNumbers) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard let index = bytes.indices.randomElement(using: &generator) else { return bytes }
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes[index] = Bool.random(using: &generator) ? 0xFF : 0
      case 3: bytes.removeSubrange(index..<min(index + Int.random(in: 1...16, using: &generator), bytes.count))
      default: bytes.insert(contentsOf: bytes[index..<min(index + 16, bytes.count)], at: index)
      }
    }
    return bytes
  }

  @Test func everyFolderBelongsToATarget() throws {
    let names = Set(FuzzTarget.all.map(\.name))
    #expect(names.count == FuzzTarget.all.count)
    for kind in ["Corpus", "Crashers"] {
      let folders = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: kind).path)) ?? []
      #expect(Set(folders.filter { !$0.hasPrefix(".") }).isSubset(of: names))
    }
  }
}
