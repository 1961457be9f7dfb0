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
