import Foundation
import Testing

#if os(Linux)
  /// FFmpeg's libraries and libcurl are opened by what needs them, and by nothing else.
  @Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct LibraryTests {
    let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
    }

    /// Runs `cuelight` and gives the names of the shared libraries that were looked for.
    private func libraries(_ arguments: String) throws -> Set<String> {
      // The loader tells of its work on standard error, in lines such as "731: find library=libc.so.6 [0]; searching".
      let outcome = try Command.shell("LD_DEBUG=libs cuelight \(arguments)", in: scratch.folder)
      #expect(outcome.status == 0)
      return Set(outcome.errors.matches(of: /find library=(\S+)/).map { String($0.output.1) })
    }

    @Test func readingOpensNeither() throws {
      let stamping = try libraries("stamp '\(Broadcast.path)' --cues cues.yaml -o show.ts")
      #expect(stamping.contains { $0.hasPrefix("libavformat.") } && !stamping.contains { $0.hasPrefix("libcurl.") })
      for reading in ["inspect show.ts", "replay show.ts", "verify show.ts --cues cues.yaml", "doctor show.ts", "--help"] {
        let opened = try libraries(reading)
        #expect(opened.contains { $0.hasPrefix("libc.") })
        #expect(opened.filter { $0.hasPrefix("libav") || $0.hasPrefix("libcurl") } == [], "\(reading)")
      }
    }

    @Test func withoutFFmpegNothingButItsWorkFails() throws {
      let stamp = "stamp '\(Broadcast.path)' --cues cues.yaml -o"
      let library = try #require(libraries("\(stamp) show.ts").first { $0.hasPrefix("libavformat.") })
      // A file that is no library is found before the real library of this name.
      _ = try scratch.write("no library", to: library)
      let refused = try Command.shell("LD_LIBRARY_PATH=. cuelight \(stamp) other.ts", in: scratch.folder)
      #expect(refused.status == 69)
      #expect(refused.errors.hasPrefix("cuelight: \(Broadcast.path): FFmpeg's libraries are needed: ") && refused.errors.contains(library))
      #expect(refused.errors.split(separator: "\n").count == 1 && !scratch.names.contains("other.ts"))
      // A transport stream is stamped without them.
      _ = try scratch.write(Broadcast.cues.replacing("game: test", with: "game: other"), to: "other.yaml")
      for line in ["inspect show.ts", "stamp show.ts --cues other.yaml -o other.ts"] {
        #expect(try Command.shell("LD_LIBRARY_PATH=. cuelight \(line)", in: scratch.folder).status == 0)
      }
    }

    @Test func withoutLibcurlURLsAreRefused() throws {
      _ = try scratch.write("no library", to: "libcurl.so.4")
      for url in ["http://127.0.0.1:1/show.ts", "http://127.0.0.1:1/show.m3u8"] {
        let refused = try Command.shell("LD_LIBRARY_PATH=. cuelight inspect \(url)", in: scratch.folder)
        #expect(refused.status == 69 && refused.output == "")
        #expect(refused.errors.hasPrefix("cuelight: \(url): libcurl is needed: ") && refused.errors.split(separator: "\n").count == 1)
      }
    }
  }
#endif
