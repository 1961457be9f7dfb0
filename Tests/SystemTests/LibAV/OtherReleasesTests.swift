import Basics
import Foundation
import TestSupport
import Testing

@testable import LibAV

/// Libraries of several releases of FFmpeg, a folder for each, in the folder that the environment names.
private enum OtherReleases {
  static let variable = "CUELIGHT_LIBAV_VERSIONS"
  static let reason: Comment = "\(variable) names no folder with libraries of other releases: the proof witnesses.libav_versions makes one"

  static let folders: [String] = {
    guard let top = ProcessInfo.processInfo.environment[variable], let names = try? Workshop.entries(top) else { return [] }
    return names.map { "\(top)/\($0)" }.filter { folder in FFmpegRelease.all.contains { LibAVNames($0, in: folder) != nil } }
  }()
}

@Suite("Libraries of other releases", .enabled(if: Programs.hasFFmpeg && !OtherReleases.folders.isEmpty, OtherReleases.reason))
struct OtherReleasesTests {
  /// The clips, one of which is turned by 90 degrees, and a file that is none.
  private func paths() throws -> [String] {
    var turned = try Workshop.bytes(Clip.mp4.path)
    // The nine values stand 40 bytes after the name of the box (ISO/IEC 14496-12, 8.3.2).
    let matrix = try #require(turned.firstRange(of: Array("tkhd".utf8))).upperBound + 40
    let values: [UInt32] = [0, 0x1_0000, 0, 0xFFFF_0000, 0, 0, 0, 0, 0x4000_0000]
    let bytes = values.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    turned.replaceSubrange(matrix..<matrix + bytes.count, with: bytes)
    // No MP3 file: its duration has the silence that the encoder added until FFmpeg 8.
    let clips: [Clip] = [.mp4, .matroska, .flash, .hevc, .mpeg4, .audioOnly, .twoLanguages, .lateStart, .groupsTransport, .openGroups]
    let made = clips.map(\.path).filter { FileManager.default.fileExists(atPath: $0) }
    let folder = try Workshop.newFolder()
    let own = try [("turned.mp4", turned), ("text.mp4", Array("no video".utf8))].map { try Workshop.write($1, to: "\(folder)/\($0)") }
    return made + own + ["/nowhere/show.mp4"]
  }

  /// In a process of its own, which opens these libraries and no others.
  @Test("Reading, copying and errors are those of the installed libraries", arguments: OtherReleases.folders)
  func copies(folder: String) async throws {
    let paths = try paths()
    let expected = paths.map(Findings.init)
    let matrix = "displayMatrix: Optional([0, 65536, 0, -65536, 0, 0, 0, 0, 1073741824])"
    try #require(expected.contains { $0.lines.contains { $0.contains(matrix) } })
    await #expect(processExitsWith: .success) {
      [folder = folder as String, paths = paths as [String], expected = expected as [Findings]] in
      // Unsafe: C copies the texts. Nothing else reads the environment yet.
      unsafe setenv(LibAVNames.variable, folder, 1)
      let found = try #require(FFmpegLibraries.found)
      #expect(FFmpegRelease.all.contains { LibAVNames($0, in: folder) != nil && found.contains(" (libavformat \($0.format).") })
      for (path, expected) in zip(paths, expected) { #expect(Findings(path) == expected, "\(found)") }
    }
  }
}

/// What libav makes of a file, a line for each fact.
private struct Findings: Codable, Equatable, Sendable {
  var lines: [String] = []

  init(_ path: String) {
    do {
      try read(path)
      try copy(path)
    } catch {
      lines.append("error: \(error)")
    }
  }

  /// What the file is said to have, and its packets.
  private mutating func read(_ path: String) throws {
    let input = try MediaInput(path: path)
    lines.append("\(input.formatName) \(String(describing: input.duration)) \(input.programs)")
    for stream in input.streams {
      var parameters = input.codecParameters(of: stream.index)
      if let extradata = parameters?.extradata { parameters?.extradata = shortStartCodes(extradata) }
      lines.append("\(stream) \(String(describing: parameters))")
    }
    for times in try packetTimes(path) { lines.append("packets: \(times)") }
  }

  /// What copies have, read from memory without seeking.
  private mutating func copy(_ path: String) throws {
    let (bytes, summary) = try remux(path)
    lines.append("\(summary)")
    lines.append("checksum: \(CRC32MPEG2.checksum(bytes.span))")
    try describe("stream", bytes)
    for (stream, track) in try fragments(path).tracks.sorted(by: { $0.key < $1.key }) {
      lines.append("\(track.times)")
      try describe("track \(stream)", track.bytes)
    }
  }

  /// Parameter sets without the zeros before their start codes, which FFmpeg 9 keeps. Three zeros are nowhere else in them.
  private func shortStartCodes(_ bytes: [UInt8]) -> [UInt8] {
    bytes.indices.filter { !bytes[$0...].starts(with: [0, 0, 0]) }.map { bytes[$0] }
  }

  /// What a copy has. The bytes of initialization segments differ in single values: FFmpeg 5
  /// states two channels for all audio in a sample entry (ISO/IEC 14496-12, 12.2.3), later versions the number that there is.
  private mutating func describe(_ name: String, _ bytes: [UInt8]) throws {
    lines.append("\(name): \(bytes.count) bytes")
    var rest: ArraySlice<UInt8>? = bytes[...]
    var input = try MediaInput(name: name, reading: { rest.take() })
    var packet = try MediaPacket()
    var contents: [Int: CRC32MPEG2] = [:]
    while try input.read(into: &packet) { contents[packet.streamIndex, default: CRC32MPEG2()].update(packet.span) }
    for stream in input.streams { lines.append("\(stream) \(contents[stream.index]?.value ?? 0)") }
  }
}
