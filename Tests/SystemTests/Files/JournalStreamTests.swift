import Foundation
import TestSupport
import Testing

@testable import Files

@Suite struct JournalStreamTests {
  /// What the environment names is compared with what is open: a program further down may have sent its messages elsewhere.
  @Test func streams() throws {
    let file = try Workshop.write([], to: "\(try Workshop.newFolder())/log")
    let handle = try #require(FileHandle(forReadingAtPath: file))
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    let (device, inode) = (try #require(attributes[.systemNumber] as? NSNumber), try #require(attributes[.systemFileNumber] as? NSNumber))
    #expect(JournalStream.isJournal(handle.fileDescriptor, "\(device):\(inode)"))
    for name in [
      nil, "", ":", "\(device)", "\(device):", "\(device):\(inode):", "\(device):\(inode.uint64Value + 1)", "x:\(inode)", "-1:-1",
    ] {
      #expect(!JournalStream.isJournal(handle.fileDescriptor, name), "\(name ?? "")")
    }
    #expect(!JournalStream.isJournal(-1, "\(device):\(inode)"))
  }

  @Test func levels() {
    let levels: [JournalStream.Level] = [.error, .warning, .notice, .info]
    #expect(levels.map(\.prefix) == ["<3>", "<4>", "<5>", "<6>"] && levels.map(\.name) == ["error", "warning", "notice", "info"])
  }
}
