import CuelightReader
import CuelightStamper
import Foundation

// The examples of the articles and of the README, word for word but for their place: `DocumentationTests` compares them.

// MARK: CuelightReader.md

struct Show {
  var reader = EventReader()
  var game = GameStateMachine(verifySeal: nil)

  mutating func received(_ bytes: Span<UInt8>) throws(ReadingError) {
    for case .copy(let copy, let place) in try reader.push(bytes) {
      for transition in game.receive(copy, at: place.time) { print(transition.kind.text, transition.state.phase) }
    }
  }
}

// MARK: README.md

func play(_ bytes: [UInt8]) throws {
  var reader = EventReader()
  var game = GameStateMachine(verifySeal: nil)
  for case .copy(let copy, let place) in try reader.push(bytes) + reader.finish() {
    for transition in game.receive(copy, at: place.time) { print(transition.kind.text, transition.state.phase) }
  }
}

// MARK: ReadingEvents.md

func read(_ address: String, load: (HLSReader.Resource) -> [UInt8]?, wait: (MediaTime) -> Void) throws -> [HLSItem] {
  var reader = HLSReader(playlist: URIReference(address))
  var items: [HLSItem] = []
  while true {
    switch reader.step {
    case .finished: return items
    case .wait(let time):
      wait(time)
      reader.waited()
    case .load(let resource):
      guard let bytes = load(resource) else {
        items += try reader.fail(HLSLoadFailure(.missing, "not found"), elapsed: .zero)
        continue
      }
      items += try reader.receive(bytes)
      if reader.step == .load(resource) { items += try reader.complete(elapsed: .zero) }
    }
  }
}

func readFrame(text: String, description: String) throws -> EventCopy {
  let copy = try EventCopy(parsing: text, description: description)
  return copy
}

// MARK: PlayingTheGame.md

func makeCheckedGame() -> GameStateMachine {
  let game = GameStateMachine(verifySeal: AnswerSeal.verify)
  return game
}

// MARK: CuelightStamper.md

func stampAShow() throws -> Stamper.Summary {
  let text = "game: test\ntitle: Test\ncues: [{ at: 2, event: startGame }]"
  let policy = CopyPolicy(copies: 3, refreshInterval: MediaTime(seconds: 2))
  let sheet = try CueSheet.parse(text, policy: policy, answers: .sealed(.random()))
  var stamper = Stamper(input: "show.mp4", output: "show.ts")
  stamper.overwrite = true
  let summary = try stamper.stamp(EventSchedule(sheet.events, policy: policy))
  return summary
}

// MARK: Questions.md

func planAShow() throws -> (questionCount: Int, cueSheet: String) {
  let bytes = Array("question,correct,wrong,wrong\nWhich metal is liquid?,Mercury,Iron,Gold\nHow many legs has a spider?,8,6,\n".utf8)
  let reading = QuizFile.read(bytes, format: .csv)
  var options = PlanOptions(game: "friday", title: "Friday Night")
  options.selection.order = .shuffled
  options.length = MediaTime(seconds: 120)
  let plan = try ShowPlan(reading.bank.questions.map(\.value), options)
  let cueSheet = try plan.cueSheet()
  return (plan.questionCount, cueSheet)
}
