import Testing

@testable import CommandSupport

@Suite struct VersionTests {
  @Test func parts() {
    let (packaged, own) = (
      Version.text(of: "cuelight", commit: "9dc239ee", swift: "6.3", ffmpeg: "FFmpeg 5.1.6 (libavformat 59.27.100)"),
      Version.text(of: "cuelight-server", commit: nil, swift: "6.2", ffmpeg: nil)
    )
    #expect(packaged == "cuelight 1.1.0 (commit 9dc239ee, Swift 6.3, FFmpeg 5.1.6: libavformat 59.27.100)")
    #expect(own == "cuelight-server 1.1.0 (from source, Swift 6.2, no FFmpeg)")
  }
}
