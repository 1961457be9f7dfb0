import ArgumentParser
import Basics
import CommandSupport
import Files
import GameEvents
import LiveGame
import Sheets

struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Look at the journal of a live stream, and save what can be saved of a damaged one.",
    discussion: """
      cuelight live --journal refuses a journal whose lines were changed or are missing, since it could give the sequence numbers of lost events \
      to others. What a killed process has left unfinished at the end is no damage.

      Example:
        cuelight journal check show.journal
        cuelight journal repair show.journal -o repaired.journal --last-number 42
      """, subcommands: [Check.self, Repair.self])
}

/// A journal in a file.
private struct ReadJournal {
  let path: String
  let repair: JournalRepair

  /// The largest journal. A session does not open larger ones either.
  private static let largest = 1 << 30

  init(_ path: String) throws(CommandFailure) {
    self.path = path
    repair = JournalRepair(try SmallFile(path: path).bytes(limit: Self.largest))
    guard !repair.records.isEmpty || !repair.damages.isEmpty else { throw CommandFailure(invalid: "\(path): there is nothing in it") }
  }

  /// The mistakes, one a line.
  var problems: [String] {
    repair.damages.map { "\(path): \($0)" }
      + repair.lostEvents.map { "\(path): too little is known of the event \($0.text.quoted)" }
      + (repair.game == nil ? ["\(path): it does not begin with its game"] : [])
  }

  var summary: String {
    "\(path): the game \((repair.game ?? "").quoted), records: \(repair.records.count), highest number: \(repair.lastSequence)"
  }
}

extension JournalCommand {
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Say whether a journal is as it was written.",
      discussion: """
        Each mistake is a line on standard output, and the exit status is 1.

        Example:
          cuelight journal check show.journal
        """)

    @Argument(help: "The journal.")
    var file: String

    func run() throws {
      let journal = try ReadJournal(file)
      try StandardOutput.write(journal.problems + (journal.repair.isWhole ? [journal.summary] : []))
      if !journal.repair.isWhole { throw CommandFailure.checkFailed }
    }
  }

  struct Repair: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "repair", abstract: "Write a journal without its damaged lines.",
      discussion: """
        Each line that is left out is named. A damaged journal may have lost events that are in the stream: --last-number says the highest \
        number there, which cuelight replay or verify prints, and no number up to it is given again.

        Example:
          cuelight journal repair show.journal -o repaired.journal --last-number 42
        """)

    @Argument(help: "The journal.")
    var file: String

    @Option(name: .shortAndLong, help: "The repaired journal.")
    var output: String

    @Option(name: .long, help: "The highest sequence number that is in the stream.")
    var lastNumber: Int?

    @OptionGroup var replacing: ReplaceOption

    func validate() throws {
      try require(lastNumber.map({ (0...(1 << 53)).contains($0) }) ?? true, "--last-number takes a number from 0 on.")
    }

    func run() throws {
      try InputFiles([file]).requireOther([output])
      let journal = try ReadJournal(file)
      guard journal.repair.game != nil else {
        throw CommandFailure(invalid: "\(file): its first line has the game and the key for answers, and is lost: it cannot be repaired")
      }
      guard journal.repair.isWhole || lastNumber != nil else {
        let known = "\(file): events may be lost; the highest number that is known is \(journal.repair.lastSequence)"
        let problems = journal.problems + ["\(known): say with --last-number which one is the highest in the stream"]
        throw CommandFailure(invalid: problems.joined(separator: "\n"))
      }
      // The journal may contain the key of answers.
      FileMode.keepPrivate()
      try OutputFile(path: output, overwrites: replacing.force).write(
        journal.repair.bytes(lastSequence: lastNumber ?? 0, room: JournalFile.blockSize))
      for problem in journal.problems { StandardError.write(problem) }
      StandardError.write(journal.problems.isEmpty ? "\(file): nothing was wrong" : "\(output): written without what was wrong")
    }
  }
}
