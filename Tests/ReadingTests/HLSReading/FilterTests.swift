import Basics
import EventReading
import HLSPlaylist
import HLSReading
import Synchronization
import Testing

/// What segments pass through before they are read.
@Suite struct FilterTests {
  let sample: SegmentedSample
  init() throws { sample = try SegmentedSample() }

  private func options(
    drops: @escaping @Sendable (UInt64) -> Bool = { _ in false },
    change: @escaping @Sendable ([UInt8], Bool) -> [UInt8] = { bytes, _ in bytes }
  ) -> HLSReader.Options {
    var options = HLSReader.Options()
    options.filter = SegmentFilter(drops: drops, change: change)
    return options
  }

  @Test func aFilterThatChangesNothing() throws {
    #expect(try sample.presentation.read("index.m3u8", options()).items == sample.presentation.read().items)
  }

  /// A segment that is dropped is not asked for, costs what is in it, and nothing is said.
  @Test(arguments: 0..<5 as Range<UInt64>) func aDroppedSegment(number: UInt64) throws {
    let outcome = try sample.presentation.read("index.m3u8", options(drops: { $0 == number }))
    #expect(!outcome.uris.contains("\(number).ts") && outcome.uris.count == 5)
    #expect(outcome.notices == [] && outcome.damages == [])
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [Int(number)])))
  }

  /// Every byte of every segment passes through, in order, and the end of each is told once; playlists do not.
  @Test(arguments: [nil, 1_000] as [Int?]) func everyByteOfTheSegments(chunk: Int?) throws {
    let passed = Mutex<[[UInt8]]>([[]])
    var presentation = sample.presentation
    presentation.chunk = chunk
    let outcome = try presentation.read(
      "index.m3u8",
      options(change: { bytes, isLast in
        passed.withLock {
          $0[$0.count - 1] += bytes
          if isLast { $0.append([]) }
        }
        return bytes
      }))
    #expect(passed.withLock { $0 } == sample.segments + [[]])
    #expect(outcome.items == (try sample.presentation.read().items))
  }

  /// What is held back until the end of a segment is read then.
  @Test func bytesThatAreHeldBack() throws {
    let held = Mutex<[UInt8]>([])
    let holding = options(change: { bytes, isLast in
      held.withLock { kept in
        kept += bytes
        guard isLast else { return [] }
        defer { kept = [] }
        return kept
      }
    })
    #expect(try sample.presentation.read("index.m3u8", holding).items == sample.presentation.read().items)
  }
}
