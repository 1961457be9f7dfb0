import Testing

@testable import LibAV

@Suite("Opening libav")
struct LibAVFunctionsTests {
  /// Why libav's functions cannot be had where the libraries have these names; `nil` where they can.
  private func refusal(_ names: LibAVNames) -> String? {
    if case .failure(let missing) = LibAVFunctions.open(names) { missing.reason } else { nil }
  }

  @Test("The libraries are those of the headers, and their functions work")
  func found() throws {
    _ = try LibAVFunctions.open().get()
    #expect(AVError(code: -2, operation: "opening show.mp4").description == "opening show.mp4: No such file or directory")
  }

  @Test(
    "A library that is missing is named",
    arguments: [LibAVNames(format: "libnothing.so.1"), LibAVNames(codec: "libnothing.so.1"), LibAVNames(util: "libnothing.so.1")])
  func missingLibrary(names: LibAVNames) throws {
    let reason = try #require(refusal(names))
    #expect(reason.hasPrefix("FFmpeg's libraries are needed: ") && reason.contains("libnothing.so.1"))
    #expect(reason.contains("(Debian: libavformat"))
  }

  @Test("A library without a function is refused")
  func missingFunction() throws {
    var names = LibAVNames()
    swap(&names.format, &names.util)
    #expect(try #require(refusal(names)).contains("av_interleaved_write_frame"))
  }

  @Test("The error says what was to be done and what is missing")
  func error() {
    let error = AVError(MissingLibrary(reason: "FFmpeg is needed"), operation: "opening show.mp4")
    #expect(error.description == "opening show.mp4: FFmpeg is needed")
    #expect(error.missingLibrary == "FFmpeg is needed")
    #expect(!error.isInvalidData)
  }
}
