import FileInput
import Foundation
import Testing

@Suite struct FileInputTests {
  @Test func readsAFileWhole() throws {
    let path = NSTemporaryDirectory() + "cuelight-\(UUID().uuidString)"
    let content = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try content.write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var input = try FileInput(path: path)
    #expect(input.size == content.count)
    var read: [UInt8] = []
    while try input.fill() {
      for index in input.bytes.indices { read.append(input.bytes[index]) }
    }
    #expect(read == Array(content))
  }

  @Test func passesOverBytes() throws {
    let path = NSTemporaryDirectory() + "cuelight-\(UUID().uuidString)"
    let content = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try content.write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    for part in [nil, 1_000..<590_000] {
      var input = try FileInput(path: path, part: part)
      var position = part?.lowerBound ?? 0
      let end = part?.upperBound ?? content.count
      while try input.fill() {
        for index in input.bytes.indices { try #require(input.bytes[index] == content[position + index]) }
        position += input.bytes.count
        position += try input.skip(100_000)
      }
      // The last pieces are skipped as far as there are any.
      #expect(position == end)
      #expect(try input.skip(1) == 0)
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
}
