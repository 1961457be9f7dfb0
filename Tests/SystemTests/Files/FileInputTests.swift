import Files
import Foundation
import Synchronization
import Testing

@Suite struct FileInputTests {
  /// Repeats at no power of two, so that a piece in the wrong place shows.
  private static let pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: ($0 &* 0x9E37_79B1) >> 13) }

  private func withFile(_ size: Int, _ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "cuelight-\(UUID().uuidString)"
    var content = Data()
    while content.count < size { content.append(contentsOf: Self.pattern) }
    try content.prefix(size).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  /// Moves `position` behind the bytes that were read last, which must be the file's there: of a large piece, one in a hundred is looked at.
  private func check(_ input: borrowing FileInput, at position: inout Int) throws {
    let bytes = input.bytes
    let count = bytes.count
    try #require(count > 0)
    for index in Array(stride(from: 0, to: count, by: 101)) + [count - 1] {
      let byte = bytes[index]
      try #require(byte == Self.pattern[(position + index) % Self.pattern.count])
    }
    position += count
  }

  /// The larger ones are long enough for every other piece to be read by another thread.
  @Test(arguments: [0, 1, 600_000, 1 << 20, (7 << 20) - 1, 7 << 20, 15_000_001]) func readsAFileWhole(size: Int) throws {
    try withFile(size) { path in
      var input = try FileInput(path: path)
      #expect(input.size == size)
      var position = 0
      while try input.fill() { try check(input, at: &position) }
      #expect(position == size)
      #expect(try input.fill() == false)
    }
  }

  @Test(arguments: [3..<40, 1_000_000..<9_000_000, 5_000_001..<12_000_000]) func readsAPart(part: Range<Int>) throws {
    try withFile(12_000_000) { path in
      var input = try FileInput(path: path, part: part)
      var position = part.lowerBound
      while try input.fill() { try check(input, at: &position) }
      #expect(position == part.upperBound)
    }
  }

  @Test(arguments: [100_000, 3 << 20], [nil, 1_000..<15_990_000]) func passesOverBytes(skipped: Int, part: Range<Int>?) throws {
    try withFile(16_000_000) { path in
      var input = try FileInput(path: path, part: part)
      var position = part?.lowerBound ?? 0
      var reads = 0
      while try input.fill() {
        try check(input, at: &position)
        reads += 1
        // Now and then, so that some pieces are being read by another thread.
        if reads % 7 == 0 { position += try input.skip(skipped) }
      }
      // The last pieces are skipped as far as there are any.
      #expect(position == part?.upperBound ?? 16_000_000)
      #expect(try input.skip(1) == 0)
    }
  }

  @Test func aFileThatIsCutMeanwhileEndsEarly() throws {
    try withFile(12_000_000) { path in
      var input = try FileInput(path: path)
      var position = 0
      for _ in 0..<6 {
        #expect(try input.fill())
        try check(input, at: &position)
      }
      try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 9_000_000)
      while try input.fill() { try check(input, at: &position) }
      #expect(position >= 9_000_000 && position < 12_000_000)
    }
  }

  @Test func aFileIsLeftInTheMiddle() throws {
    try withFile(12_000_000) { path in
      for reads in 0..<9 {
        var input = try FileInput(path: path)
        for _ in 0..<reads { #expect(try input.fill()) }
      }
    }
  }

  @Test func passesOverNothingInAPipe() throws {
    var input = try FileInput(path: "/dev/zero")
    #expect(try input.skip(10) == 0)
    #expect(try input.fill())
  }

  @Test func saysWhatIsWrong() {
    #expect(throws: FileInputError.missing(path: "/nowhere/at-all")) { _ = try FileInput(path: "/nowhere/at-all") }
    #expect(throws: FileInputError.folder(path: "/")) { _ = try FileInput(path: "/") }
    #expect("\(FileInputError.missing(path: "a.ts"))" == "a.ts: no such file")
  }

  @Test func stopsWhenInterrupted() throws {
    var input = try FileInput(path: "/dev/zero") { true }
    var isInterrupted = false
    do throws(FileInputError) { _ = try input.fill() } catch { isInterrupted = error == .interrupted }
    #expect(isInterrupted)
  }

  /// A named pipe without a writer keeps nobody waiting who is interrupted, and gives what a writer sends later, to its end.
  @Test func aNamedPipe() async throws {
    let path = NSTemporaryDirectory() + "cuelight-\(UUID().uuidString)"
    // The path lives as long as the call.
    #expect(unsafe mkfifo(path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(FileInput.isReadOnce(path) && !FileInput.isReadOnce(NSTemporaryDirectory()) && !FileInput.isReadOnce(path + "missing"))
    var isAsked = false
    let asked = Atomic<Int>(0)
    var input = try FileInput(path: path) { asked.add(1, ordering: .relaxed).newValue == 2 }
    do { _ = try input.fill() } catch { isAsked = error == .interrupted }
    #expect(isAsked && input.size == nil)
    let writer = try #require(FileHandle(forWritingAtPath: path))
    try writer.write(contentsOf: Data([1, 2, 3]))
    #expect(try input.fill() && Array(input.slice) == [1, 2, 3])
    try writer.close()
    #expect(try !input.fill())
  }
}
