import AnswerIntake
import Basics
import EmbeddedFiles
import GameEvents
import GameHosting
import Questions
import Scoring

/// What a rehearsal has in place of viewers and of a studio.
package enum Rehearsal {
  /// Six seconds of a transport stream that says what it is, to be played again and again.
  package static let picture = EmbeddedFiles.rehearsal

  /// What the title of a game in a rehearsal begins with: the console, screens and players' pages show it.
  package static let mark = "Rehearsal: "

  /// The possible numbers of bots.
  package static let bots = 0...500
}

extension Games {
  /// Bots join a game and answer its questions at random, until the feed of its screens ends.
  ///
  /// - Parameters:
  ///   - count: How many there are.
  ///   - id: The identifier of the game.
  package func rehearse(bots count: Int, in id: String) async {
    guard let runner = directory.game(id), let (messages, _, _) = runner.stage.listen() else { return }
    var players: [Int] = []
    for number in 0..<count {
      // A host may have ended the game, or nothing can be stored: then fewer play.
      guard let joined = try? await runner.join("Bot \(number + 1)", key: "rehearsal-\(id)-\(number)", position: nil) else { break }
      players.append(joined.player)
    }
    await withDiscardingTaskGroup { group in
      var seen = Set<GUID>()
      for await _ in messages {
        guard let question = RehearsedQuestion(runner), seen.insert(question.guid).inserted else { continue }
        for (number, player) in players.enumerated() {
          guard let (answer, time) = question.answer(of: number + 1) else { continue }
          group.addTask {
            guard (try? await Task.sleep(for: .milliseconds((time - question.edge).ticks / 90))) != nil else { return }
            runner.desk.take([AnswerRequest(question: question.guid, answer: answer, time: time)], of: player) { _ in }
          }
        }
      }
      group.cancelAll()
    }
  }
}

/// A question that takes answers.
private struct RehearsedQuestion: Sendable {
  let guid: GUID
  /// The programme time at the live edge.
  let edge: MediaTime
  private let scored: ScoredQuestion

  init?(_ runner: GameRunner) {
    let found: (GUID, MediaTime, ScoredQuestion)? = runner.look { game, now in
      guard let index = game.current, let edge = now.edge else { return nil }
      let asked = game.asked[index]
      let question = game.settings.questions[asked.quizIndex]
      guard asked.phase == .open, let opens = asked.opensAt, let closes = asked.closesAt, edge < closes else { return nil }
      let scored = ScoredQuestion(
        guid: asked.guid, number: index + 1, form: question.form, opensAt: opens, allottedTime: closes - opens, right: question.right)
      return (asked.guid, edge, scored)
    }
    guard let found else { return nil }
    (guid, edge, scored) = found
  }

  /// What a bot answers, and when; one in three knows what is right.
  func answer(of number: Int) -> (answer: GivenAnswer, time: MediaTime)? {
    let kind: Bot.Kind = number % 3 == 0 && scored.right != nil ? .perfect : .random
    let bot = Bot(kind: kind, number: number)
    guard let (code, time) = bot.answer(to: scored, seed: 1) else { return nil }
    return bot.answer(code, to: scored).map { ($0, max(time, edge)) }
  }
}
