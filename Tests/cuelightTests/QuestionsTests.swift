import Foundation
import HTTPClient
import TestSupport
import Testing

/// `cuelight questions`: checking, converting, and getting them from a stand-in for Open Trivia DB.
@Suite struct QuestionsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func run(_ arguments: String...) throws -> Command.Outcome {
    try Command.run(Command.executable, ["questions"] + arguments, in: scratch.folder)
  }

  static let quiz = """
    title: Quiz
    questions:
      - { question: Which metal is liquid?, answers: [Iron, Mercury], correct: Mercury }
      - { question: Is it?, answers: [True, False], correct: True }

    """

  @Test func lintTellsEveryMistakeOfEveryFile() throws {
    _ = try scratch.write(Self.quiz, to: "quiz.yaml")
    _ = try scratch.write("question,correct,wrong\nWHICH METAL IS LIQUID,mercury,gold\nQ,a,a\nIs it?,False,True\n", to: "table.csv")
    _ = try scratch.write("{\"questions\":[{\"question\":\"\",\"answers\":[\"a\",\"b\"]}]}", to: "wrong.json")
    let outcome = try run("lint", "quiz.yaml", "table.csv", "wrong.json")
    #expect(
      outcome
        == Command.Outcome(
          status: 1,
          output: """
            table.csv:2:1: this question is already in quiz.yaml:3; remove one of them
            table.csv:3:5: the answer "a" is already in line 3, column 3; make all answers different
            table.csv:4:1: this question has the answers of that in quiz.yaml:4, but another right one; correct or remove one of them
            wrong.json:1:15: no answer is right; add correct: with the text of an answer or correctAnswer: with its index from 0
            wrong.json:1:27: the question is empty; write a text
            4 questions in 3 banks, 5 mistakes

            """,
          errors: ""))
    #expect(try run("lint", "quiz.yaml") == Command.Outcome(status: 0, output: "2 questions in 1 bank, no mistake\n", errors: ""))
    #expect(try run("lint", "nowhere.yaml") == Command.Outcome(status: 66, output: "", errors: "cuelight: nowhere.yaml: no such file\n"))
  }

  @Test func convertsBetweenFormats() throws {
    _ = try scratch.write(Self.quiz, to: "quiz.yaml")
    #expect(try run("convert", "quiz.yaml", "-o", "quiz.csv") == Command.Outcome(status: 0, output: "", errors: "quiz.csv: 2 questions\n"))
    let table = try run("convert", "quiz.csv", "--to", "csv")
    #expect(table.output == "question,correct,wrong\nWhich metal is liquid?,Mercury,Iron\nIs it?,True,False\n" && table.status == 0)
    let json = try run("convert", "quiz.yaml", "--to", "json")
    let back = try Command.run(Command.executable, ["questions", "convert", "-", "--to", "yaml"], input: Data(json.output.utf8))
    let yaml = try run("convert", "quiz.yaml")
    #expect(back.output == yaml.output && back.output.hasPrefix("title: Quiz\nquestions:\n  - question: Which metal"))
    // What is there stays, unless it may be replaced, and an input is no output.
    #expect(try run("convert", "quiz.yaml", "-o", "quiz.csv").status == 73)
    #expect(try run("convert", "quiz.yaml", "-o", "quiz.yaml", "--force").status == 73)
    #expect(try run("convert", "quiz.yaml", "-o", "quiz.csv", "--force").status == 0)
    #expect(try run("convert", "quiz.yaml", "-o", "quiz.txt").status == 64)
    _ = try scratch.write("question,correct,wrong\nQ,a\n", to: "wrong.csv")
    let refused = try run("convert", "wrong.csv", "-o", "out.yaml")
    #expect(
      refused
        == Command.Outcome(status: 65, output: "", errors: "cuelight: wrong.csv:2:1: a question has 2 to 12 answers, this one has 1\n")
    )
    #expect(!scratch.names.contains("out.yaml"))
  }

  @Test func aTableComesThroughAPipe() throws {
    func lint(_ text: String, _ arguments: String...) throws -> Command.Outcome {
      try Command.run(Command.executable, ["questions", "lint", "-"] + arguments, input: Data(text.utf8))
    }
    #expect(try lint("Q,a,b\n", "--no-header").output == "1 question in 1 bank, no mistake\n")
    #expect(try lint("Q,a,b\nR,a,a\n").output.contains("if this is a table, say --format csv --no-header"))
    #expect(try lint("Q,a,b\nR,a,a\n", "--no-header").output.hasPrefix("standard input:2:5: the answer \"a\" is already in"))
    #expect(try lint("", "--format", "xml").status == 64)
  }

  /// Questions with mistakes are left out if that is wished, each with its mistake, and alike mistakes are counted.
  @Test func mistakesAreSkipped() throws {
    let rows = (1...8).map { "Q\($0),a,a\n" }.joined()
    _ = try scratch.write("question,correct,wrong,level\nWho?,Ada,Bob,so\n\(rows)Why?,So,No,\n", to: "bad.csv")
    let level = "bad.csv:2:14: \"difficulty\" is \"so\"; write easy, medium or hard"
    let alike =
      "bad.csv:3:6: 8 rows: the answer \"a\" is already in line 3, column 4; make all answers different (first: row 3)"
    let skipped = "\(level): left out\n\(alike): left out\n"
    #expect(
      try run("convert", "bad.csv", "--to", "csv", "--skip-mistakes")
        == Command.Outcome(status: 0, output: "question,correct,wrong\nWhy?,So,No\n", errors: skipped))
    #expect(
      try run("lint", "bad.csv", "--skip-mistakes")
        == Command.Outcome(status: 0, output: "1 question in 1 bank, 9 mistakes\n", errors: skipped))
    #expect(
      try run("lint", "bad.csv") == Command.Outcome(status: 1, output: "\(level)\n\(alike)\n1 question in 1 bank, 9 mistakes\n", errors: "")
    )
    let plan = try Command.run(Command.executable, ["plan", "bad.csv", "--skip-mistakes", "-o", "-"], in: scratch.folder)
    #expect(plan.status == 0 && plan.errors == skipped && plan.output.contains("question: Why?"))
    _ = try scratch.write("question,correct,wrong\nWho?,a,a\n", to: "none.csv")
    for arguments in [["questions", "lint"], ["questions", "convert"], ["plan", "-o", "-"]] {
      let outcome = try Command.run(Command.executable, arguments + ["none.csv", "--skip-mistakes"], in: scratch.folder)
      #expect(
        outcome.status == 65 && outcome.errors.hasSuffix("cuelight: none.csv: no question without a mistake is left\n"), "\(arguments)")
    }
  }

  /// What fits into the tag that is written is no mistake, whatever its texts have together.
  @Test func sizesOfTags() throws {
    let long = String(repeating: "\u{928}", count: 89)
    let answers = (1...4).map { "\(String(repeating: "\u{92E}", count: 22))\($0)" }
    _ = try scratch.write("question,correct,wrong,wrong,wrong\n\(long),\(answers.joined(separator: ","))\n", to: "h.csv")
    #expect(try run("lint", "h.csv") == Command.Outcome(status: 0, output: "1 question in 1 bank, no mistake\n", errors: ""))
    let refused = try run("lint", "h.csv", "--max-tag-size", "800")
    #expect(refused.status == 1 && refused.output.contains("above the limit of 800"), "\(refused)")
    #expect(try run("lint", "h.csv", "--max-tag-size", "1").status == 64)
  }

  @Test func markersOfAnEditor() throws {
    _ = try scratch.write("question,correct,wrong\nWho?,Ada,Bob\nWhy?,So,No\nHow?,a,b\n", to: "q.csv")
    _ = try scratch.write("10.000000\t10.000000\tone\n40.500000\t40.500000\ttwo\n", to: "labels.txt")
    let plan = try Command.run(Command.executable, ["plan", "q.csv", "--markers", "labels.txt", "-o", "-"], in: scratch.folder)
    #expect(plan.status == 0 && plan.errors == "labels.txt: there are 2 markers for 3 questions; the last 1 are left out\n")
    #expect(plan.output.contains("at: 00:10.000\n    event: askQuestion\n    question: Who?"), "\(plan.output)")
    #expect(plan.output.contains("at: 00:40.500\n    event: askQuestion\n    question: Why?"))
  }

  @Test func categories() throws {
    let outcome = try run("categories")
    #expect(outcome.lines.count == 24 && outcome.lines[0] == " 9  General Knowledge" && outcome.lines[8] == "17  Science & Nature")
  }

  /// Every way in which the service answers, and what the command makes of it.
  @Suite(.enabled(if: HostileServer.isAvailable, "python3 stands in for the service")) struct Fetching {
    let scratch: Scratch
    let server: HostileServer

    init() throws {
      scratch = try Scratch()
      server = try HostileServer(script: "trivia_server.py")
    }

    private func fetch(_ behaviour: String, _ arguments: String...) throws -> Command.Outcome {
      let url = server.url(behaviour.isEmpty ? "" : "/\(behaviour)")
      return try Command.run(
        Command.executable, ["questions", "fetch", "--pause", "0", "--url", url] + arguments, in: scratch.folder)
    }

    private func load(_ target: String) throws -> [UInt8] {
      var input = try NetworkInput(url: server.url(target))
      var bytes: [UInt8] = []
      while try input.fill() {
        for index in input.bytes.indices { bytes.append(input.bytes[index]) }
      }
      return bytes
    }

    private func requests() throws -> [String] {
      let text = String(decoding: try load("/-/requests"), as: UTF8.self)
      return text.split(separator: "\n").map { String($0.split(separator: " ").last ?? "") }
    }

    @Test func questionsOfOneKind() throws {
      let outcome = try fetch("", "--amount", "3", "--category", "9", "--difficulty", "easy", "--type", "multiple", "-o", "easy.yaml")
      #expect(outcome.status == 0 && outcome.output.isEmpty)
      #expect(outcome.errors.hasPrefix("easy.yaml: 3 questions\nother questions next time: --token 00"))
      let text = try String(contentsOf: scratch["easy.yaml"], encoding: .utf8)
      #expect(
        text.hasPrefix(
          """
          questions:
            - question: "Don't <forget> №0: is π = 3?"
              answers: ["0 & \\"é\\" +0% π", "0 & \\"é\\" +1% π", "0 & \\"é\\" +2% π", "0 & \\"é\\" +3% π"]
              correct: "0 & \\"é\\" +0% π"
              category: General Knowledge
              difficulty: easy

          """))
      #expect(try Command.cuelight("questions", "lint", "easy.yaml", in: scratch.folder).output == "3 questions in 1 bank, no mistake\n")
      #expect(
        try requests() == [
          "/api_token.php?command=request",
          "/api.php?amount=3&category=9&difficulty=easy&type=multiple&encode=base64&token=" + String(repeating: "0", count: 63) + "1",
        ])
    }

    @Test func moreThanOneCallBrings() throws {
      let outcome = try fetch("", "--amount", "120", "--to", "csv")
      #expect(outcome.status == 0 && Set(outcome.lines).count == 121)
      #expect(
        try requests().map { $0.prefix(18) } == ["/api_token.php?com", "/api.php?amount=50", "/api.php?amount=50", "/api.php?amount=20"])
    }

    @Test func aTokenGoesOn() throws {
      let first = try fetch("", "--amount", "50", "-o", "first.yaml")
      let token = try #require(first.errors.split(separator: " ").last).trimmingCharacters(in: .newlines)
      let second = try fetch("", "--amount", "50", "--token", token, "-o", "second.yaml")
      let count = try requests().count
      #expect(second.status == 0 && count == 3)
      #expect(try Command.cuelight("questions", "lint", "first.yaml", "second.yaml", in: scratch.folder).status == 0)
      // Twenty are left: the token is reset, and what this run has is not taken twice.
      let third = try fetch("", "--amount", "50", "--token", token, "-o", "third.yaml")
      #expect(third.status == 0 && third.errors.contains("resetting it; questions of earlier sessions may come again"))
      let unknown = try fetch("", "--amount", "5", "--token", "abc", "-o", "fourth.yaml")
      #expect(unknown.status == 0 && unknown.errors.contains("the session token is not known (any more): asking for a new one"))
    }

    @Test(arguments: [
      (1, 65, "response code 1: there are not so many questions of this kind"), (2, 65, "response code 2: a parameter is not understood"),
      (3, 65, "response code 3: the service refuses again, although the session token is new"),
      (4, 65, "response code 4: the service refuses again, although the session token was reset"),
      (5, 74, "response code 5: too many calls"), (17, 65, "response code 17, which is unknown"),
    ])
    func responseCodes(code: Int, status: Int, message: String) throws {
      let outcome = try fetch("code=\(code)", "-o", "out.yaml")
      #expect(Int(outcome.status) == status && outcome.output.isEmpty && scratch.names.isEmpty)
      let last = try #require(outcome.errors.split(separator: "\n").last)
      #expect(last.hasPrefix("cuelight: \(server.url("/code=\(code)")): \(message)"))
    }

    @Test func refusalsAreWaitedFor() throws {
      let outcome = try fetch("code=5,2", "--amount", "2", "--to", "csv")
      #expect(outcome.status == 0 && outcome.lines.count == 3)
      #expect(outcome.errors.components(separatedBy: "too many calls from this address: asking again\n").count == 3)
      let busy = try fetch("status=429,3", "--amount", "2", "--to", "csv")
      #expect(busy.status == 0 && busy.lines.count == 3)
    }

    @Test func callsAreAsFarApartAsTheServiceWants() throws {
      let strict = try HostileServer("--pause", "1", script: "trivia_server.py")
      let arguments = ["questions", "fetch", "--amount", "60", "--pause", "1", "--url", strict.url(""), "--to", "csv"]
      let outcome = try Command.run(Command.executable, arguments)
      #expect(outcome.status == 0 && outcome.lines.count == 61 && !outcome.errors.contains("too many calls"))
    }

    @Test(arguments: [
      ("text=<html>", 65, "the answer is unreadable: 1:1: this is no JSON"), ("cut=30", 74, "cut off after 30 of"),
      ("status=500", 74, "the server failed (HTTP 500)"),
      ("status=404", 74, "the server does not have it (HTTP 404)"), ("large=2000000", 74, "1048576"),
      ("text={\"response_code\":0}", 65, "there is no session token in the answer"),
    ])
    func brokenAnswers(behaviour: String, status: Int, message: String) throws {
      let path = try #require(behaviour.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "="))))
      let outcome = try fetch(path, "-o", "out.yaml")
      #expect(Int(outcome.status) == status && outcome.errors.contains(message) && outcome.output.isEmpty && scratch.names.isEmpty)
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test func slowAnswersAndNoServer() throws {
      #expect(try fetch("slow=1", "--amount", "2", "--to", "csv").lines.count == 3)
      let outcome = try Command.cuelight("questions", "fetch", "--url", "http://127.0.0.1:1", in: scratch.folder)
      #expect(outcome.status == 74 && outcome.errors.split(separator: "\n").count == 1)
      #expect(try fetch("repeat=1", "--amount", "51", "-o", "out.yaml").errors.contains("brought no question that was not there before"))
    }

    @Test func whatCameBeforeAFailureIsKept() throws {
      let outcome = try fetch("repeat=1", "--amount", "51", "-o", "out.yaml")
      #expect(outcome.status == 65 && outcome.errors.contains("out.yaml: 50 of 51 questions\n"))
      #expect(
        try Command.cuelight("questions", "lint", "out.yaml", in: scratch.folder).output == "50 questions in 1 bank, no mistake\n")
      let table = try fetch("repeat=1", "--amount", "51", "--to", "csv")
      #expect(table.status == 65 && table.lines.count == 51)
    }

    @Test func wrongUsage() throws {
      for arguments in [
        ["--amount", "0"], ["--category", "8"], ["--category", "Poetry"], ["--difficulty", "tricky"], ["--type", "many"],
        ["--token", "a&b"],
        ["-o", "out.txt"], ["--pause", "-1"],
      ] {
        #expect(try Command.run(Command.executable, ["questions", "fetch"] + arguments, in: scratch.folder).status == 64, "\(arguments)")
      }
    }

    /// What the service sends, saved as it comes in each encoding, is one bank.
    @Test func savedAnswersInEveryEncoding() throws {
      var outputs: Set<String> = []
      for encoding in ["html", "url3986", "urlLegacy", "base64"] {
        let query = encoding == "html" ? "" : "&encode=\(encoding)"
        try Data(try load("/api.php?amount=40\(query)")).write(to: scratch["\(encoding).json"])
        outputs.insert(try Command.cuelight("questions", "convert", "\(encoding).json", in: scratch.folder).output)
        outputs.insert(try Command.cuelight("questions", "convert", "--encoding", encoding, "\(encoding).json", in: scratch.folder).output)
      }
      #expect(outputs.count == 1 && outputs.first?.contains("Don't <forget> №39: is π = 3?") == true)
    }
  }
}
