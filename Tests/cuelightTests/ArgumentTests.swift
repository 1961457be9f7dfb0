import Foundation
import TestSupport
import Testing

/// Wrong usage that the parser of arguments would let pass.
@Suite struct ArgumentTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func errors(_ line: String) throws -> String {
    let outcome = try Command.shell("cuelight " + line, in: scratch.folder)
    #expect(outcome.status == 64 && outcome.output == "" && outcome.errors.hasPrefix("Error: "))
    return outcome.errors.split(separator: "\n").first.map(String.init) ?? ""
  }

  @Test(arguments: [
    ("verify a.ts --cues a.yaml --cues=b.yaml", "--cues takes one value, and is given twice."),
    ("stamp a.mp4 -o a.ts --cues a.yaml --output b.ts", "--output takes one value, and is given twice."),
    ("plan a.yaml -o a.yaml -o b.yaml -o c.yaml", "--output takes one value, and is given 3 times."),
    ("replay --top 1 --bots perfect:1 a.ts --top 2", "--top takes one value, and is given twice."),
    ("help nonsense", "There is no command nonsense."), ("help questions nonsense", "There is no command nonsense."),
    ("help stamp me", "There is no command me."),
  ])
  func refused(line: String, message: String) throws { #expect(try errors(line) == "Error: \(message)") }

  @Test(arguments: ["questions --help", "help", "help questions lint", "help --help"]) func helpIsThere(line: String) throws {
    let outcome = try Command.shell("cuelight " + line, in: scratch.folder)
    #expect(outcome.status == 0 && outcome.errors == "" && outcome.output.contains("USAGE: "))
  }

  /// Options that take several values, flags, and what stands behind `--` may come again.
  @Test func notRefused() throws {
    for line in ["verify --drop-burst 5:0.1 --drop-burst 6:0.1 --json --json --cues a.yaml a.ts", "inspect --json -- --json"] {
      let outcome = try Command.shell("cuelight " + line, in: scratch.folder)
      #expect(outcome.status == 66, "\(line)")
    }
  }

  /// The bytes of such a name would be repaired, which makes another name of it.
  @Test func namesThatAreNotUTF8() throws {
    let message = "Error: b\u{FFFD}.ts is not UTF-8, and would be taken for another name: rename the file, or give it a link."
    #expect(try errors("inspect $'b\\xff.ts'") == message)
    #expect(try errors("stamp a.mp4 --cues a.yaml -o $'b\\xff.ts'") == message)
    #expect(scratch.names == [])
  }

  /// Relative paths do not touch such a folder's name; a presentation in it is refused.
  @Test(.enabled(if: Broadcast.isAvailable)) func foldersThatAreNotUTF8() throws {
    let line = """
      mkdir $'f\\xff' && cd $'f\\xff' && cp '\(Broadcast.stamped)' old.ts
      cuelight stamp '\(Broadcast.path)' --cues '\(Workshop.path("broadcast.yaml"))' -o old.ts --force > /dev/null; echo $?
      cuelight inspect old.ts > /dev/null; echo $?; ls
      printf '#EXTM3U\\n' > list.m3u8; cuelight inspect list.m3u8; echo $?; cd ..; rm -r $'f\\xff'
      """
    let outcome = try Command.shell(line, in: scratch.folder)
    #expect(outcome.lines == ["0", "0", "old.ts", "66"])
    #expect(outcome.errors == "cuelight: .: the name of this folder, or of one around it, is not UTF-8; rename it first\n")
  }

  @Test func escapesDoNotReachTheTerminal() throws {
    #expect(try errors("inspect a.ts --$'\\e[31m'").contains("\u{1B}") == false)
  }
}
