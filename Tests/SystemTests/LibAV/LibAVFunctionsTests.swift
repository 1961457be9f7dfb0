import Foundation
import TestSupport
import Testing

@testable import LibAV

@Suite("Opening libav")
struct LibAVFunctionsTests {
  /// The names of the libraries that are installed.
  private func installed() throws -> LibAVNames {
    try #require(FFmpegRelease.all.lazy.map { LibAVNames($0) }.first { (try? LibAVFunctions.open($0).get()) != nil })
  }

  /// Why libav's functions cannot be had, by the names of libraries or in a folder; `nil` if they can.
  private func refusal(_ result: Result<LibAVFunctions, MissingLibrary>) -> String? {
    if case .failure(let missing) = result { missing.reason } else { nil }
  }

  @Test("The newest libraries that are installed are found, and their functions work")
  func found() throws {
    let libav = try LibAVFunctions.openNewest().get()
    let release = try installed().release
    #expect(libav.majorVersions == [release.format, release.codec, release.util])
    #expect(AVError(code: -2, operation: "opening show.mp4").description == "opening show.mp4: No such file or directory")
    let found = try #require(FFmpegLibraries.found)
    #expect(found.hasPrefix("FFmpeg ") && found.contains(" (libavformat \(release.format)."))
    #expect(FFmpegLibraries.missing == nil)
  }

  @Test("Each release is of libraries whose layout is known, the newest first")
  func releases() {
    #expect(FFmpegRelease.all.map(\.number) == [9, 8, 7, 6, 5])
    #expect(FFmpegRelease.all.map(\.hasKnownLayout) == [true, true, true, true, true])
    #expect(!FFmpegRelease(number: 10, format: 64, codec: 64, util: 62).hasKnownLayout)
  }

  @Test("A library that is missing is named", arguments: ["libavformat", "libavcodec", "libavutil"])
  func missingLibrary(library: String) throws {
    var names = try installed()
    switch library {
    case "libavformat": names.format = "libnothing.so.1"
    case "libavcodec": names.codec = "libnothing.so.1"
    default: names.util = "libnothing.so.1"
    }
    #expect(try #require(refusal(LibAVFunctions.open(names))).contains("libnothing.so.1"))
  }

  @Test("A library without a function is refused")
  func missingFunction() throws {
    var names = try installed()
    swap(&names.format, &names.util)
    #expect(try #require(refusal(LibAVFunctions.open(names))).contains("av_interleaved_write_frame"))
  }

  @Test("Libraries of another release than their names say are refused")
  func otherRelease() throws {
    var names = try installed()
    names.release.util += 1
    #expect(refusal(LibAVFunctions.open(names)) == "\(names.format), \(names.codec) and \(names.util) are not of one release")
  }

  @Test("A folder without libraries is named, with what would do")
  func emptyFolder() throws {
    let folder = try Workshop.newFolder()
    #expect(
      refusal(LibAVFunctions.openNewest(in: folder))
        == "FFmpeg's libraries are needed: \(folder) (CUELIGHT_LIBAV) has none of FFmpeg 5 to 9 "
        + "(Debian: libavformat59, libavformat60, libavformat61, libavformat62 or libavformat63)")
  }

  #if os(Linux)
    /// The files of the libraries that are open in this process.
    private func openFiles() throws -> [String] {
      _ = try LibAVFunctions.openNewest().get()
      // The file states no size, so it is read to its end.
      let data = try #require(FileHandle(forReadingAtPath: "/proc/self/maps")).readDataToEndOfFile()
      let maps = String(decoding: data, as: UTF8.self)
      let paths = Set(maps.split(separator: "\n").map { line in String(line[(line.firstIndex(of: "/") ?? line.endIndex)...]) })
      return paths.filter { path in ["/libavformat.so.", "/libavcodec.so.", "/libavutil.so."].contains { path.contains($0) } }.sorted()
    }

    @Test("Libraries in a folder are found by what their names begin and end with", arguments: ["plain", "odd [name]*"])
    func folder(name: String) throws {
      let folder = try Workshop.newFolder() + "/" + name
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let files = try openFiles()
      try #require(files.count == 3)
      for file in files {
        let link = (file as NSString).lastPathComponent.replacingOccurrences(of: ".so.", with: "-0a1b2c3d.so.")
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(link)", withDestinationPath: file)
      }
      let release = try installed().release
      #expect(LibAVNames(release, in: folder)?.format.hasPrefix("\(folder)/libavformat-0a1b2c3d.so.\(release.format).") == true)
      #expect(try LibAVFunctions.openNewest(in: folder).get().majorVersions == [release.format, release.codec, release.util])
      // One of the three is not enough.
      try FileManager.default.removeItem(atPath: try #require(LibAVNames(release, in: folder)).util)
      #expect(LibAVNames(release, in: folder) == nil)
    }

    @Test("A library that is there and cannot be used is the reason")
    func unusable() throws {
      let folder = try Workshop.newFolder()
      for name in ["libavformat", "libavcodec", "libavutil"] {
        let release = FFmpegRelease(number: 8, format: 62, codec: 62, util: 60)
        try Workshop.write(Array("no library".utf8), to: "\(folder)/\(name).so.\(name == "libavutil" ? release.util : release.format)")
      }
      let reason = try #require(refusal(LibAVFunctions.openNewest(in: folder)))
      #expect(reason.hasPrefix("FFmpeg's libraries are needed: \(folder)/libavutil.so.60: "))
      #expect(reason.hasSuffix(" (Debian: libavformat59, libavformat60, libavformat61, libavformat62 or libavformat63)"))
    }
  #endif

  @Test("The error says what was to be done and what is missing")
  func error() {
    let error = AVError(MissingLibrary(reason: "FFmpeg is needed"), operation: "opening show.mp4")
    #expect(error.description == "opening show.mp4: FFmpeg is needed")
    #expect(error.missingLibrary == "FFmpeg is needed")
    #expect(!error.isInvalidData)
  }
}
